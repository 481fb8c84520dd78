// The documents keep their promises: the README's program is examples/quickstart.ts, the commands and scripts that pages name
// exist, and the figures on them are those of the kept runs. test/house/docs.test.ts runs the programs and follows the links.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands/command-groups.ts";
import { NOTICE_CODES } from "../../src/query/ask/notice.ts";
import { QUERY_PARTS } from "../../src/query/ask/query.ts";
import { SEARCH_OPTIONS } from "../../src/search/options/search-options.ts";
import { ROUTES } from "../../src/server/routes/routes.ts";
import { toHttpError } from "../../src/server/wire/http-errors.ts";
import { type ErrorCode, SluiceError } from "../../src/support/errors/sluice-error.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");
const guide = (name: string) => read(`docs/guides/${name}.md`);
/** What stands under a heading of the second level. */
const sectionOf = (text: string, heading: string) => text.split(`## ${heading}\n`)[1].split("\n## ")[0];

const PAGES = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "configs/README.md"],
  ...["guides", "reference"].flatMap((folder) =>
    readdirSync(join(root, "docs", folder)).map((name) => `docs/${folder}/${name}`),
  ),
];

test("the README is one page, and its program is the example", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  expect(readme).toContain(`\`\`\`ts\n${read("examples/quickstart.ts")}\`\`\``);
});

test("the README's tree is that of src", () => {
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const [, tree] = /^The folders of `src\/`[^`]*```\n([\s\S]*?)```/m.exec(readme)!;
  const named = tree.split("\n").flatMap((line) => line.split(/ {3,}/)[0].split(/ +/).filter(Boolean));
  expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
});

test.each(PAGES)("every sluice command that %s names exists", (page) => {
  const names = COMMANDS.map(({ name }) => name);
  for (const [, name] of read(page).matchAll(/(?:^|`|npx |-- |\| )sluice ([a-z-]+)/gm))
    expect(names).toContain(name);
});

test.each(PAGES)("every npm script that %s names exists", (page) => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const [, name] of read(page).matchAll(/npm run (?:-s )?([a-z:]+)/g))
    expect(scripts).toHaveProperty([name]);
});

test.each([
  ["bench/runs/slicing.md", /^\| (spread|stride|full)[^|]*\|.*$/gm],
  ["bench/runs/experiments/fusion.md", /^\| (BM25 alone|embedding alone|two lists|DHR)[^|]*\|.*$/gm],
])("the figures of experiments are in %s", (file, pattern) => {
  const rows = [...guide("experiments").matchAll(pattern)].map(([row]) =>
    row.split("|").map((cell) => cell.trim()),
  );
  expect(rows.length).toBeGreaterThan(5);
  const kept = read(file).split("\n");
  for (const [, name, ...cells] of rows) {
    const matching = kept.filter((line) => line.startsWith(`| ${name} `)).join("\n");
    const figures = cells.flatMap((cell) => cell.split(" / ")).filter((figure) => figure !== "");
    for (const figure of figures) expect(matching, `${name}: ${figure}`).toContain(figure);
  }
});

test("the README's figures beside other engines are those of the kept run", () => {
  const section = sectionOf(readme, "Beside other engines");
  const kept = read("bench/runs/hybrid.md").split("## acl")[1].split("\n");
  const names: Record<string, RegExp> = {
    "Sluice, exact": /^\| sluice (plan exact, sum)? /,
    "zvec, HNSW": /^\| zvec (HNSW, weight [^|]*)? +\| +(hybrid|[\d.]+) \|/,
    "SQLite FTS5 + vec": /^\| sqlite (exact dense|\()/,
    LanceDB: /^\| lancedb (exact dense)?[^|]*\| +(hybrid|[\d.]+) \|/,
  };
  for (const [name, pattern] of Object.entries(names)) {
    const row = section.split("\n").find((line) => line.startsWith(`| ${name} `));
    const figures = row
      ?.split("|")
      .slice(2, -1)
      .map((cell) => cell.trim());
    expect(figures, name).toHaveLength(6);
    // A star: the time was up before all queries were asked.
    const matching = kept
      .filter((line) => pattern.test(line))
      .join("\n")
      .replaceAll("*", " ");
    for (const figure of figures!) expect(matching, name).toContain(` ${figure} `);
  }
});

test("the figures of one thread are those of the kept run", () => {
  const rows = [...guide("plans-and-exactness").matchAll(/^\| [\d,]+ +\|.*$/gm)].map(([row]) =>
    row.split("|").map((cell) => cell.trim()),
  );
  expect(rows.length).toBe(3);
  const kept = read("bench/runs/scale.md").split("\n");
  for (const [, docs, ...figures] of rows) {
    const line = kept.find((line) => line.startsWith(`| ${docs} `) && line.includes(" exact |"));
    for (const figure of figures.slice(0, 3)) expect(line).toContain(` ${figure} |`);
  }
});

/** The plans of the GPU's guide → the rows of the kept run that they quote: ours, and PyTorch's beside it if there is one. */
const GPU_ROWS: Readonly<Record<string, readonly RegExp[]>> = {
  "exact, float16": [/^exact \| 768 \+ 128 \| 1 \|/, /^brute-force GIP \| 768 \+ 128 \|/],
  "exact, proved from bytes": [/^bytes@2000 \| 768 \+ 128 \| 1 \|/],
  "exact, proved from the heaviest slots": [/^ceiling@0.65 \| 768 \+ 128 \| 1 \|/],
  "two stages, θ 0.3, 10,000 candidates": [
    /^theta \| 768 \+ 128 \| 1 \|/,
    /^approximate GIP, columns \| 768 \+ 128 \|/,
  ],
  "exact, 64 queries at once, each": [/^exact \| 768 \+ 128 \| 64 \|/],
};

test("the figures of a GPU are those of the kept run, rounded", () => {
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const kept = read("bench/runs/gpu.md")
    .split("\n")
    .map((line) => cellsOf(line).join(" | "));
  // The time of a query stands after the plan, the dims and the batch; PyTorch's rows have no batch.
  const timeIn = (pattern: RegExp) => {
    const row = kept.find((line) => pattern.test(line))!;
    return Number(row.replace(pattern, "").split("|")[0]);
  };
  const quoted = [...sectionOf(guide("gpu"), "On a GPU").matchAll(/^\| (?:exact|two stages).*$/gm)];
  const rows = quoted.map(([line]) => cellsOf(line));
  expect(rows.map(([plan]) => plan)).toEqual(Object.keys(GPU_ROWS));
  for (const [plan, ...cells] of rows) {
    const figures = cells.filter((cell) => cell !== "");
    expect(figures, plan).toHaveLength(GPU_ROWS[plan].length);
    // The kept run has three digits, which were rounded themselves: 0.825 may be 0.82 or 0.83.
    for (const [i, pattern] of GPU_ROWS[plan].entries())
      expect(Math.abs(Number(figures[i]) - timeIn(pattern)), plan).toBeLessThan(0.00501);
  }
});

test("what is said of pages is in the kept run", () => {
  const [, told] = /^WordNet's [\d,]+ definitions are ([\s\S]*?)\(\[bench/m.exec(guide("browser"))!;
  const kept = read("bench/runs/browser.md");
  /** The last cell of a row. */
  const cellOf = (name: string) => new RegExp(`^\\| ${name} .*\\| +([\\d.]+) \\|$`, "m").exec(kept)![1];
  const [, size] = /^exported in .* ([\d.]+ MiB)$/m.exec(kept)!;
  const [, openMs] = /^opened in (\d+)\.\d+ ms/m.exec(kept)!;
  expect(told.replaceAll(/\s+/g, " ")).toBe(
    `${size} of files. They open in ${openMs} ms from empty caches. A query takes ${cellOf("tab, worker")} ms in the tab, ` +
      `with documents that were fetched before; Node takes ${cellOf("Node")} ms. The worker is ${cellOf("worker-entry.js")} KB ` +
      `compressed. Shaders (${cellOf("device-index.js")} KB) and word pieces (${cellOf("wordpiece.js")} KB) are loaded when ` +
      "they are needed ",
  );
});

test("the figures of the built-in model are those of the kept run, in the guide and in its card", () => {
  const titles: Record<string, string> = {
    BM25: "BM25",
    "`builtin:vectors`": "BM25 + built-in vectors",
    "`builtin`": "built-in",
    "`builtin:words`": "built-in words",
  };
  const rowsOf = (text: string) => {
    const rows = new Map<string, string[]>();
    for (const line of text.split("\n")) {
      const [, name = "", ...cells] = line.split("|").map((cell) => cell.trim());
      if (!rows.has(name)) rows.set(name, cells);
    }
    return rows;
  };
  const kept = rowsOf(sectionOf(read("bench/runs/zero-shot.md"), "The built-in model"));
  const card = read("models/builtin/README.md").split("## Zero-shot quality")[1];
  for (const text of [sectionOf(guide("encoders"), "The built-in model"), card]) {
    const quoted = rowsOf(text);
    for (const [name, title] of Object.entries(titles)) {
      const ndcg = kept
        .get(title)!
        .slice(0, 6)
        .map((cell) => cell.split("/")[0]);
      expect(quoted.get(name)!.slice(0, 6), name).toEqual(ndcg);
    }
  }
});

test.each(COMMANDS.map((command) => [command.name, command] as const))(
  "the reference of the command line has %s with all its flags",
  (name, { flags }) => {
    const reference = read("docs/reference/cli.md");
    expect(reference).toContain(`sluice ${name} `);
    for (const flag of Object.keys(flags)) expect(reference, name).toContain(`--${flag}`);
  },
);

test("the reference of searching lists every option, and the guide every part of a query", () => {
  const named = (table: string) => new Set([...table.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const options = named(sectionOf(read("docs/reference/search.md"), "Options"));
  expect(Object.keys(SEARCH_OPTIONS).filter((name) => !options.has(name))).toEqual([]);
  const parts = sectionOf(guide("search"), "What you can ask");
  expect(Object.keys(QUERY_PARTS).filter((name) => !new RegExp(`\\b${name}\\b`).test(parts))).toEqual([]);
});

test("the reference of HTTP has every route", () => {
  const reference = read("docs/reference/http.md");
  for (const { method, path } of Object.values(ROUTES))
    expect(reference).toContain(`${method.toUpperCase()} ${path}`);
});

test("the table of errors has every code", () => {
  const table = read("docs/reference/errors.md");
  const codes = read("src/support/errors/sluice-error.ts").match(/"ERR_SLUICE_\w+"/g)!;
  for (const quoted of codes) {
    const code = JSON.parse(quoted) as ErrorCode;
    const row = table.split("\n").find((line) => line.startsWith(`| \`${code}\``))!;
    const { status, code: told } = toHttpError(new SluiceError("no", undefined, code));
    expect(row).toMatch(new RegExp(`\\| ${status} \`${told}\` +\\|$`));
    // One word for one thing: what a client or the server's owner can fix has the library's name.
    if (status < 500 || status === 501) expect(`ERR_SLUICE_${told.toUpperCase()}`).toBe(code);
    else expect(told).toBe("unavailable");
  }
  const server = readdirSync(join(root, "src/server"), { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  expect(server.length).toBeGreaterThan(20);
  for (const file of server) {
    const source = read(`src/server/${file}`);
    for (const [, code] of source.matchAll(/(?:new HttpError\(\d+|unauthorized\(|busy\()(?:, )?"(\w+)"/g))
      expect(table, file).toContain(`\`${code}\``);
  }
});

test("the table of notices has every code, and no other", () => {
  const [, table] = read("docs/reference/errors.md").split("\n## Notices\n");
  const told = [...table.split("\n## ")[0].matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
  expect(told).toEqual([...NOTICE_CODES]);
});

/** Pages about the inside, and the folder that each is about. */
const INSIDE = {
  "ARCHITECTURE.md": "",
  "GLOSSARY.md": "src",
  "src/cluster/README.md": "src/cluster",
  "src/lab/train/README.md": "src/lab/train",
  "src/scan/webgpu/README.md": "src/scan/webgpu",
  "src/analyze/README.md": "src/analyze",
  "src/browser/README.md": "src/browser",
  "src/densify/README.md": "src/densify",
  "src/encode/README.md": "src/encode",
  "src/lab/README.md": "src/lab",
  "src/query/README.md": "src/query",
  "src/rank/README.md": "src/rank",
  "src/read/README.md": "src/read",
  "src/scan/README.md": "src/scan",
  "src/search/README.md": "src/search",
  "src/segment/README.md": "src/segment",
  "src/server/README.md": "src/server",
  "src/store/README.md": "src/store",
  "web/README.md": "web",
};

/** Sections of a page, each with the folders that its heading names: "## server/, cli/: …". */
function sectionsOf(text: string, home: string): { folders: string[]; text: string }[] {
  return text.split(/^(?=##+ )/m).map((section) => {
    const [heading] = /^##+ .*$/m.exec(section) ?? [""];
    const named = [...heading.matchAll(/([\w/-]+)\/(?=[,:])/g)].map(([, name]) => name);
    const folders = named.map((name) => (existsSync(join(root, "src", name)) ? `src/${name}` : name));
    return { folders: folders.length > 0 ? folders : [home || "src"], text: section };
  });
}

test.each(Object.entries(INSIDE))(
  "every file that %s names is in the folder of its section",
  (page, home) => {
    const below = (folder: string) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `/${name}`);
    let count = 0;
    for (const { folders, text } of sectionsOf(read(page), home)) {
      const files = folders.flatMap(below);
      for (const [, name] of text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:test\.)?(?:tsx?|mjs|md))`/g)) {
        count++;
        const isWhole = name.includes("/") && ["", "src"].some((top) => existsSync(join(root, top, name)));
        const isHere = files.some((file) => file.endsWith(`/${name}`));
        expect(isWhole || isHere, `${page}: ${name}, in ${folders.join(", ")}`).toBe(true);
      }
    }
    expect(count).toBeGreaterThan(0);
  },
);

const READMES = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith("README.md"))
  .map((name) => `src/${name}`);

test.each([...READMES, "ARCHITECTURE.md", "GLOSSARY.md", "web/README.md"])(
  "every folder that %s names exists",
  (page) => {
    const tops = ["", "src", dirname(page), ...readdirSync(join(root, "src")).map((name) => `src/${name}`)];
    for (const [, name] of read(page).matchAll(/`((?:[\w-]+\/)+)`/g))
      expect(
        tops.some((top) => existsSync(join(root, top, name))),
        `${page}: ${name}`,
      ).toBe(true);
  },
);

test("every type of the glossary's steps of a segment is in the source", () => {
  const rows = [...sectionOf(read("GLOSSARY.md"), "A segment, step by step").matchAll(/^\| `(\w+)`/gm)];
  expect(rows.length).toBeGreaterThan(10);
  const source = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => read(`src/${name}`))
    .join("\n");
  for (const [, name] of rows)
    expect(source, name).toMatch(new RegExp(`(?:interface|class|type) ${name}\\b`));
});

test("ARCHITECTURE.md is short, and has a section for every folder", () => {
  const text = read("ARCHITECTURE.md");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(350);
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const headings = [...text.matchAll(/^## .*$/gm)].join("\n");
  for (const { name } of folders) expect(headings, "headings").toMatch(new RegExp(`[ ]${name}/[,:]`));
});

test("every section of the specification that the source cites is there", () => {
  const headings = [...read("docs/reference/specification.md").matchAll(/^##+ ([\d.]+)\.? /gm)].map(
    ([, number]) => number.replace(/\.$/, ""),
  );
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".ts")))
    for (const [, cited] of read(`src/${file}`).matchAll(/specification\.md, (\d+(?:\.\d+)?)/g))
      expect(headings, file).toContain(cited);
});
