// Packs pairs and collections into one safetensors file of token ids, so that a machine without a tokenizer can train and
// evaluate:
//   npm run build && SLUICE_DATA=… node dist/bench/train/pack.js OUT.safetensors
// A list of texts is `NAME.ids` (u16, text after text, without [CLS] and [SEP]) and `NAME.lengths` (u16). Pairs have
// `SOURCE.query`, `SOURCE.passage` (each text once) and `SOURCE.positive`, the row of each query's passage (i32).
// Collections have `COLLECTION.passage` (title, space, text) and, for each split, `COLLECTION.SPLIT.query` and
// `COLLECTION.SPLIT.judgments` (i32: query row, passage row, grade).

import { readFile, writeFile } from "node:fs/promises";
import { WordPiece } from "../../src/analyze/index.ts";
import { indexedText } from "../../src/documents/document.ts";
import { readBeirCorpus, readBeirQrels, readBeirQueries } from "../../src/lab/index.ts";
import { readTextField } from "../../src/read/stream/text-field.ts";
import { parseObject } from "../../src/support/files/json.ts";
import { readLines } from "../../src/support/files/lines.ts";
import { dataPath } from "../support/bench.ts";

const SOURCES = [
  "acl-title-abstract",
  "medquad-question-answer",
  "debian-synopsis-description",
  "natural-questions-and-passages",
];
/** Collections and their splits. Splits other than "test" are used to choose λ. Nothing is trained on any of them. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  scifact: ["test", "train"],
  nfcorpus: ["test", "dev"],
  cranfield: ["test"],
  cisi: ["test"],
  med: ["test"],
};
/** Tokens of the longest texts, without [CLS] and [SEP]. */
const PASSAGE_TOKENS = 254;
const QUERY_TOKENS = 62;
/** Characters of a text that are tokenized. So many always give enough tokens; longer texts would only take time. */
const CHARACTERS = 6000;

type Numbers = Uint16Array | Int32Array;

const [out] = process.argv.slice(2);
if (!out) throw new Error("no output file given: pack.js OUT.safetensors");
const pieces = WordPiece.fromTokenizerJson(
  await readFile(dataPath("models", "minilm-l6-v2", "tokenizer.json"), "utf8"),
);
const idOf = new Map(pieces.pieces.map((piece, id) => [piece, id]));
const tensors = new Map<string, Numbers>();

function addTexts(name: string, texts: readonly string[], longest: number): void {
  const ids = texts.map((text) => {
    const terms = pieces.terms(text.slice(0, CHARACTERS)).slice(0, longest);
    return terms.map((term) => idOf.get(term) as number);
  });
  tensors.set(`${name}.ids`, Uint16Array.from(ids.flat()));
  tensors.set(
    `${name}.lengths`,
    Uint16Array.from(ids, (list) => list.length),
  );
}

for (const source of SOURCES) {
  const rowOf = new Map<string, number>();
  const [queries, positives]: [string[], number[]] = [[], []];
  for await (const line of readLines(dataPath("pairs", `${source}.jsonl.gz`))) {
    const fields = parseObject(line);
    const passage = readTextField(fields, ["positive"], line.where);
    if (!rowOf.has(passage)) rowOf.set(passage, rowOf.size);
    queries.push(readTextField(fields, ["query"], line.where));
    positives.push(rowOf.get(passage) as number);
  }
  const name = source.split("-")[0];
  addTexts(`${name}.query`, queries, QUERY_TOKENS);
  addTexts(`${name}.passage`, [...rowOf.keys()], PASSAGE_TOKENS);
  tensors.set(`${name}.positive`, Int32Array.from(positives));
  console.log(`${source}: ${queries.length} pairs, ${rowOf.size} passages`);
}

for (const [collection, splits] of Object.entries(COLLECTIONS)) {
  const folder = dataPath("collections", collection);
  const rowOf = new Map<string, number>();
  const texts: string[] = [];
  for await (const document of readBeirCorpus(folder)) {
    rowOf.set(document.id, texts.length);
    texts.push(indexedText(document, document.id));
  }
  addTexts(`${collection}.passage`, texts, PASSAGE_TOKENS);
  for (const split of splits) {
    const qrels = await readBeirQrels(folder, split);
    const queries = await readBeirQueries(folder, qrels);
    const judgments = queries.flatMap(({ id }, query) =>
      [...(qrels.get(id) ?? [])].flatMap(([doc, grade]) => {
        const row = rowOf.get(doc);
        return row === undefined ? [] : [query, row, grade];
      }),
    );
    addTexts(
      `${collection}.${split}.query`,
      queries.map(({ text }) => text),
      QUERY_TOKENS,
    );
    tensors.set(`${collection}.${split}.judgments`, Int32Array.from(judgments));
    console.log(`${collection} ${split}: ${texts.length} passages, ${queries.length} queries`);
  }
}
await writeFile(out, safetensors(tensors));

/** The file format: length of the header (u64), the header (JSON), the bytes of every tensor. */
function safetensors(all: ReadonlyMap<string, Numbers>): Buffer {
  let at = 0;
  const entries = [...all].map(([name, { byteLength, length, BYTES_PER_ELEMENT }]) => {
    const offsets = [at, at + byteLength];
    at += byteLength;
    return [name, { dtype: BYTES_PER_ELEMENT === 2 ? "U16" : "I32", shape: [length], data_offsets: offsets }];
  });
  const header = JSON.stringify(Object.fromEntries(entries));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  const bytes = [...all.values()].map((numbers) => Buffer.from(numbers.buffer));
  return Buffer.concat([size, Buffer.from(header), ...bytes]);
}
