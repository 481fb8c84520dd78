// The figures of a bench are read out of its tables.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { figuresOf, keptFigures } from "../../bench/support/figures.ts";

const bench = fileURLToPath(new URL("../../bench", import.meta.url));
const readme = readFileSync(join(bench, "README.md"), "utf8");
/** The names of all benches, as their files say. */
const NAMES = readdirSync(bench)
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => [...readFileSync(join(bench, file), "utf8").matchAll(/^ {2}name: "([\w-]+)",$/gm)])
  .map(([, name]) => name);

test("a figure is named by its heading, the texts of its row, and its column", () => {
  const printed = `Some words.

## acl: 63,023 passages

|            | kind   | top 10: p50 ms | agreement | top 1000: p50 ms | agreement |
| ---------- | -----: | -------------: | --------: | ---------------: | --------: |
| sluice sum | hybrid |          0.93* |  0.9990 L |             4.32 |    1.0000 |
| orama      | hybrid |              – |    0.5000 |         1,234.50 |    0.5000 |`;
  expect(Object.fromEntries(figuresOf(printed))).toEqual({
    "acl, sluice sum, hybrid, top 10: p50 ms": 0.93,
    "acl, sluice sum, hybrid, top 10: agreement": 0.999,
    "acl, sluice sum, hybrid, top 1000: p50 ms": 4.32,
    "acl, sluice sum, hybrid, top 1000: agreement": 1,
    "acl, orama, hybrid, –, top 10: agreement": 0.5,
    "acl, orama, hybrid, –, top 1000: p50 ms": 1234.5,
    "acl, orama, hybrid, –, top 1000: agreement": 0.5,
  });
});

test("a number at the start of a row names it, unless there is one row", () => {
  const rows = "| documents | p50 |\n| --- | --- |\n| 500,000 | 6.0 |\n| 1,000,000 | 12.0 |";
  expect([...figuresOf(rows)]).toEqual([
    ["500,000, p50", 6],
    ["1,000,000, p50", 12],
  ]);
  expect([...figuresOf("| requests | p99 |\n| --- | --- |\n| 620 | 31 |")]).toEqual([
    ["requests", 620],
    ["p99", 31],
  ]);
});

test("the README of benches lists every bench and every kept run", () => {
  const listed = [...readme.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name);
  expect(listed).toEqual([...NAMES].sort());
  for (const file of readdirSync(join(bench, "runs")).filter((name) => name.endsWith(".md")))
    expect(readme).toContain(`(runs/${file})`);
});

test.each(NAMES.filter((name) => existsSync(join(bench, `runs/${name}.md`))))(
  "the kept run of %s has a command, a date, and its figures as JSON",
  (name) => {
    const json = readFileSync(join(bench, `runs/${name}.json`), "utf8");
    expect(json).toBe(keptFigures(name, readFileSync(join(bench, `runs/${name}.md`), "utf8")));
    const { runs, figures } = JSON.parse(json);
    expect(runs.length).toBeGreaterThan(0);
    expect(Object.keys(figures).length).toBeGreaterThan(0);
  },
);
