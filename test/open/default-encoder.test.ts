// An index that nobody gave an encoder takes "static", unless its first document brings a vector or weights of its own.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Encoder } from "../../src/encode/index.ts";
import { type Document, Sluice } from "../../src/index.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-default-encoder-"));
let count = 0;
const newFolder = () => join(root, String(count++));

const TEXTS = [
  { id: "insomnia", text: "Insomnia means lying awake for hours although you are tired" },
  { id: "lock", text: "A lock raises and lowers boats between two levels of a canal" },
];
const WITH_VECTORS = TEXTS.map((document, i) => ({ ...document, vector: [i, 1] }));
const WITH_WEIGHTS = TEXTS.map(({ id }, i) => ({ id, weights: { canal: i + 1 } }));

/** Each way to make an index: in memory, in a folder, and in a folder that held another one. */
const WAYS: readonly [string, (documents: readonly Document[], options?: object) => Promise<Sluice>][] = [
  ["build", (documents, options) => Sluice.build(documents, options)],
  [
    "open",
    async (documents, options) => {
      const index = await Sluice.open(newFolder(), options);
      await index.add(documents);
      await index.commit();
      return index;
    },
  ],
  [
    "overwrite",
    async (documents, options) => {
      const folder = newFolder();
      const old = await Sluice.open(folder, { encoder: "static:64" });
      await old.add([{ id: "old", text: "old" }]);
      await old.commit();
      await old.close();
      const index = await Sluice.open(folder, { overwrite: true, ...options });
      await index.add(documents);
      await index.commit();
      return index;
    },
  ],
];

describe.each(WAYS)("%s", (_, make) => {
  test("texts are searched by words and by meaning", async () => {
    const index = await make(TEXTS);
    expect(index.info()).toMatchObject({ encoder: { name: "static" }, semanticDims: 256 });
    expect(index.info().lambda).toBe((await Encoder.open("static")).description.lambda);
    const [best] = (await index.search("unable to sleep at night")).hits;
    expect(best).toMatchObject({ id: "insomnia", lexical: 0 });
    expect(best.semantic).toBeGreaterThan(0);
    await index.close();
  });

  test("the encoder is opened once, for the settings, the documents and the queries", async () => {
    const open = vi.spyOn(Encoder, "open");
    const index = await make(TEXTS);
    await index.search("unable to sleep at night");
    expect(open.mock.calls.filter(([name]) => name === "static")).toHaveLength(1);
    open.mockRestore();
    await index.close();
  });

  test("none is BM25 alone, and so is an index of weights", async () => {
    for (const index of [
      await make(TEXTS, { encoder: "none" }),
      await make(WITH_WEIGHTS, { lexical: "weights" }),
    ]) {
      expect(index.info().encoder).toBeUndefined();
      expect(index.info()).toMatchObject({ semanticDims: 0, lambda: 1 });
      expect((await index.search("unable to sleep at night")).hits).toEqual([]);
      await index.close();
    }
  });

  test("documents with vectors keep theirs, and a text is answered by words with a notice", async () => {
    const index = await make(WITH_VECTORS);
    expect(index.info().encoder).toBeUndefined();
    expect(index.info()).toMatchObject({ semanticDims: 2, lambda: 1 });
    expect((await index.search({ text: "boats", vector: [1, 0] })).hits[0].semantic).toBe(1);
    expect((await index.search("boats")).notices).toMatchObject([{ code: "words_only" }]);
    await index.add([{ id: "more", text: "more", vector: [3, 4] }]);
    await index.close();
  });

  test("a mix is refused, and names the document", async () => {
    await expect(make([TEXTS[0], WITH_VECTORS[1]])).rejects.toMatchObject({
      message: expect.stringContaining('document "lock" has a vector, weights or termFactors of its own'),
      hint: expect.stringContaining("the first one included"),
    });
    await expect(make([WITH_VECTORS[0], TEXTS[1]])).rejects.toMatchObject({
      message: expect.stringContaining("no vector, but the documents before it have a vector with 2 dims"),
    });
  });
});

test("the first document that stays decides: one that was rolled back or failed does not", async () => {
  const index = await Sluice.open(newFolder());
  await index.add(WITH_VECTORS);
  await index.rollback();
  await expect(index.add([WITH_VECTORS[0], { id: "", text: "" }])).rejects.toThrow();
  await index.add([]);
  await index.add(TEXTS);
  await index.commit();
  expect(index.info().encoder?.name).toBe("static");
  await index.close();
  const other = await Sluice.open(newFolder());
  await other.add(TEXTS);
  await other.rollback();
  await other.add(WITH_VECTORS);
  await other.commit();
  expect(other.info()).toMatchObject({ semanticDims: 2, lambda: 1 });
  await other.close();
});

test("an index that is there keeps what it has", async () => {
  const [words, meaning] = [newFolder(), newFolder()];
  for (const [folder, encoder] of [
    [words, "none"],
    [meaning, "static"],
  ]) {
    const index = await Sluice.open(folder, { encoder });
    await index.add(TEXTS);
    await index.commit();
    await index.close();
  }
  const again = await Sluice.open(words);
  await again.add([{ id: "more", text: "unable to sleep" }]);
  await again.commit();
  expect(again.info()).toMatchObject({ semanticDims: 0 });
  await again.close();
  await (await Sluice.open(words, { encoder: "none" })).close();
  await expect(Sluice.open(words, { encoder: "static" })).rejects.toThrow("were not encoded");
  await expect(Sluice.open(meaning, { encoder: "none" })).rejects.toThrow("opened with the encoder none");
  const index = await Sluice.open(meaning);
  await expect(index.add(WITH_VECTORS.map((document) => ({ ...document, id: "new" })))).rejects.toThrow(
    "the encoder static encodes the documents of this index",
  );
  await index.close();
});

test("an encoder that was opened for a first text is closed if that text is rolled back, and vectors come", async () => {
  const index = await Sluice.open(newFolder());
  const open = vi.spyOn(Encoder, "open");
  await index.add(TEXTS);
  await index.rollback();
  const encoder = (await open.mock.results[0].value) as Encoder;
  open.mockRestore();
  const close = vi.spyOn(encoder, "close");
  await index.add(WITH_VECTORS);
  expect(close).toHaveBeenCalledOnce();
  await index.commit();
  expect(index.info().encoder).toBeUndefined();
  await index.close();
  expect(close).toHaveBeenCalledOnce();
});
