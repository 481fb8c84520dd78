import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WordPiece } from "../../src/analyze/analyzers/wordpiece.ts";
import { Container } from "../../src/segment/container/container.ts";
import { writeContainer } from "../../src/segment/container/container-writer.ts";
import { Sluice } from "../../src/sluice.ts";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";

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
    ["random", { dims: 8, slicingStrategy: "random", seed: 5 }],
    ["hashed", { dims: 8, slicingStrategy: "hashed" }],
    [
      "word pieces",
      {
        dims: 4,
        slicingStrategy: "stride",
        analyzer: new WordPiece(["[PAD]", "[UNK]", "a", "art", "lock", "the"]),
      },
    ],
    ["a semantic part", { dims: 8, lambda: 2.5 }],
  ] as const)("opens as it was saved: %s", async (name, options) => {
    const documents = DOCUMENTS.map((document, i) =>
      name === "a semantic part" ? { ...document, vector: [i, -i, 0.5] } : document,
    );
    const index = await Sluice.build(documents, { encoder: "none", ...options });
    const path = folder();
    await index.save(path);
    const opened = await Sluice.open(path, { encoder: "none" });
    const { generation: _, segments: __, ...info } = index.info();
    expect(opened.info()).toMatchObject(info);
    expect(await opened.listIds()).toEqual(["a", "b", "c"]);
    expect(await opened.document("a")).toEqual({ title: "Bauhaus", text: DOCUMENTS[0].text, year: 1919 });
    const query =
      name === "a semantic part" ? { text: "art of the lock", vector: [1, 2, 3] } : "art of the lock";
    const [before, after] = [await index.search(query), await opened.search(query)];
    expect(after.hits.map((hit) => ({ ...hit }))).toEqual(before.hits.map((hit) => ({ ...hit })));
    expect(after.hits.length).toBeGreaterThan(0);
  });

  test("where there is none, the error says how to make one", async () => {
    await expect(Sluice.open(join(folder(), "nothing"), { readOnly: true })).rejects.toMatchObject({
      message: expect.stringContaining("there is no index"),
      code: "ERR_SLUICE_NO_INDEX",
    });
    const file = join(folder(), "text.txt");
    writeFileSync(file, "a text");
    await expect(Sluice.open(file, { encoder: "none" })).rejects.toMatchObject({
      message: `${file}: is a file, expected the folder of an index`,
      code: "ERR_SLUICE_NO_INDEX",
    });
    expect(await Sluice.exists(file)).toBe(false);
  });
});

/** All arrays of a file, every byte of it checked. */
async function readAll(path: string) {
  const container = Container.open(path);
  try {
    const sections: Record<string, unknown> = {};
    for (const name of container.names) sections[name] = await container.loadSection(name);
    return { meta: container.meta, sections };
  } finally {
    container.close();
  }
}

test("every flipped byte and every shortened file is noticed, with the file's name", async () => {
  const file = join(folder(), "arrays.sluice");
  await writeContainer(file, { note: "x" }, { a: Uint8Array.of(1, 2, 3), b: Uint32Array.of(7, 8) });
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at] ^= 1 << (at % 8);
    writeFileSync(file, flipped);
    await expect(readAll(file), `byte ${at} of ${bytes.length}`).rejects.toThrow(file);
    await expect(readAll(file)).rejects.toBeInstanceOf(SluiceError);
    writeFileSync(file, bytes.subarray(0, at));
    await expect(readAll(file), `cut at ${at}`).rejects.toThrow(file);
  }
  writeFileSync(file, Buffer.concat([bytes, Buffer.from([0])]));
  await expect(readAll(file)).rejects.toThrow("its header says");
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
  const { meta, sections: read } = await readAll(path);
  expect(meta).toEqual({ note: "é" });
  expect(read).toEqual(sections);
});
