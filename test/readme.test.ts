// The README is right: its program is examples/quickstart.ts and runs, its commands exist, its links work, and its figures are
// those of the kept runs.

import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COMMANDS } from "../src/cli/cli.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");

// The program writes an index into its current folder. A worker thread cannot change that folder, so the test changes the path.
const folder = mkdtempSync(join(tmpdir(), "sluice-readme-"));
vi.mock("sluice", async (original) => {
  const { Sluice, ...rest } = await original<typeof import("../src/index.ts")>();
  const open = Sluice.open;
  Sluice.open = (path, options) => open.call(Sluice, join(folder, path), options);
  return { Sluice, ...rest };
});

beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

test("the program in the README is the example, and runs as its comments say", async () => {
  expect(readme).toContain(`\`\`\`ts\n${read("examples/quickstart.ts")}\`\`\``);
  await import("../examples/quickstart.ts");
  const lines = vi.mocked(console.log).mock.calls.map((words) => words.join(" "));
  expect(lines[0]).toMatch(/^3 \d\.\d\d Sluice$/);
  expect(lines[1]).toMatch(/^2 \d\.\d\d Lock$/);
  const score = Number(lines[0].split(" ")[1]);
  const sum = lines.slice(2).reduce((total, line) => total + Number(line.split(" ")[1]), 0);
  expect(sum).toBeCloseTo(score, 1);
  expect(readdirSync(join(folder, "my-index"))).toEqual(["index.mdb", "index.mdb-lock", "segments"]);
});

test("every sluice command the documents name exists", () => {
  const names = COMMANDS.map(({ name }) => name);
  for (const file of ["README.md", "ARCHITECTURE.md", "FORMAT.md", "CONTRIBUTING.md"]) {
    for (const [, name] of read(file).matchAll(/(?:^|`|-- )sluice ([a-z-]+)/gm))
      expect(names, file).toContain(name);
  }
});

test("every npm script the documents name exists", () => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const file of ["README.md", "CONTRIBUTING.md"]) {
    for (const [, name] of read(file).matchAll(/npm run (?:-s )?([a-z:]+)/g))
      expect(scripts, file).toHaveProperty(name);
  }
});

test("every link to a file leads to one", () => {
  for (const file of ["README.md", "ARCHITECTURE.md", "FORMAT.md", "CONTRIBUTING.md", "CHANGELOG.md"]) {
    for (const [, target] of read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      expect(existsSync(join(root, target)), `${file} links to ${target}`).toBe(true);
    }
  }
});

test.each([
  ["bench/runs/slicing.md", /^\| (spread|stride|full)[^|]*\|.*$/gm],
  ["bench/runs/experiments/fusion.md", /^\| (BM25 alone|embedding alone|two lists|DHR)[^|]*\|.*$/gm],
])("the README's figures are in %s", (file, pattern) => {
  const rows = [...readme.matchAll(pattern)].map(([row]) => row.split("|").map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThan(5);
  const kept = read(file).split("\n");
  for (const [, name, ...cells] of rows) {
    const matching = kept.filter((line) => line.startsWith(`| ${name} `)).join("\n");
    const figures = cells.flatMap((cell) => cell.split(" / ")).filter((figure) => figure !== "");
    for (const figure of figures) expect(matching, `${name}: ${figure}`).toContain(figure);
  }
});

test("the README's figures beside other engines are those of the kept run", () => {
  const section = readme.split("## Beside other engines")[1].split("\n## ")[0];
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
    // A star means that the time was up before all queries were done.
    const matching = kept
      .filter((line) => pattern.test(line))
      .join("\n")
      .replaceAll("*", " ");
    for (const figure of figures!) expect(matching, name).toContain(` ${figure} `);
  }
});

test("the README's figures of one thread are those of the kept run", () => {
  const rows = [...readme.matchAll(/^\| [\d,]+ +\|.*$/gm)].map(([row]) =>
    row.split("|").map((cell) => cell.trim()),
  );
  expect(rows.length).toBe(3);
  const kept = read("bench/runs/scale.md").split("\n");
  for (const [, docs, ...figures] of rows) {
    const line = kept.find((line) => line.startsWith(`| ${docs} `) && line.includes(" exact |"));
    for (const figure of figures.slice(0, 3)) expect(line).toContain(` ${figure} |`);
  }
});

test("the README's figures of a GPU are those of the kept run, rounded", () => {
  const [, section] = readme.split("## On a GPU");
  const rows = [...section.split("\n## ")[0].matchAll(/^\| (?:exact|two stages).*$/gm)].map(([row]) => row);
  expect(rows.length).toBe(5);
  const kept = new Set(
    [...read("bench/runs/gpu.md").matchAll(/\d+\.\d+/g)].map(([figure]) => Number(figure).toFixed(2)),
  );
  for (const row of rows) {
    const [, , ...cells] = row.split("|").map((cell) => cell.trim());
    for (const figure of cells.filter((cell) => cell !== "")) expect(kept, row).toContain(figure);
  }
});

test("what the README says of pages is in the kept run", () => {
  const [, told] = /^WordNet's [\d,]+ definitions are ([\s\S]*?)\(\[bench/m.exec(readme)!;
  const kept = read("bench/runs/browser.md");
  const figures = [...told.matchAll(/\d+\.\d+|\d{3}/g)].map(([figure]) => figure);
  expect(figures.length).toBe(7);
  for (const figure of figures) expect(kept).toContain(figure);
});

test("the figures of the built-in model are those of the kept run, in the README and in its card", () => {
  const kept = read("bench/runs/zero-shot.md").split("\n");
  const names: Record<string, string> = {
    BM25: "BM25",
    MiniLM: "MiniLM",
    "BM25 + MiniLM, 768 slots": "BM25 + MiniLM, DHR(768)",
    "`builtin`, 768 slots": "built-in: DHR(768)",
    "**both, 768 slots**": "built-in: DHR(768)",
    "`builtin`, 128 slots": "built-in: DHR(128)",
    "both, 128 slots": "built-in: DHR(128)",
    "weights alone, 768 slots": "built-in: DLR(768)",
    "vectors alone": "built-in: vectors",
    "`builtin:vectors`, 768 slots": "BM25 + built-in vectors, DHR(768)",
    "BM25 + vectors, 768 slots": "BM25 + built-in vectors, DHR(768)",
    "`builtin:vectors`, 128 slots": "BM25 + built-in vectors, DHR(128)",
  };
  const card = read("models/builtin/README.md").split("## Zero-shot quality")[1];
  const section = readme.split("## The built-in model")[1].split("\n## ")[0];
  let rows = 0;
  for (const line of `${section}\n${card}`.split("\n")) {
    const [, name, ...figures] = line.split("|").map((cell) => cell.trim());
    if (!names[name]) continue;
    rows++;
    const row = kept.find((each) => each.startsWith(`| ${names[name]} `))!;
    const cells = row.split("|").map((cell) => cell.trim().split("/")[0]);
    expect(figures.slice(0, 6), name).toEqual(cells.slice(2, 8));
  }
  expect(rows).toBe(14);
});
