// Documents encoded by one encoder and queries by another, in an index, on disk, and in a page.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/index.ts";
import { Encoder } from "../../src/encode/index.ts";
import { openEncoder } from "../../src/encode/open-encoder.ts";
import { PairedEncoder } from "../../src/encode/paired-encoder.ts";
import { packTable, quantizeTable } from "../../src/encode/static/table-file.ts";
import { Sluice } from "../../src/index.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { SPECIAL_PIECES, writeModel } from "../helpers/onnx.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-pair-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PIECES = ["insomnia", "sleep", "boat", "canal"];
/** The documents' encoder knows insomnia and boat; that of queries puts sleep and canal where these are. */
const DOCUMENT_ROWS = [1, 0, 0, 0, 0, 1, 0, 0];
const QUERY_ROWS = [1, 0, 1, 0, 0, 1, 0, 1];
const DOCUMENTS = [
  { id: "insomnia", text: "insomnia" },
  { id: "boat", text: "boat" },
];

function writeEncoder(folder: string, rows: readonly number[], description: object): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "vectors.table"), packTable(quantizeTable(Float32Array.from(rows), 2)));
  writeFileSync(join(folder, "pieces.txt"), `${PIECES.join("\n")}\n`);
  writeFileSync(join(folder, "sluice.json"), JSON.stringify({ kind: "static", ...description }));
  return folder;
}

/** A folder with an encoder of documents and its table for queries. */
async function newPair(name: string): Promise<string> {
  const folder = writeEncoder(join(root, name), DOCUMENT_ROWS, { sizes: [{ dims: 2, lambda: 3 }] });
  const { space } = await Encoder.open(folder);
  writeEncoder(join(folder, "queries"), QUERY_ROWS, { sizes: [{ dims: 2, lambda: 7 }], space });
  return folder;
}

describe("two encoders with one space", () => {
  test("documents get the vectors of one, queries those of the other", async () => {
    const documents = await newPair("both");
    const index = await Sluice.build(DOCUMENTS, { encoder: { documents, queries: "static" } });
    expect((await index.search("sleep")).hits[0]).toMatchObject({ id: "insomnia", lexical: 0 });
    expect((await index.search("canal")).hits[0]).toMatchObject({ id: "boat", lexical: 0 });
    expect(index.info()).toMatchObject({ lambda: 7, encoder: { name: "both", queries: "queries" } });
    await index.close();
    const alone = await Sluice.build(DOCUMENTS, { encoder: documents });
    expect((await alone.search("sleep")).hits).toEqual([]);
    expect(alone.info()).toMatchObject({ lambda: 3, encoder: { name: "both" } });
    expect(alone.info().encoder).not.toHaveProperty("queries");
    await alone.close();
  });

  test("given by name, only that of queries is opened before a document comes", async () => {
    const documents = join(root, "no-graph");
    const maxLength = { query: 8, passage: 8 };
    const description = { kind: "dense", pooling: "mean", normalize: true, maxLength, space: "shared" };
    writeModel(documents, { states: [[1, 0]] }, SPECIAL_PIECES, description);
    writeFileSync(join(documents, "model.onnx"), "no graph, so opening it fails");
    writeEncoder(join(documents, "queries"), QUERY_ROWS, { sizes: [{ dims: 2 }], space: "shared" });
    const pair = await openEncoder({ documents, queries: "static" });
    expect(pair.gives).toEqual({ weights: false, vector: true });
    expect(await pair.encode(["sleep"], "query")).toHaveLength(1);
    await expect(pair.encode(["sleep"], "passage")).rejects.toMatchObject({ code: "ERR_SLUICE_DAMAGED" });
    await pair.close();
  });

  test("of one folder are told apart by their dims if their spaces differ", async () => {
    const pair = { documents: "static", queries: "static:64" };
    await expect(openEncoder(pair)).rejects.toThrow(
      /static \(64 dims\) encodes into .* static \(256 dims\) into/,
    );
  });

  test("a folder records both, and a search needs only that of queries", async () => {
    const [documents, folder] = [await newPair("recorded"), join(root, "index")];
    const made = await Sluice.open(folder, { encoder: { documents, queries: "static" } });
    await made.add(DOCUMENTS);
    await made.commit();
    await made.close();
    renameSync(join(documents, "vectors.table"), join(documents, "away"));
    const index = await Sluice.open(folder);
    expect((await index.search("sleep")).hits[0].id).toBe("insomnia");
    await expect(index.add([{ id: "new", text: "boat" }])).rejects.toThrow(
      "neither model.onnx nor vectors.table",
    );
    renameSync(join(documents, "away"), join(documents, "vectors.table"));
    await index.add([{ id: "new", text: "boat" }]);
    await index.commit();
    const { hits } = await index.search("canal", { k: 2 });
    expect(hits.map(({ id }) => id).sort()).toEqual(["boat", "new"]);
    await index.close();
  });

  test("an index of one encoder takes queries of another with its space", async () => {
    const [documents, folder] = [await newPair("later"), join(root, "later-index")];
    const made = await Sluice.open(folder, { encoder: documents });
    await made.add(DOCUMENTS);
    await made.commit();
    await made.close();
    const index = await Sluice.open(folder, { encoder: { documents, queries: "static" } });
    expect((await index.search("sleep")).hits[0].id).toBe("insomnia");
    await index.close();
  });

  test("a page gets the encoder of queries, and the same hits", async () => {
    const documents = await newPair("page");
    const index = await Sluice.build(DOCUMENTS, { encoder: { documents, queries: "static" } });
    const exported = join(root, "exported");
    await index.exportWeb(exported);
    const reader = await SluiceReader.open("https://pair.example/", { fetch: folderFetch(exported) });
    for (const query of ["sleep", "canal", "insomnia boat"]) {
      const [ours, theirs] = [await index.search(query), await reader.search(query)];
      expect(theirs.hits.map(({ id, score }) => [id, score])).toEqual(
        ours.hits.map(({ id, score }) => [id, score]),
      );
    }
    await reader.close();
    await index.close();
  });

  test("open encoders stay the caller's", async () => {
    const folder = await newPair("shared");
    const [documents, queries] = [await Encoder.open(folder), await Encoder.open(join(folder, "queries"))];
    let closed = 0;
    for (const encoder of [documents, queries]) encoder.close = async () => void closed++;
    const index = await Sluice.build(DOCUMENTS, { encoder: { documents, queries } });
    await index.close();
    expect(closed).toBe(0);
    await new PairedEncoder(documents, queries).close(); // one that owns them closes both, though no document was encoded
    expect(closed).toBe(2);
  });

  test("another space, no encoder and a wrong type are refused", async () => {
    const documents = await newPair("refused");
    const other = writeEncoder(join(root, "other"), QUERY_ROWS, { dims: 2 });
    const build = (encoder: unknown) => Sluice.build(DOCUMENTS, { encoder: encoder as string });
    await expect(build({ documents, queries: other })).rejects.toMatchObject({
      message: expect.stringMatching(
        /other \(2 dims\) encodes into the space \w+, but .*refused \(2 dims\) into \w+/,
      ),
      code: "ERR_SLUICE_INVALID",
    });
    await expect(build({ documents, queries: "none" })).rejects.toThrow('encoder.queries is "none"');
    await expect(build({ documents })).rejects.toThrow("encoder.queries");
    await expect(build({ documents, queries: 7 })).rejects.toThrow("encoder.queries");
    await expect(build({ documents, querys: "static" })).rejects.toThrow("querys");
    rmSync(join(documents, "queries"), { recursive: true });
    await expect(build({ documents, queries: "static" })).rejects.toMatchObject({ code: "ERR_SLUICE_FILE" });
  });
});

test("the built-in model has a table for queries", async () => {
  const table = await Encoder.open("builtin:queries");
  const index = await Sluice.build(
    [
      { id: "insomnia", text: "insomnia" },
      { id: "lock", text: "a chamber that raises and lowers boats between two levels of water" },
      { id: "heart", text: "myocardial infarction is treated with aspirin" },
    ],
    { encoder: { documents: "builtin:vectors", queries: "static" } },
  );
  expect(index.info()).toMatchObject({ lambda: table.description.lambda, semanticDims: 384 });
  for (const [query, id] of [
    ["unable to sleep at night", "insomnia"],
    ["therapy of a heart attack", "heart"],
  ])
    expect((await index.search(query)).hits[0].id).toBe(id);
  await index.close();
});
