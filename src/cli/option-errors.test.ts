// Errors about options of the library name the flag that the user typed: --boost, and not boosts; --k1, and not bm25.k1.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandLine } from "../../test/helpers/command-line.ts";
import { COMMANDS } from "./commands/command-groups.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-flags-"));
const [index, documents] = [join(folder, "index"), join(folder, "documents.jsonl")];

beforeAll(async () => {
  writeFileSync(documents, '{"id": "1", "text": "a lock", "year": 1900}\n{"id": "2", "text": "a canal"}\n');
  expect((await commandLine(["index", index, documents, "--encoder", "none"])).status).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Commands with what they take besides the flag. Their flags name no files, except those in FILES. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  search: [index, "lock"],
  explain: [index, "lock", "1"],
  "explain-query": [index, "lock"],
  suggest: [index, "lock"],
  list: [index],
  delete: [index],
  add: [index, documents, "--upsert"],
  index: [join(folder, "new"), documents, "--overwrite", "--encoder", "none"],
  "export-web": [index, join(folder, "web")],
  run: [index, "--queries", documents, "--out", join(folder, "run")],
};
const FILES = new Set(
  [
    "synonyms",
    "encoder",
    "query-encoder",
    "description",
    "rerank-model",
    "html",
    "queries",
    "query-vectors",
    "out",
  ].concat(["jsonl", "vectors", "beir", "keep", "ids", "stop-words", "protected-words", "lexical", "split"]),
);
/** Flags whose values name something in documents or in the index; an error says what is not there. */
const NAMES = new Set(["id", "text", "title", "like", "after"]);

const VALUES = [
  "",
  "-1",
  "x",
  "1e99",
  "[1]",
  '{"id": 1}',
  '[{"fild": "year"}]',
  '[{"field": "year", "limit": 0}]',
].concat(
  ['[{"field": "year", "ranges": [{"lt": true}]}]', '{"field": ""}', '{"field": "year", "decay": "x"}', "id"],
  ["title=-1", "title=0", "nosuch=1", "year:up", '{"not": 3}', '{"year": {"near": 3}}', '{"votes": "x"}'],
);

test.each(Object.keys(CALLS))("every flag of sluice %s is named by its errors", async (name) => {
  const { flags } = COMMANDS.find((command) => command.name === name)!;
  const tried = Object.keys(flags).filter(
    (flag) => flags[flag].type === "string" && !FILES.has(flag) && !NAMES.has(flag),
  );
  let errors = 0;
  for (const flag of tried) {
    // Two commands write an index each time. They take no JSON.
    for (const value of name === "index" || name === "add" ? VALUES.slice(0, 4) : VALUES) {
      const { status, err } = await commandLine([name, ...CALLS[name], `--${flag}=${value}`]);
      if (status === 0) continue;
      errors++;
      expect([flag, value, status, err.split("\n")[0]]).toEqual([
        flag,
        value,
        2,
        expect.stringContaining(`--${flag}`),
      ]);
    }
  }
  expect(errors).toBeGreaterThan(0);
});

test.each([
  [["search", "--lambda=-1"], "--lambda must be a number from 0 to 1000000, not -1"],
  [["search", "--group-by="], '--group-by is "", expected the name of a field'],
  [["search", '--facets=[{"field": "year", "limit": 0}]'], "--facets[0].limit must be"],
  [["search", '--facets=[{"field": "year", "ranges": [{"lt": true}]}]'], "--facets[0].ranges[0].lt is true"],
  [["search", '--filter={"id": "1"}'], '--filter.id: "id" is not among the fields that can be filtered'],
  [["search", '--boost={"field": ""}'], '--boost[0].field must be a text, not ""'],
  [["search", "--field-weights=title=2"], "--field-weights need text fields"],
  [["index", "--k1=-1"], "--k1 must be a number of at least 0, not -1"],
  [["index", "--b=2"], "--b must be a number from 0 to 1, not 2"],
])("%j", async ([name, flag], message) => {
  const { err } = await commandLine([name, ...CALLS[name], flag]);
  expect(err).toContain(`sluice: ${message}`);
});

test("a file of synonyms has no empty words, and a field has one weight", async () => {
  const file = join(folder, "synonyms.txt");
  for (const line of ["a, => b", "a, b,", "a => b,", ", a, b", "=> b"]) {
    writeFileSync(file, `${line}\n`);
    const { err } = await commandLine(["search", index, "x", "--synonyms", file]);
    expect([line, err]).toEqual([line, expect.stringContaining(`${file}:1: `)]);
  }
  const { err } = await commandLine(["search", index, "x", "--field-weights", "title=1,title=2"]);
  expect(err).toContain('--field-weights names a field twice: "title=1,title=2"');
});
