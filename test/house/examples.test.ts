// Every example runs as a reader would run it: compiled, in its own folder, with the package installed beside it.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformWithOxc } from "vite";
import { beforeAll, expect, test, vi } from "vitest";
import { builtCli, LONGEST_BUILD_MS, root } from "../helpers/built.ts";
import { dataPath, noData } from "../helpers/data.ts";

vi.setConfig({ testTimeout: 300_000 }); // runs programs that build indexes

const MOST_LINES = 40;

interface Example {
  /** What it must print. */
  readonly prints: RegExp;
  /** Packages that it needs besides ours. */
  readonly needs?: readonly string[];
  readonly model?: true;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  "ai-sdk": { prints: /^sluice A gate that controls the flow of water\nA sluice does\.\n$/, needs: ["ai"] },
  backup: { prints: /^now: 0 documents\nrestored: 1 document, lock\n$/ },
  batch: { prints: /^100 answers of 5 hits; a single search gives the same answer\n$/ },
  boosts: {
    prints:
      /^liked: 3\.40 of 3\.47\nnew: 2\.65 of 2\.72\nold: 0\.69 of 0\.76\nupdated adds 1\.95\nvotes adds 0\.69\n$/,
  },
  builtin: {
    prints:
      /^elevator for ships → lock\ntherapy of a heart attack → heart\nopen \d\.\d\d\narteri \d\.\d\d\nmeaning \d\d\.\d\d\n$/,
    needs: ["onnxruntime-node"],
  },
  densify: { prints: /^7 slices: (\w+ [\d.]+(, )?){7}\n4 slices: .*\n2 slices: bauhaus 2.9, \w+ [\d.]+\n$/ },
  encoder: {
    prints: /^lock 0\.00 1\.\d\d\n$/, // the other document is no nearer than to made-up words
    needs: ["onnxruntime-node"],
    model: true,
  },
  evaluate: { prints: /ndcg@10 .*recall@10.*?whitespace.*?english/s },
  explain: {
    prints: /bauhau: .*?words 0\.70 \+ meaning 6\.29 = score 6\.99\n.*?in no document: .*zeppelin/s,
  },
  facets: {
    prints:
      /^3 canals\nLesseps: 2\nGoethals: 1\n\{"lt":1900\}: 2\n\{"gte":1900\}: 1\nnewest first: panama, corinth, suez\none of each author: 2 hits\n$/,
  },
  filters: {
    prints:
      /→ (panama, kiel|kiel, panama)\n.*→ (suez, kiel|kiel, suez)\n.*→ kiel\n.*→ (panama, suez|suez, panama)\n/,
  },
  langchain: {
    prints: /^\d.* Panama .*\n\d.*\nbefore 1900: The Suez canal has none\n$/,
    needs: ["@langchain/core"],
  },
  "live-updates": {
    prints: /^at first: 1 2\nnot committed: 1 2\ncommitted, not refreshed: 1 2\nrefreshed: 3\n$/,
  },
  "markdown-folder": {
    prints:
      /^handbook\/locks\.md#2, line \d+: Locks › Filling\n.*?left out: handbook\/\.drafts \(hidden\)\n$/s,
  },
  "mcp-client": {
    prints: /^tools: search, explain, get\n1\. id "sluice", score .*?A gate that controls/s,
    needs: ["@modelcontextprotocol/server", "@modelcontextprotocol/client", "@modelcontextprotocol/node"],
  },
  "own-vectors": { prints: /^λ = 0: seascape [\d.]+\nλ = 1: .*\nλ = 5: caravel 5\.00, seascape/ },
  paging: { prints: /^page 1: 10 hits, d0 .*\npage 2: 10 hits.*\npage 3: 5 hits, .* d24\n$/ },
  parquet: { prints: /^panama 1914 a canal with many locks\n$/, needs: ["hyparquet", "hyparquet-writer"] },
  phrases: {
    prints: /^\{.*new york.*→ york\n.*→ york\n.*prefer.*→ york, old\n"hotel .*→ york\n$/,
  },
  quickstart: {
    prints:
      /^unable to sleep at night → insomnia: 0\.0 \+ 3\.6 = 3\.6\nheart attack → infarction: .*\nboats in a canal → lock: 1\.0 .*\n$/,
  },
  threads: { prints: /^the same hits: \d+ \d+ \d+\n$/ },
  typos: {
    prints:
      /^corrected: (lock, venice|venice, lock)\ncompleted: oxford\nsynonyms: (lock, venice|venice, lock)\nsuggested: old canal \(2\)\n$/,
  },
  weights: {
    prints: /^lock 2\.02\nmuseum: unknown\nship: kept\ncanal: kept\n$/,
  },
};

const folder = mkdtempSync(join(tmpdir(), "sluice-examples-"));

beforeAll(async () => {
  await builtCli();
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(root, "node_modules")))
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(root, join(modules, "sluice"));
}, LONGEST_BUILD_MS);

/** Why an example cannot run here. */
function missing({ needs = [], model }: Example): string | undefined {
  if (model && noData) return noData;
  const absent = needs.filter((name) => !existsSync(join(root, "node_modules", name)));
  return absent.length > 0 ? `not installed: ${absent.join(", ")}` : undefined;
}

test("every example is in the list and in the README, and short", () => {
  const readme = readFileSync(join(root, "examples/README.md"), "utf8");
  const listed = [...readme.matchAll(/^\| \[([\w-]+)\.ts\]\(\1\.ts\)/gm)].map(([, name]) => name);
  expect(listed).toEqual(Object.keys(EXAMPLES).sort());
  const files = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
  expect(files.map((name) => name.slice(0, -3)).sort()).toEqual(Object.keys(EXAMPLES).sort());
  for (const name of files) {
    const lines = readFileSync(join(root, "examples", name), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines.length, name).toBeLessThanOrEqual(MOST_LINES);
  }
});

for (const [name, example] of Object.entries(EXAMPLES)) {
  const reason = missing(example);
  test(`${name} runs${reason ? ` (skipped: ${reason})` : ""}`, { skip: reason !== undefined }, async () => {
    const path = join(root, "examples", `${name}.ts`);
    const { code } = await transformWithOxc(readFileSync(path, "utf8"), path);
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code);
    const env = {
      ...process.env,
      ...(example.model && { SLUICE_MODEL: dataPath("models", "minilm-l6-v2") }),
    };
    const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toMatch(example.prints);
  });
}
