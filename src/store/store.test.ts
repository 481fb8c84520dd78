import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WordPiece } from "../analyze/wordpiece.ts";
import { DocumentTable } from "../documents/document-table.ts";
import { UsageError } from "../errors.ts";
import { readContainer } from "../segment/container.ts";
import { writeContainer } from "../segment/container-writer.ts";
import { Sluice } from "../sluice.ts";

const folder = () => mkdtempSync(join(tmpdir(), "sluice-store-"));

const DOCUMENTS = [
  { id: "a", title: "Bauhaus", text: "a school of art in Weimar, then Dessau", year: 1919 },
  { id: "b", text: "the lock and the sluice of a canal" },
  { id: "c", text: "" },
];

describe("an index file", () => {
  test.each([
    ["full", { dims: "full" }],
    ["spread", { dims: 8 }],
    ["random", { dims: 8, slicing: "random", seed: 5 }],
    ["hashed", { dims: 8, slicing: "hashed" }],
    [
      "word pieces",
      { dims: 4, slicing: "stride", analyzer: new WordPiece(["[PAD]", "[UNK]", "a", "art", "lock", "the"]) },
    ],
    ["a semantic part", { dims: 8, lambda: 2.5 }],
  ] as const)("opens as it was saved: %s", async (name, options) => {
    const documents = DOCUMENTS.map((document, i) =>
      name === "a semantic part" ? { ...document, vector: [i, -i, 0.5] } : document,
    );
    const index = await Sluice.build(documents, options);
    const path = folder();
    await index.save(path);
    const opened = await Sluice.open(path);
    const { generation: _, segments: __, ...info } = index.info();
    expect(opened.info()).toMatchObject(info);
    expect(opened.ids).toEqual(["a", "b", "c"]);
    expect(opened.document("a")).toEqual({ title: "Bauhaus", text: DOCUMENTS[0].text, year: 1919 });
    const query =
      name === "a semantic part" ? { text: "art of the lock", vector: [1, 2, 3] } : "art of the lock";
    const [before, after] = [await index.search(query), await opened.search(query)];
    expect(after.hits.map((hit) => ({ ...hit }))).toEqual(before.hits.map((hit) => ({ ...hit })));
    expect(after.hits.length).toBeGreaterThan(0);
  });

  test("every flipped byte and every shortened file is noticed, with the file's name", async () => {
    const path = folder();
    const file = join(path, "index.sluice");
    await (await Sluice.build([{ id: "x", text: "one two" }], { dims: 2 })).saveFile(file);
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] ^= 1 << (at % 8);
      writeFileSync(file, flipped);
      await expect(Sluice.open(path), `byte ${at} of ${bytes.length}`).rejects.toThrow(file);
      await expect(Sluice.open(path)).rejects.toBeInstanceOf(UsageError);
      writeFileSync(file, bytes.subarray(0, at));
      await expect(Sluice.open(path), `cut at ${at}`).rejects.toThrow(file);
    }
    writeFileSync(file, Buffer.concat([bytes, Buffer.from([0])]));
    await expect(Sluice.open(path)).rejects.toThrow("its header says");
    writeFileSync(file, bytes);
    expect((await Sluice.open(path)).size).toBe(1);
  });

  test("where there is none, the error says how to make one", async () => {
    await expect(Sluice.open(join(folder(), "nothing"), { readOnly: true })).rejects.toMatchObject({
      message: expect.stringContaining("there is no index"),
      hint: expect.stringContaining("sluice index"),
    });
    const file = join(folder(), "text.sluice");
    writeFileSync(file, "a file of twenty-four bytes and more");
    await expect(Sluice.open(file)).rejects.toThrow("not an index of Sluice");
  });
});

test("a container keeps arrays of every type, empty ones too, at multiples of 64 bytes", async () => {
  const path = join(folder(), "arrays.sluice");
  const sections = {
    a: Uint8Array.of(1, 2, 3),
    b: new Uint16Array(0),
    c: Uint16Array.of(65_535),
    d: Uint32Array.of(7, 4_000_000_000),
    e: Float32Array.of(-0.5),
  };
  await writeContainer(path, { note: "é" }, sections);
  const { meta, sections: read } = await readContainer(path);
  expect(meta).toEqual({ note: "é" });
  expect(Object.fromEntries(read)).toEqual(sections);
});

test("documents come back as they went in", () => {
  const table = new DocumentTable();
  const documents = [{}, { text: "naïve \u{1f600}" }, { nested: { list: [1, null] } }];
  for (const document of documents) table.add(document);
  const copy = new DocumentTable(table.starts, table.bytes);
  expect(documents.map((_, doc) => copy.at(doc))).toEqual(documents);
});
