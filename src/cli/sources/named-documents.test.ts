import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandLine } from "../../../test/helpers/command-line.ts";

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
  expect(await hits(at("a"), "locks for boats")).toEqual(["docs/canal.md#1"]);
  expect(await hits(at("a"), "canals")).toEqual(["docs/canal.md#1", "docs/canal.md#2"]);

  writeFileSync(at("rows.csv"), "key,abstract,year\nr1,Steam ships,1838\nr2,Steam trains,1825\n");
  const added = await sluice("add", at("a"), at("rows.csv"), "--id", "key", "--text", "abstract", "--json");
  expect(JSON.parse(added.out)).toMatchObject({ added: 2, docs: 4 });
  expect(await hits(at("a"), "steam", "--filter", '{"year": {"lt": 1830}}')).toEqual(["r2"]);
});

describe("standard input", () => {
  const documents = [
    { id: "a", text: "Steam ships" },
    { id: "b", text: "Steam trains" },
  ];
  const lines = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  const ids = ["a", "b"];

  test.each([
    ["JSON Lines", lines, []],
    ["a JSON array", JSON.stringify(documents, null, 2), []],
    ["CSV", "id,text\na,Steam ships\nb,Steam trains\n", []],
    ["TSV with a header", "id\ttext\na\tSteam ships\nb\tSteam trains\n", []],
    ["id TAB text", "a\tSteam ships\nb\tSteam trains\n", []],
    [
      "CSV with other names",
      "key;abstract\na;Steam ships\nb;Steam trains\n",
      ["--id", "key", "--text", "abstract"],
    ],
  ])("%s becomes an index, and is added to one", async (name, input, flags) => {
    const index = at(`stdin ${name}`);
    const built = await commandLine(["index", index, "-", ...flags, "--encoder", "none"], { input });
    expect(built).toMatchObject({ status: 0, err: "" });
    expect((await hits(index, "steam")).sort()).toEqual(ids);
    const again = await commandLine(["add", index, "-", ...flags, "--upsert", "--json"], { input });
    expect(JSON.parse(again.out)).toMatchObject({ added: 2, docs: 2 });
  });

  test("--format gives the format, --jsonl reads it as well; an unknown format is an error", async () => {
    const index = at("stdin formats");
    const text = { input: "# Canals\n\nA lock raises boats.\n" };
    const asked = await commandLine(["index", index, "-", "--encoder", "none"], text);
    expect(asked).toMatchObject({
      status: 2,
      err: 'sluice: stdin: cannot tell its format by its first line, "# Canals"\n  say it with --format\n',
    });
    await commandLine(["index", index, "-", "--format", "markdown", "--encoder", "none"], text);
    await commandLine(["add", index, "--jsonl", "-"], { input: lines });
    expect((await hits(index, "boats")).concat((await hits(index, "steam")).sort())).toEqual([
      "stdin#1",
      ...ids,
    ]);
  });

  test("queries: one per line for search, with ids for run; ids for delete", async () => {
    const index = at("stdin queries");
    await commandLine(["index", index, "-", "--encoder", "none"], { input: lines });
    const asked = await commandLine(["search", index, "-", "--json"], { input: "ships\n\n trains \n" });
    const answers = asked.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ query, hits }) => [query, hits[0].id])).toEqual([
      ["ships", "a"],
      ["trains", "b"],
    ]);
    const { out } = await commandLine(["search", index, "-"], { input: "ships\ntrains" });
    expect(out).toMatch(/^ships\n {2}1 .* a\n[\s\S]*\ntrains\n {2}1 .* b\n/);
    for (const input of [
      "q1\tships\nq2\ttrains\n",
      '[{"id": "q1", "text": "ships"}, {"id": "q2", "text": "trains"}]',
    ]) {
      const run = await commandLine(["run", index, "--queries", "-", "--out", at("stdin.trec")], { input });
      expect(run).toMatchObject({ status: 0, err: "" });
      const ranked = readFileSync(at("stdin.trec"), "utf8").trim().split("\n");
      expect(ranked.map((line) => line.split(" ")).map(([query, , id]) => [query, id])).toEqual([
        ["q1", "a"],
        ["q2", "b"],
      ]);
    }
    const deleted = await commandLine(["delete", index, "--ids", "-", "--json"], { input: "a\n" });
    expect(JSON.parse(deleted.out)).toMatchObject({ deleted: 1, docs: 1 });
  });

  test("Ctrl-C ends the wait for input", async () => {
    const waiting = async function* () {
      yield Buffer.from(lines);
      await new Promise(() => {});
    };
    const interrupted = commandLine(["index", at("waiting"), "-", "--encoder", "none"], { input: waiting() });
    const signal = setInterval(() => process.emit("SIGINT"), 20);
    expect(await interrupted.finally(() => clearInterval(signal))).toMatchObject({ status: 130 });
    expect(existsSync(at("waiting"))).toBe(false);
  });
});

test("a .json file with an array", async () => {
  writeFileSync(at("array.json"), '[{"id": "a", "text": "Steam ships"},\n{"id": "b"}]');
  const failed = await sluice("index", at("array"), at("array.json"), "--encoder", "none");
  expect(failed).toMatchObject({
    status: 2,
    err: expect.stringContaining('array.json:2 (element 2): no "text"'),
  });
  writeFileSync(
    at("array.json"),
    '[{"id": "a", "text": "Steam ships"},\n{"id": "b", "text": "Steam trains"}]',
  );
  expect(await sluice("index", at("array"), at("array.json"), "--encoder", "none")).toMatchObject({
    status: 0,
  });
  expect((await hits(at("array"), "steam")).sort()).toEqual(["a", "b"]);
});

describe("two folders with a file of the same name", () => {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    return at(path);
  };
  write("same/docs/README.md", "Water in docs.\n");
  write("same/notes/README.md", "Water in notes.\n");
  const [docs, notes] = [at("same", "docs"), at("same", "notes")];
  const both = ["docs/README.md#1", "notes/README.md#1"];

  test("index, add and add --upsert keep both", async () => {
    const together = await sluice("index", at("together"), docs, notes, "--encoder", "none");
    expect(together).toMatchObject({ status: 0, err: "" });
    expect((await hits(at("together"), "water")).sort()).toEqual(both);
    for (const flags of [[], ["--upsert"]]) {
      const index = at(`one by one ${flags}`);
      expect((await sluice("index", index, docs, "--encoder", "none")).out).toContain(": 1 document in");
      const { out } = await sluice("add", index, notes, "--json", ...flags);
      expect(JSON.parse(out)).toMatchObject({ added: 1, docs: 2 });
      expect((await hits(index, "water")).sort()).toEqual(both);
    }
  });

  test("a file that became shorter loses its own passages, not those of the other", async () => {
    const index = at("shorter");
    await sluice("index", index, docs, "--encoder", "none");
    write("same/notes/README.md", "# A\n\nWater.\n\n# B\n\nWater.\n");
    await sluice("add", index, notes, "--upsert");
    write("same/notes/README.md", "");
    const { out } = await sluice("add", index, notes, "--upsert", "--json");
    expect(JSON.parse(out)).toMatchObject({ added: 0, replaced: 0, deleted: 2, docs: 1 });
    write("same/notes/README.md", "Water in notes.\n");
  });

  test.each([
    ["index", []],
    ["add", []],
    ["add", ["--upsert", "--commit-every", "1"]],
  ])("%s %j refuses two files whose ids would be the same", async (command, flags) => {
    const index = at(`refused ${command} ${flags}`);
    if (command === "add")
      await sluice("index", index, at("rows.csv"), "--encoder", "none", "--id", "key", "--text", "abstract");
    const files = [join(docs, "README.md"), join(notes, "README.md")];
    const encoder = command === "index" ? ["--encoder", "none"] : [];
    const { status, err } = await sluice(command, index, ...files, ...flags, ...encoder);
    expect(status).toBe(2);
    expect(err).toContain(`${files[0]} and ${files[1]}: the ids of both would begin with README.md#`);
  });
});

test("a file that became shorter leaves no old passages", async () => {
  const write = (sections: number) =>
    writeFileSync(
      at("sections.md"),
      Array.from({ length: sections }, (_, i) => `# S${i}\n\nword ${i}\n`).join("\n"),
    );
  write(5);
  await sluice("index", at("b"), at("sections.md"), "--encoder", "none");
  write(2);
  const { out } = await sluice("add", at("b"), at("sections.md"), "--upsert");
  expect(out).toMatch(/: 2 documents added in .*, 5 replaced, 2 in all/);
  expect((await hits(at("b"), "word")).sort()).toEqual(["sections.md#1", "sections.md#2"]);
  write(0);
  const emptied = await sluice("add", at("b"), at("sections.md"), "--upsert", "--json");
  expect(JSON.parse(emptied.out)).toMatchObject({ added: 0, replaced: 0, deleted: 2, docs: 0 });
});

test("with --commit-every and --vectors, a file without words loses its passages", async () => {
  const files = ["s1.md", "s2.md", "s3.md"].map((name) => at(name));
  for (const file of files) writeFileSync(file, "# S\n\nword\n");
  const vectors = at("s.jsonl");
  const lines = files.map((_, i) => JSON.stringify({ id: `s${i + 1}.md#1`, vector: [i + 1, 1] }));
  writeFileSync(vectors, lines.join("\n"));
  expect(await sluice("index", at("emptied"), ...files, "--vectors", vectors)).toMatchObject({
    status: 0,
    err: "",
  });
  writeFileSync(files[0], "");
  const flags = ["--vectors", vectors, "--upsert", "--commit-every", "1", "--json"];
  const { out } = await sluice("add", at("emptied"), ...files, ...flags);
  expect(JSON.parse(out)).toMatchObject({ added: 2, replaced: 2, deleted: 1, docs: 2 });
});

test("with --passages, the texts of records are cut, and a further version replaces all passages", async () => {
  const sections = (count: number) =>
    Array.from({ length: count }, (_, i) => `# Part ${i}\n\nbarge ${i}`).join("\n\n");
  const write = (count: number) =>
    writeFileSync(at("long.jsonl"), `${JSON.stringify({ id: "long", text: sections(count), year: 1900 })}\n`);
  write(3);
  writeFileSync(at("beside.md"), "# One\n\nbarge\n");
  const flags = ["--passages", "--encoder", "none"];
  const built = await sluice("index", at("long"), at("long.jsonl"), at("beside.md"), ...flags);
  expect(built).toMatchObject({ status: 0, err: "" });
  const of = (number: number) => `long#${number}`;
  const { out } = await sluice("search", at("long"), "barge", "--filter", '{"passage.of": "long"}', "--json");
  const [first] = JSON.parse(out).hits;
  expect(first.document).toMatchObject({ year: 1900, passage: { of: "long" } });
  expect((await hits(at("long"), "barge")).sort()).toEqual(["beside.md#1", of(1), of(2), of(3)]);
  write(1);
  const added = await sluice("add", at("long"), at("long.jsonl"), "--passages", "--upsert", "--json");
  expect(JSON.parse(added.out)).toMatchObject({ added: 1, replaced: 3, docs: 2 });
  const words = ["--passages", "--passage-words", "2", "--upsert", "--commit-every", "1"];
  writeFileSync(at("long.jsonl"), '{"id": "long", "text": "barge one. barge two. barge three."}\n');
  expect((await sluice("add", at("long"), at("long.jsonl"), ...words)).status).toBe(0);
  expect((await hits(at("long"), "barge")).sort()).toEqual(["beside.md#1", of(1), of(2), of(3)]);
});

describe("add --upsert of a record that was cut before, or that is cut now, leaves nothing of the other version", () => {
  const file = at("versions.jsonl");
  const write = (text: string) => writeFileSync(file, `${JSON.stringify({ id: "v", text })}\n`);
  const long = "# One\n\nbarge one\n\n# Two\n\nbarge two";
  const upsert = (index: string, ...flags: string[]) =>
    sluice("add", index, file, "--upsert", "--json", ...flags);

  test.each([[[]], [["--commit-every", "1"]]])("%j", async (flags) => {
    const index = at(`versions ${flags}`);
    write(long);
    await sluice("index", index, file, "--passages", "--encoder", "none");
    expect((await hits(index, "barge")).sort()).toEqual(["v#1", "v#2"]);

    const uncut = await upsert(index, ...flags);
    expect(JSON.parse(uncut.out)).toMatchObject({ added: 1, replaced: 2, docs: 1 });
    expect(await hits(index, "barge")).toEqual(["v"]);

    const cut = await upsert(index, "--passages", ...flags);
    expect(JSON.parse(cut.out)).toMatchObject({ added: 2, replaced: 1, docs: 2 });
    expect((await hits(index, "barge")).sort()).toEqual(["v#1", "v#2"]);
  });
});

test.each([
  [["index", "x", "a.jsonl", "--jsonl", "b.jsonl"], "PATHs exclude --jsonl and --beir"],
  [["index", "x", "--jsonl", "b", "--passage-words", "5"], "--passage-words has no effect on records"],
  [["index", "x", "b.jsonl", "--passage-words", "5"], "no effect on records without --passages"],
  [["index", "x", "b.jsonl", "--passages", "--vectors", "v.npy"], "--vectors has no effect with --passages"],
  [
    ["index", "x", "b.csv.gz", "c.json", "--passage-overlap", "5"],
    "--passage-overlap has no effect on records",
  ],
  [["index", "x", "-", "--passage-words", "5"], "--passage-words has no effect on records"],
  [
    ["index", "x", "b", "--format", "csv", "--passage-words", "5"],
    "--passage-words has no effect on records",
  ],
  [["index", "x", "nowhere.jsonl", "nowhere.md", "--passage-words", "5"], "nowhere.jsonl: no such file"],
  [
    ["index", "x", "a.txt", "--format", "word"],
    "--format is one of jsonl, json, csv, parquet, markdown, text",
  ],
  [["index", "x", "nowhere.md"], "nowhere.md: no such file"],
  [["index"], "expected DIR"],
])("%j is refused", async ([command, name, ...rest], message) => {
  const { status, err } = await sluice(command, ...(name ? [at(name)] : []), ...rest);
  expect(status).toBe(2);
  expect(err).toContain(message);
});

test("an id that is there already, and a wrong order, are refused with what the command line has", async () => {
  writeFileSync(
    at("years.jsonl"),
    '{"id":"1","text":"canal","year":1900}\n{"id":"2","text":"canal","year":1910}\n',
  );
  await sluice("index", at("years"), at("years.jsonl"), "--encoder", "none");
  const again = await sluice("add", at("years"), at("years.jsonl"));
  expect([again.status, again.err]).toEqual([
    2,
    expect.stringContaining("sluice add --upsert replaces a document"),
  ]);
  const wrong = await sluice("search", at("years"), "canal", "--sort", "year:down");
  expect([wrong.status, wrong.err]).toEqual([
    2,
    expect.stringContaining("is not an order, expected asc or desc"),
  ]);
  const { out, status } = await sluice("search", at("years"), "canal", "--sort", "year:desc", "--json");
  expect(status).toBe(0);
  expect(out.indexOf('"id":"2"')).toBeLessThan(out.indexOf('"id":"1"'));
});
