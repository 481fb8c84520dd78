import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { parquetWriteFile } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import type { Document } from "../documents/document.ts";
import { type Block, cutBlocks, type PassageSize } from "../passages/cut-blocks.ts";
import { cutPassages } from "../passages/cut-passages.ts";
import { parseFrontMatter } from "../passages/markdown.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { readLines } from "../support/files/lines.ts";
import { isText, pathToName } from "./folder.ts";
import { type FileOptions, readFiles, readFilesAndEmptied } from "./formats.ts";
import { readRecords } from "./records/csv-records.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-files-"));

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const read = async (path: string, options?: FileOptions): Promise<Document[]> =>
  (await all(readFiles(path, options))).filter((one) => one.id !== undefined);

describe("CSV", () => {
  const parse = async (chunked: string[]) =>
    (await all(readRecords(chunked, "x.csv"))).map(({ fields }) => fields);

  test("what is written can be read, however it is cut into chunks", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "ü", ",", '"', "\n", "\r", " ", "🦜"),
      maxLength: 6,
    });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (rows, end, ended, size) => {
          const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
          const text = rows.map((row) => row.map(quoted).join(",")).join(end) + (ended ? end : "");
          const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
          expect(await parse(pieces)).toEqual(rows);
        },
      ),
    );
  });

  test("rows are documents, numbers are numbers, line ends stay inside quotes", async () => {
    const path = written(
      "a.csv",
      '\ufeffid,title,body,year,zip,empty\r\n1,"Bau, haus","art\r\n""and"" building",1919,04509,\r\n\r\n2,,6" nails,x,1e3,\r\n',
    );
    expect(await read(path)).toEqual([
      { id: "1", title: "Bau, haus", text: 'art\r\n"and" building', year: 1919, zip: "04509" },
      { id: "2", text: '6" nails', year: "x", zip: "1e3" },
    ]);
  });

  test("fields can be named, files gzip, delimiters others", async () => {
    const path = written("b.csv.gz", gzipSync("key;words;text\n7;red;ignored\n"));
    expect(await read(path, { id: "key", text: "words", delimiter: ";" })).toEqual([
      { id: "7", text: "red" },
    ]);
    await expect(read(path)).rejects.toThrow('b.csv.gz:1: the header is one field, "key;words;text"');
    await expect(read(path, { delimiter: ";", id: "nope" })).rejects.toThrow('b.csv.gz:2: no "nope"');
    await expect(read(path, { delimiter: ";;" })).rejects.toThrow("one character");
  });

  test.each([
    ["id,text\n1,a\n\n2,a,b\n", ":4: 3 fields, the header has 2"],
    ['id,text\n1,"a\nb\n', ":2: a quoted field of this record never ends"],
    ['id,text\n1,"a\nb"c\n', ":3: text after a closing quote"],
    ["id,id\n", ':1: the header names "id" twice'],
    ["id,,text\n", ":1: the header has no name for column 2"],
    ["name,text\n1,a\n", ':2: no "id" or "_id"'],
    ["id,year\n1,1919\n", ':2: no "text"'],
  ])("%j is refused with its line", async (text, message) => {
    await expect(read(written("bad.csv", text))).rejects.toThrow(message);
  });

  test("a column with the id that is not there: the error lists the columns", async () => {
    const hint = 'there are: "key", "headline"';
    await expect(read(written("keys.csv", "key,headline\n1,a\n"))).rejects.toMatchObject({ hint });
    const wide = Array.from({ length: 30 }, (_, i) => `c${i}`);
    const many = read(written("wide.csv", `${wide.join(",")}\n${wide.join(",")}\n`));
    await expect(many).rejects.toMatchObject({ hint: expect.stringMatching(/"c19", …$/) });
  });
});

/** Zstandard without compressing: a frame of raw blocks. */
function storedZstd(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(0xfd2fb528, 0);
  head[4] = 0xa0; // one segment, its size in four bytes
  head.writeUInt32LE(bytes.length, 5);
  const parts: Uint8Array[] = [head];
  for (let at = 0; at < bytes.length; at += 1 << 16) {
    const block = bytes.subarray(at, at + (1 << 16));
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (at + block.length === bytes.length ? 1 : 0), 0, 3);
    parts.push(header, block);
  }
  return Buffer.concat(parts);
}

describe("Parquet", () => {
  const rows = Array.from({ length: 2500 }, (_, i) => ({ id: `d${i}`, text: `text ${i}`, year: BigInt(i) }));
  const write = (name: string, options = {}) => {
    const column = (key: "id" | "text" | "year", type: string) => ({
      name: key,
      data: rows.map((row) => row[key]),
      type,
    });
    const columnData = [column("id", "STRING"), column("text", "STRING"), column("year", "INT64")];
    const filename = join(folder, name);
    parquetWriteFile({ filename, columnData, rowGroupSize: 1000, ...options } as never);
    return filename;
  };

  test("rows are documents, over row groups", async () => {
    const documents = await read(write("a.parquet"));
    expect(documents).toHaveLength(2500);
    expect(documents[2001]).toEqual({ id: "d2001", text: "text 2001", year: 2001 });
  });

  test("lists, dates and nulls", async () => {
    const filename = join(folder, "b.parquet");
    parquetWriteFile({
      filename,
      columnData: [
        { name: "docid", data: ["1", "2"], type: "STRING" },
        { name: "contents", data: ["a", "b"], type: "STRING" },
        {
          name: "vector",
          data: [
            [0.5, 1],
            [2, 3],
          ],
          type: "JSON",
        },
        { name: "at", data: [new Date(0), null], type: "TIMESTAMP", nullable: true },
        { name: "depth", data: [Number.NaN, 1.5], type: "DOUBLE" },
      ] as never,
    });
    expect(await read(filename)).toEqual([
      { id: "1", text: "a", vector: [0.5, 1], at: "1970-01-01T00:00:00.000Z" },
      { id: "2", text: "b", vector: [2, 3], depth: 1.5 },
    ]);
  });

  test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ["GZIP", (bytes) => gzipSync(bytes)],
    ["BROTLI", (bytes) => brotliCompressSync(bytes)],
    ["ZSTD", storedZstd],
  ])("%s is unpacked", async (codec, compress) => {
    const path = write(`${codec}.parquet`, { codec, compressors: { [codec]: compress } });
    expect((await read(path))[2001]).toEqual({ id: "d2001", text: "text 2001", year: 2001 });
  });

  test.each(["UNCOMPRESSED", "SNAPPY"])("texts and numbers as differences are read, %s", async (codec) => {
    const filename = join(folder, "deltas.parquet");
    const texts = rows.map(({ text }, i) => (i % 3 === 0 ? null : text));
    parquetWriteFile({
      filename,
      codec,
      columnData: [
        { name: "id", data: rows.map(({ id }) => id), type: "STRING", encoding: "DELTA_BYTE_ARRAY" },
        {
          name: "text",
          data: rows.map(({ text }) => text),
          type: "STRING",
          encoding: "DELTA_LENGTH_BYTE_ARRAY",
        },
        { name: "maybe", data: texts, type: "STRING", encoding: "DELTA_BYTE_ARRAY", nullable: true },
        { name: "year", data: rows.map(({ year }) => year), type: "INT64", encoding: "DELTA_BINARY_PACKED" },
      ],
    } as never);
    const documents = await read(filename);
    expect(documents.slice(2001, 2003)).toEqual([
      { id: "d2001", text: "text 2001", year: 2001 },
      { id: "d2002", text: "text 2002", year: 2002, maybe: "text 2002" },
    ]);
  });

  test("a page that does not describe itself is refused", async () => {
    const filename = join(folder, "page.parquet");
    parquetWriteFile({
      filename,
      columnData: [{ name: "id", data: ["a", "b", "c"], type: "STRING" }],
    } as never);
    const whole = new Uint8Array(readFileSync(filename));
    const at = whole.indexOf(0x5c, 4); // the field 8 of the first page's head: a struct
    whole[at] = 0x57; // a number with 64 bits
    await expect(read(written("page.parquet", whole))).rejects.toThrow("does not say what it holds");
  });

  test("a file that was cut short is refused", async () => {
    const whole = readFileSync(write("whole.parquet"));
    await expect(read(written("cut.parquet", whole.subarray(0, whole.length / 2)))).rejects.toThrow(
      "cut.parquet: not readable as Parquet",
    );
    const garbled = Uint8Array.from(whole);
    garbled.fill(0xff, 4, 2000);
    await expect(read(written("garbled.parquet", garbled))).rejects.toThrow(
      "garbled.parquet: rows 1 to 1000",
    );
  });

  test("a damaged number about rows, values or bytes is refused, and does not fill the memory", async () => {
    const filename = join(folder, "small.parquet");
    parquetWriteFile({
      filename,
      columnData: [
        { name: "id", data: ["a", "b", "c"], type: "STRING" },
        { name: "text", data: ["x", "y", "z"], type: "STRING" },
      ],
    } as never);
    const whole = new Uint8Array(readFileSync(filename));
    const found: string[] = [];
    // Every byte in turn becomes the first of a long number.
    for (let at = 4; at < whole.length - 8; at++) {
      const changed = Uint8Array.from(whole);
      changed.set([0xfe, 0xff, 0xff, 0x7f], at);
      const error = await read(written("number.parquet", changed)).catch((error) => error);
      if (error instanceof Error) {
        expect(error, `byte ${at}`).toBeInstanceOf(SluiceError);
        found.push(error.message);
      }
    }
    for (const what of [
      "the packed bytes of a page are",
      "the values of a page are",
      "a page ends in the middle",
    ])
      expect(found.join("\n")).toContain(what);
  });

  test("a column that is not in the schema is refused, and no other column ends the process", async () => {
    const rejected: unknown[] = [];
    const note = (error: unknown) => rejected.push(error);
    process.on("unhandledRejection", note);
    try {
      const whole = readFileSync(write("column.parquet"));
      const at = whole.lastIndexOf("year");
      const changed = Uint8Array.from(whole);
      changed[at] = 0x78; // "xear"
      changed.fill(0xff, 40, 60); // and the first column is damaged
      await expect(read(written("column.parquet", changed))).rejects.toThrow("a column is not in the schema");
      await read(write("column.parquet")); // the columns that were begun end before a whole file is read
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(rejected).toEqual([]);
  });

  test("what is not Parquet, or lacks a field, is refused", async () => {
    await expect(read(written("bad.parquet", "PAR1 no PAR1"))).rejects.toThrow(
      "bad.parquet: not readable as Parquet",
    );
    await expect(read(write("c.parquet"), { text: "body" })).rejects.toThrow('c.parquet: row 1: no "body"');
    await expect(read(join(folder, "nowhere.parquet"))).rejects.toThrow("no such file");
  });
});

const MARKDOWN = `---
title: The manual
tags: [canal, "water, deep"]
draft: false # not yet
authors:
  - Ada
  - Bob
nested:
  key: gone
---
Before any heading.

# Locks

A lock raises boats.
It has two gates.

## \`Gates\` and [paddles](x.md) {#gates}

- one
- two

\`\`\`sh
# not a heading

sluice search
\`\`\`

Setext
------
After it.

# Weirs #

`;

describe("Markdown", () => {
  test("headings, front matter, code and ids", async () => {
    const path = written("manual.md", MARKDOWN);
    const documents = await read(path);
    const placed = (place: object, first: string, last = first) => ({
      of: "manual.md",
      ...place,
      start: MARKDOWN.indexOf(first),
      end: MARKDOWN.indexOf(last) + last.length,
    });
    const shared = {
      tags: ["canal", "water, deep"],
      draft: false,
      authors: ["Ada", "Bob"],
    };
    expect(documents).toEqual([
      {
        ...shared,
        id: "manual.md#1",
        title: "The manual",
        text: "Before any heading.",
        passage: placed({ number: 1, line: 11 }, "Before any heading."),
      },
      {
        ...shared,
        id: "manual.md#2",
        title: "The manual › Locks",
        text: "A lock raises boats.\nIt has two gates.",
        passage: placed({ number: 2, heading: "Locks", line: 15 }, "A lock", "two gates."),
      },
      {
        ...shared,
        id: "manual.md#3",
        title: "The manual › Locks › Gates and paddles",
        text: "- one\n- two\n\n```sh\n# not a heading\n\nsluice search\n```",
        passage: placed({ number: 3, heading: "Gates and paddles", line: 20 }, "- one", "search\n```"),
      },
      {
        ...shared,
        id: "manual.md#4",
        title: "The manual › Locks › Setext",
        text: "After it.",
        passage: placed({ number: 4, heading: "Setext", line: 31 }, "After it."),
      },
    ]);
  });

  test("a file and a document with its text give the same passages", async () => {
    for (const name of ["indexing.md", "command-line.md"]) {
      const plain = readFileSync(join("docs/guides", name), "utf8").replace(/^---\n.*?\n---\n/s, "");
      for (const text of [plain, plain.replaceAll("\n", "\r\n")]) {
        for (const size of [{}, { words: 30, overlap: 5 }]) {
          const cut = await all(cutPassages([{ id: name, text }], size));
          expect(cut.length).toBeGreaterThan(3);
          expect(await read(written(name, text), { passages: size })).toEqual(cut);
        }
      }
    }
  });

  test("a rule at the top is no front matter, and an open fence ends with the file", async () => {
    const documents = await read(written("rule.md", "---\nwords\n\n~~~\ncode\n\nmore\n"));
    expect(documents.map(({ text }) => text)).toEqual(["words\n\n~~~\ncode\n\nmore"]);
  });

  test("code that fits is not cut, code that does not is cut between lines", async () => {
    const prose = "word ".repeat(14).trim();
    const code = `\`\`\`\n${"let x\n".repeat(6)}\`\`\``;
    const path = written("code.md", `${prose}\n\n${code}\n`);
    expect((await read(path, { passages: { words: 20 } })).map(({ text }) => text)).toEqual([prose, code]);
    const cut = (await read(path, { passages: { words: 7 } })).map(({ text }) => text as string);
    for (const text of cut.slice(2)) expect(text).toMatch(/^(```|let x)(\n(```|let x))*$/);
    expect(cut.slice(2).join("\n")).toBe(code);
  });

  test("front matter: what is a value, a list, a comment, nested", () => {
    const fields = parseFrontMatter([
      "date: 2020-01-01",
      "n: 12",
      "q: 'it''s'",
      "e: []",
      "# c",
      "__proto__:",
      "- x",
      "m: |",
      "  text",
    ]);
    expect(Object.entries(fields)).toEqual([
      ["date", "2020-01-01"],
      ["n", 12],
      ["q", "it's"],
      ["e", []],
      ["__proto__", ["x"]],
    ]);
  });
});

describe("cutting blocks", () => {
  const block = fc.record({
    text: fc
      .array(fc.constantFrom("Water flows.", "gate", "A lock is", "there!", "boats"), {
        minLength: 1,
        maxLength: 30,
      })
      .map((words) => words.join(" ")),
    lines: fc.constant([{ start: 0, number: 1 }]),
    headings: fc.constantFrom([], ["a"], ["a", "b"]),
    kind: fc.constantFrom<Block["kind"]>("prose", "lines"),
  });
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

  /** The words under each heading, as long as it lasts. */
  const sections = (pieces: readonly { headings: readonly string[]; text: string }[]) =>
    pieces.reduce<[string, string[]][]>((all, { headings, text }) => {
      const [name, last] = [headings.join("/"), all.at(-1)];
      if (last?.[0] === name) last[1].push(...words(text));
      else all.push([name, words(text)]);
      return all;
    }, []);

  test("without overlap they are the words of the text, in order, none too long, none across headings", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block), fc.integer({ min: 1, max: 20 }), async (blocks, most) => {
        const made = await all(cutBlocks(blocks, { words: most }));
        expect(made.flatMap(({ text }) => words(text))).toEqual(blocks.flatMap(({ text }) => words(text)));
        for (const { text } of made) expect(words(text).length).toBeLessThanOrEqual(most);
        expect(sections(made)).toEqual(sections(blocks));
      }),
    );
  });

  test("with overlap a passage begins with the end of the one before, in the same section", async () => {
    const blocks: Block[] = Array.from({ length: 6 }, (_, i) => ({
      text: `Number ${i} is here. And more of it.`,
      lines: [{ start: 0, number: i }],
      headings: i < 4 ? ["a"] : ["b"],
      kind: "prose",
    }));
    const texts = (await all(cutBlocks(blocks, { words: 20, overlap: 4 }))).map(({ text }) => text);
    expect(texts).toEqual([
      "Number 0 is here. And more of it.\n\nNumber 1 is here. And more of it.",
      "And more of it.\n\nNumber 2 is here. And more of it.\n\nNumber 3 is here. And more of it.",
      "Number 4 is here. And more of it.\n\nNumber 5 is here. And more of it.",
    ]);
  });

  test.each<[PassageSize, string]>([
    [{ words: 0 }, "at least 1"],
    [{ words: 10, overlap: 10 }, "below 10"],
    [{ overlap: -1 }, "below 200"],
  ])("%j is refused", async (size, message) => {
    await expect(all(cutBlocks([], size))).rejects.toThrow(message);
  });

  test("a text without a line end comes in pieces", async () => {
    const path = written("long.txt", "word ".repeat(300_000));
    const pieces = await all(readLines(path, { longest: 10_000 }));
    expect(pieces.length).toBeGreaterThan(10);
    for (const { text } of pieces) expect(text.length).toBeLessThan(200_000);
    const documents = await read(path);
    expect(documents.flatMap(({ text }) => words(text!)).length).toBe(300_000);
    for (const { text } of documents) expect(words(text!).every((word) => word === "word")).toBe(true);
  });
});

describe("folders", () => {
  test("text and Markdown are read in name order; what is left out is counted", async () => {
    const at = (name: string, content: string | Uint8Array) => written(join("tree", name), content);
    at("b.txt", "One.\n\nTwo.\n");
    at("a/z.md", "# Z\nzed\n");
    at("a/empty.md", "\n\n");
    at(".git/config.md", "hidden");
    at(".secret.txt", "hidden");
    at("picture.txt", Uint8Array.of(0x89, 0x50, 0, 1));
    at("latin.txt", Uint8Array.of(0x66, 0xfc, 0x72));
    at("code.ts", "other");
    at("rows.csv", "id,text\n1,a\n");
    symlinkSync("..", join(folder, "tree", "loop"));
    symlinkSync("b.txt", join(folder, "tree", "c.txt"));
    const skipped: string[] = [];
    const documents = await read(join(folder, "tree"), {
      onSkip: (name, why) => void skipped.push(`${why} ${name}`),
    });
    expect(documents.map(({ id, text }) => [id, text])).toEqual([
      ["tree/a/z.md#1", "zed"],
      ["tree/b.txt#1", "One.\n\nTwo."],
      ["tree/c.txt#1", "One.\n\nTwo."],
    ]);
    expect(await all(readFiles(join(folder, "tree")))).toEqual(documents);
    expect((await all(readFilesAndEmptied(join(folder, "tree"), {}))).slice(0, 2)).toEqual([
      { emptied: "tree/a/empty.md" },
      documents[0],
    ]);
    expect(skipped.sort()).toEqual([
      "binary tree/latin.txt",
      "binary tree/picture.txt",
      "hidden tree/.git",
      "hidden tree/.secret.txt",
      "other tree/code.ts",
      "other tree/loop",
      "other tree/rows.csv",
    ]);
    expect((await read(join(folder, "tree"), { format: "csv" })).map(({ id }) => id)).toEqual(["1"]);
  });

  test.each([
    ["docs", "docs"],
    ["./docs//", "docs"],
    ["docs/../notes/a.md", "notes/a.md"],
    [".", ""],
    ["./", ""],
    ["..", basename(resolve(".."))],
    ["../docs/", "docs"],
    ["..docs/a.md", "..docs/a.md"],
    [resolve("docs/"), "docs"],
    [resolve("docs/a.md"), "a.md"],
  ])("%s is called %s in ids", (path, name) => {
    expect(pathToName(path)).toBe(name);
  });

  test("ids begin with the path as given", async () => {
    const ids = (await read("./docs//guides/")).map(({ id }) => id);
    expect(ids).toContain("docs/guides/indexing.md#1");
    expect((await read("./docs/guides/indexing.md"))[0]).toMatchObject({
      id: "docs/guides/indexing.md#1",
      passage: { of: "docs/guides/indexing.md", number: 1 },
    });
  });

  test("mistakes are named", async () => {
    written("tables/a.csv", "id,text\n1,a\n");
    await expect(read(join(folder, "tables"))).rejects.toMatchObject({
      message: expect.stringContaining("no file that ends in .md"),
      hint: expect.stringContaining("the option format to csv"),
    });
    await expect(read(written("what.bin", "x"))).rejects.toThrow("unknown file ending");
    await expect(read(written("bad.txt", Uint8Array.of(0xff)))).rejects.toThrow("bad.txt: not UTF-8 text");
    await expect(read(join(folder, "nowhere"))).rejects.toThrow("no such file");
    await expect(read(written("bad.jsonl", '{"id":1,"text":"a"}\n{"id":'))).rejects.toThrow("bad.jsonl:2");
  });
});

test("a file of a folder that is no text is left out; any other error is not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-no-text-"));
  writeFileSync(join(folder, "a.md"), "plain");
  writeFileSync(join(folder, "b.md"), Uint8Array.of(0xff, 0xfe));
  writeFileSync(join(folder, "c.md"), Uint8Array.of(0x1f, 0x8b, 8, 0xf2));
  expect(await Promise.all(["a.md", "b.md", "c.md"].map((name) => isText(join(folder, name))))).toEqual([
    true,
    false,
    false,
  ]);
  // The name says what the error about an unreadable file would say: no text of a message decides.
  await expect(isText(join(folder, "not UTF-8 text.md"))).rejects.toThrow("no such file");
});

test("a stream of damaged gzip data, whose format is guessed, is refused with its name", async () => {
  const bytes = [Uint8Array.of(0x1f, 0x8b, 8, 0xf2)];
  const all = readFiles({ name: "standard input", bytes });
  await expect(all.next()).rejects.toThrow("standard input: damaged gzip data");
});

test("gzip data that is damaged in the middle is called that, not a mistake in a line", async () => {
  const lines = Array.from({ length: 4000 }, (_, i) =>
    JSON.stringify({ id: `d${i}`, text: `gate ${i * 7919}` }),
  );
  const bytes = gzipSync(`${lines.join("\n")}\n`, { level: 0 }); // stored as it is, so a changed byte is a changed letter
  bytes[bytes.indexOf('{"id":"d1500"')] = 0x78;
  await expect(read(written("damaged.jsonl.gz", bytes))).rejects.toMatchObject({
    code: "ERR_SLUICE_DAMAGED",
    message: expect.stringMatching(/damaged\.jsonl\.gz: damaged gzip data$/),
  });
  const wrong = gzipSync("not JSON, not a pair");
  await expect(read(written("whole.jsonl.gz", wrong))).rejects.toThrow("whole.jsonl.gz:1");
});

test("names of fields in other letters are suggested", async () => {
  await expect(read(written("upper.csv", "ID,Text\n1,gate\n"))).rejects.toThrow(
    'upper.csv:2: no "id" or "_id" or "docid" or "qid"; there are: "ID", "Text"; set the option id to "ID" and the option text to "Text"',
  );
  await expect(read(written("upper.jsonl", '{"id":"1","Text":"gate"}'))).rejects.toThrow(
    'set the option text to "Text"',
  );
});
