// Writes the table of static_queries.py as a static encoder for queries, in the space of the model it was distilled from:
//   npm run build && node dist/bench/train/query-table.js TABLE.safetensors VOCAB.txt models/builtin
// Rows are those of models/static/pieces.txt: the pieces that a text in our scripts can have.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Encoder } from "../../src/encode/encoder.ts";
import { findPackagedFolder } from "../../src/encode/folder/packaged-encoders.ts";
import { piecesChecksum } from "../../src/encode/static/static-folder.ts";
import { packTable, quantizeTable } from "../../src/encode/static/table-file.ts";
import { readSafetensors } from "../../src/lab/train/model/safetensors.ts";

/** λ of BM25 + documents by the model + queries by the table: the best on dev queries (bench/runs/train-distill.md). */
const LAMBDA = 40;

const [file, vocabularyFile, model] = process.argv.slice(2);
if (!file || !vocabularyFile || !model) throw new Error("usage: query-table.js TABLE VOCAB.txt MODEL");
const { shape, data } = (await readSafetensors(file)).get("table")!;
const [, dims] = shape;
const rowOf = new Map(
  (await readFile(vocabularyFile, "utf8"))
    .trimEnd()
    .split("\n")
    .map((piece, row) => [piece, row]),
);
const pieces = await readFile(join(findPackagedFolder("static"), "pieces.txt"), "utf8");
const names = pieces.trimEnd().split("\n");
const numbers = new Float32Array(names.length * dims);
for (const [i, name] of names.entries()) {
  const row = rowOf.get(name);
  if (row === undefined) throw new Error(`no row for the piece ${name}`);
  numbers.set(data.subarray(row * dims, (row + 1) * dims), i * dims);
}
const documents = await Encoder.open(model === findPackagedFolder("builtin") ? "builtin:vectors" : model);
const description = {
  kind: "static",
  sizes: [{ dims, lambda: LAMBDA }],
  pieces: piecesChecksum(pieces),
  space: documents.space,
};
await documents.close();
const folder = join(model, "queries");
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "vectors.table"), packTable(quantizeTable(numbers, dims)));
await writeFile(join(folder, "pieces.txt"), pieces);
await writeFile(join(folder, "sluice.json"), `${JSON.stringify(description, null, 2)}\n`);
console.log(`${folder}: ${names.length} rows of ${dims} numbers, space ${description.space}`);
