import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLine } from "../../test/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-documents-"));
const at = (...names: string[]) => join(folder, ...names);

const sluice = (...argv: string[]) => commandLine(argv);

async function hits(index: string, query: string, ...flags: string[]): Promise<string[]> {
  const { out } = await sluice("search", index, query, "--json", ...flags);
  return JSON.parse(out).hits.map(({ id }: { id: string }) => id);
}

test("a folder of Markdown, then a CSV file, in one index", async () => {
  mkdirSync(at("docs", ".git"), { recursive: true });
  writeFileSync(
    at("docs", "canal.md"),
    "# Canals\n\n## Locks\n\nA lock raises boats.\n\n## Weirs\n\nWater runs over.\n",
  );
  writeFileSync(at("docs", "image.txt"), Uint8Array.of(0, 1, 2));
  const built = await sluice("index", at("a"), at("docs"), "--dims", "full", "--encoder", "none");
  expect(built).toMatchObject({ status: 0, err: "" });
  expect(built.out).toContain("2 documents");
  expect(built.out).toContain("skipped: 1 hidden, 1 binary files\n");
  expect(await hits(at("a"), "locks for boats")).toEqual(["canal.md#1"]);
  expect(await hits(at("a"), "canals")).toEqual(["canal.md#1", "canal.md#2"]);

  writeFileSync(at("rows.csv"), "key,abstract,year\nr1,Steam ships,1838\nr2,Steam trains,1825\n");
  const added = await sluice("add", at("a"), at("rows.csv"), "--id", "key", "--text", "abstract", "--json");
  expect(JSON.parse(added.out)).toMatchObject({ added: 2, docs: 4 });
  expect(await hits(at("a"), "steam", "--filter", '{"year": {"lt": 1830}}')).toEqual(["r2"]);
});

test("a file that became shorter leaves nothing behind", async () => {
  const write = (sections: number) =>
    writeFileSync(
      at("sections.md"),
      Array.from({ length: sections }, (_, i) => `# S${i}\n\nword ${i}\n`).join("\n"),
    );
  write(5);
  await sluice("index", at("b"), at("sections.md"), "--encoder", "none");
  write(2);
  const { out } = await sluice("add", at("b"), at("sections.md"), "--upsert");
  expect(out).toContain("2 documents added or replaced");
  expect(out).toContain("3 passages deleted that files no longer have");
  expect((await hits(at("b"), "word")).sort()).toEqual(["sections.md#1", "sections.md#2"]);
  write(0);
  const emptied = await sluice("add", at("b"), at("sections.md"), "--upsert", "--json");
  expect(JSON.parse(emptied.out)).toMatchObject({ added: 0, dropped: 2, docs: 0 });
});

test.each([
  [["index", "x", "a.jsonl", "--jsonl", "b.jsonl"], "PATHs exclude --jsonl and --beir"],
  [["index", "x", "--jsonl", "b", "--chunk-words", "5"], "--chunk-words has no effect with --jsonl"],
  [["index", "x", "a.txt", "--format", "word"], "--format is one of jsonl, json, csv, parquet, markdown, text"],
  [["index", "x", "nowhere.md"], "nowhere.md: no such file"],
  [["index"], "expected DIR"],
])("%j is refused", async ([command, name, ...rest], message) => {
  const { status, err } = await sluice(command, ...(name ? [at(name)] : []), ...rest);
  expect(status).toBe(2);
  expect(err).toContain(message);
});
