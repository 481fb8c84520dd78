import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readFiles } from "../formats.ts";
import { guessFormat } from "../stream/sniff.ts";
import { readJsonElements } from "./json-values.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-json-"));
const at = (name: string) => join(folder, name);

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A text in pieces of these lengths, repeated. */
function* cut(text: string, lengths: readonly number[]): Generator<string> {
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length];
    yield text.slice(at, at + length);
    at += length;
  }
}

const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), { maxLength: 6 });
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

test("elements are what JSON.parse finds, in an array or in a row, wherever chunks end", async () => {
  await fc.assert(
    fc.asyncProperty(objects, lengths, fc.constantFrom(undefined, 1), async (list, pieces, indent) => {
      const array = `\n ${JSON.stringify(list, null, indent)}\r\n`;
      const row = list.map((object) => JSON.stringify(object, null, indent)).join("\n");
      for (const text of [array, row]) {
        const found = await all(readJsonElements(cut(text, pieces), "f"));
        expect(found.map((element) => JSON.parse(element.text))).toEqual(JSON.parse(JSON.stringify(list)));
        expect(found.map(({ number }) => number)).toEqual(list.map((_, i) => i + 1));
      }
    }),
  );
});

test("an object with nothing but documents is a list of them, wherever chunks end", async () => {
  await fc.assert(
    fc.asyncProperty(objects, lengths, fc.constantFrom(undefined, 1), async (documents, pieces, indent) => {
      const text = `\n ${JSON.stringify({ documents }, null, indent)} \r\n`;
      const found = await all(readJsonElements(cut(text, pieces), "f"));
      expect(found.map((element) => JSON.parse(element.text))).toEqual(JSON.parse(JSON.stringify(documents)));
    }),
  );
  const [{ where }] = await all(readJsonElements(['{\n"documents": [\n', "{}]}"], "f"));
  expect(where).toBe("f:3 (element 1)");
});

test("an object with other things in its field `documents` is itself an element", async () => {
  for (const text of [
    '{"documents": ["a", "b"], "id": "1"}',
    '{"documents": 2}',
    '{"id": 1, "documents": [{}]}',
  ])
    expect((await all(readJsonElements(cut(text, [3]), "f"))).map((element) => element.text)).toEqual([text]);
});

test("what is no list is passed on at once", async () => {
  const one = readJsonElements(
    (async function* () {
      yield '{"id":1}';
      await new Promise(() => {});
    })(),
    "f",
  );
  expect((await one.next()).value).toMatchObject({ text: '{"id":1}' });
});

test("elements know the line they begin on", async () => {
  const text = '[\n  {"a": "x\\"}\\\\"},\n\n  {"b": [\n1]}, {}\n]\n';
  expect((await all(readJsonElements(cut(text, [3]), "f.json"))).map(({ where }) => where)).toEqual([
    "f.json:2 (element 1)",
    "f.json:4 (element 2)",
    "f.json:5 (element 3)",
  ]);
});

test.each([
  ["[{}", "f:1: the array never ends"],
  ['[{"a": 1}, {"b": ', "f:1 (element 2): the object never ends"],
  ["[{},]", 'f:1: found "]" after element 1, expected an object'],
  ["[{}\n{}]", 'f:2: found "{" after element 1, expected , or ]'],
  ["[,{}]", 'f:1: found ",", expected an object or ]'],
  ['[{}, "text"]', 'f:1: found "\\"" after element 1, expected an object'],
  ["[[{}]]", 'f:1: found "[", expected an object or ]'],
  ["[{}] x", 'f:1: found "x" after element 1, expected nothing after the end of the array'],
  ["{} ,{}", 'f:1: found "," after element 1, expected an object'],
  ['{"documents": [{}]', "f:1: the object with the array never ends: no }"],
  ['{"documents": [{}], "id": 1}', 'f:1: found "," after element 1, expected } after the end of the array'],
  ['{"documents": [{}]}{}', 'f:1: found "{" after element 1, expected nothing after the end of the array'],
  ["nothing", 'f:1: found "n", expected an object'],
])("%j is refused: %s", async (text, message) => {
  await expect(all(readJsonElements([text], "f"))).rejects.toThrow(message);
});

test("a file with an array becomes documents, plain or gzip; an error names the element", async () => {
  const documents = [
    { id: "a", text: "A gate", year: 1919 },
    { id: "b", title: "B", text: "[not] {an} end" },
  ];
  writeFileSync(at("array.json"), JSON.stringify(documents, null, 2));
  writeFileSync(at("array.json.gz"), gzipSync(JSON.stringify(documents)));
  writeFileSync(at("lines.json"), documents.map((document) => JSON.stringify(document)).join("\n"));
  for (const name of ["array.json", "array.json.gz", "lines.json"])
    expect(await all(readFiles(at(name)))).toEqual(documents);

  writeFileSync(at("bad.json"), '[{"id": "a", "text": "x"},\n {"id": "b"}]');
  await expect(all(readFiles(at("bad.json")))).rejects.toThrow(/bad\.json:2 \(element 2\): no "text"/);
  writeFileSync(at("worse.json"), '[{"id": "a", "text": "x"},\n {"id": b}]');
  await expect(all(readFiles(at("worse.json")))).rejects.toThrow(
    /worse\.json:2 \(element 2\): not valid JSON/,
  );
  writeFileSync(at("array.jsonl"), "[\n{}]");
  await expect(all(readFiles(at("array.jsonl")))).rejects.toMatchObject({
    hint: expect.stringContaining("the option format to json"),
  });
});

test.each([
  ['{"id": 1, "text": "x"}\n{"id"', { format: "jsonl" }],
  ['{"id": 1, "text": "a line that is longer than what is looked at', { format: "jsonl" }],
  ['{\n "id": 1\n}', { format: "json" }],
  ['\n [{"id": 1}', { format: "json" }],
  ["[]", { format: "json" }],
  ["id,title,text\n1,", { format: "csv", delimiter: "," }],
  ['"id";"text"\n', { format: "csv", delimiter: ";" }],
  ["_id\ttitle\ttext\n", { format: "csv", delimiter: "\t" }],
  ["id\ttext\n1\tx\n", { format: "csv", delimiter: "\t" }],
  ["q1\twhere is the gate\n", { format: "jsonl" }],
  ["[1]\twhere is the gate\n", { format: "jsonl" }],
  ["", { format: "jsonl" }],
  ["PAR1\u0015", { format: "parquet" }],
  ["# A heading\n\nand text", undefined],
  ["key,abstract\n", undefined],
])("%j looks like %j", (text, format) => {
  expect(guessFormat(text)).toEqual(format);
});

test("a stream is read by its looks, or as it is told", async () => {
  const stream = (text: string | Uint8Array, pieces = [1]) => ({
    name: "stdin",
    bytes: [...cut(Buffer.from(text).toString("latin1"), pieces)].map((piece) =>
      Buffer.from(piece, "latin1"),
    ),
  });
  const ids = async (text: string | Uint8Array, options = {}) =>
    (await all(readFiles(stream(text), options))).map(({ id }) => id);
  expect(await ids('{"id": "ä", "text": "ü"}\n')).toEqual(["ä"]);
  expect(await ids('[{"id": "a", "text": "x"}, {"id": "b", "text": "x"}]')).toEqual(["a", "b"]);
  expect(await ids("id,text\n1,x\n2,y\n")).toEqual(["1", "2"]);
  expect(await ids("id\ttext\n1\tx\n2\ty\n")).toEqual(["1", "2"]);
  expect(await ids("key,abstract\n1,x\n", { id: "key", text: "abstract" })).toEqual(["1"]);
  expect(await ids("1\tx\n2\ty\n")).toEqual(["1", "2"]);
  expect(await ids(gzipSync("1\tx\n"), {})).toEqual(["1"]);
  expect(await ids("# Canals\n\nWater.\n", { format: "markdown" })).toEqual(["stdin#1"]);
  await expect(ids("# Canals\n\nWater.\n")).rejects.toMatchObject({
    problem: 'stdin: cannot tell its format by its first line, "# Canals"',
    hint: "say it with the option format",
  });
  await expect(ids("PAR1xx")).rejects.toThrow("stdin: Parquet is read from a file");
  await expect(ids('{"id": 1}\n')).rejects.toThrow('stdin:1: no "text"');
});
