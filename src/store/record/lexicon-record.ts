// Terms, their slices and BM25's statistics ↔ the database. Each commit appends its new terms, in chunks. A reader that has the
// first terms reads only the rest.

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Slicing } from "../../densify/slicing.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { addChecksum, packUint32s, unpackUint32s, verifyChecksum } from "../../segment/container/checksum.ts";
import { damagedError } from "../../segment/container/container-format.ts";
import { packVarints, unpackVarints } from "../../support/bytes/varints.ts";
import type { Statistics } from "../../weigh/bm25.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import type { CommitRecord } from "./commit-record.ts";
import { restoreSlicing } from "./slicing-record.ts";

const SLICE_TABLE = "sliceTable";
const STATISTICS = "statistics";
/** The most terms in a chunk of the vocabulary. */
const CHUNK_TERMS = 65_536;
const COUNTS_BYTES = 16;
const BACKSLASH = 0x5c;

/** The slicing of a commit. `begun` is the slicing of an earlier commit of the same epoch, if the caller has read it. */
export function readSlicing(
  database: Database,
  transaction: ReadTransaction,
  { settings }: CommitRecord,
  begun?: Slicing,
): Slicing {
  const { strategy } = settings;
  const knownTerms = begun?.vocabulary.size ?? 0;
  const slices: number[] = [];
  const terms = function* (): Generator<string | Uint8Array> {
    for (const { key, value } of database.vocabulary.getRange({ start: knownTerms, transaction })) {
      if (key >= settings.terms) break;
      const chunk = verifyChecksum(value, database.path, `the vocabulary from term ${key} on`);
      const count = chunk.readUInt32LE(0);
      const tableBytes = strategy === "spread" ? 4 * count : 0;
      for (const slice of unpackUint32s(chunk.subarray(4, 4 + tableBytes))) slices.push(slice);
      const json = inflateList(chunk.subarray(4 + tableBytes), database.path, key);
      // JSON.parse makes all texts at once, and puts short ones into V8's table of names, which never shrinks.
      if (json.includes(BACKSLASH)) yield* JSON.parse(json.toString()) as string[];
      else yield json;
    }
  };
  const vocabulary = begun ? begun.vocabulary.extended(terms()) : new Vocabulary(terms());
  const table = readTermTable(database, transaction, settings, begun, slices);
  return restoreSlicing(settings, vocabulary, table, database.path, begun);
}

/** The JSON of a chunk. It cannot be inflated if the record names another strategy than the one it was written with. */
function inflateList(bytes: Uint8Array, path: string, first: number): Buffer {
  try {
    return inflateRawSync(bytes);
  } catch {
    throw damagedError(path, `the vocabulary from term ${first} on cannot be unpacked`);
  }
}

function readTermTable(
  database: Database,
  transaction: ReadTransaction,
  { strategy, table }: CommitRecord["settings"],
  begun: Slicing | undefined,
  slices: readonly number[],
): Uint32Array | undefined {
  if (!table) return undefined;
  if (strategy === "spread") {
    const knownTerms = begun?.slices.length ?? 0;
    const whole = new Uint32Array(knownTerms + slices.length);
    whole.set(begun?.slices ?? []);
    whole.set(slices, knownTerms);
    return whole;
  }
  return unpackUint32s(
    verifyChecksum(database.records.get(SLICE_TABLE, { transaction }), database.path, "the table of slices"),
  );
}

/** Writes the terms from `known` on. Call it within a transaction. */
export function putSlicing(database: Database, slicing: Slicing, known: number): void {
  const { settings, vocabulary, slices, table } = slicing;
  for (let first = known; first < vocabulary.size; first += CHUNK_TERMS) {
    const length = Math.min(CHUNK_TERMS, vocabulary.size - first);
    const terms = Array.from({ length }, (_, i) => vocabulary.term(first + i));
    const count = Buffer.alloc(4);
    count.writeUInt32LE(terms.length);
    const spread = settings.strategy === "spread" ? slices.subarray(first, first + terms.length) : undefined;
    database.vocabulary.putSync(
      first,
      addChecksum(count, ...(spread ? [packUint32s(spread)] : []), deflateRawSync(JSON.stringify(terms))),
    );
  }
  if (table && settings.strategy !== "spread" && known === 0) {
    database.records.putSync(SLICE_TABLE, addChecksum(packUint32s(table)));
  }
}

function readStatistics(
  database: Database,
  transaction: ReadTransaction,
  { settings, textFields }: CommitRecord,
): Statistics {
  const bytes = verifyChecksum(
    database.records.get(STATISTICS, { transaction }),
    database.path,
    "the statistics",
  );
  const documentFrequencies = new Uint32Array(settings.terms);
  const fieldLengths = textFields?.map((_, i) => bytes.readDoubleLE(COUNTS_BYTES + 8 * i));
  unpackVarints(bytes.subarray(COUNTS_BYTES + 8 * (fieldLengths?.length ?? 0)), documentFrequencies);
  return {
    docs: bytes.readDoubleLE(0),
    length: bytes.readDoubleLE(8),
    documentFrequencies,
    ...(fieldLengths && { fieldLengths }),
  };
}

/** Call it within a transaction. */
export function putStatistics(
  database: Database,
  { docs, length, fieldLengths = [], documentFrequencies }: Statistics,
): void {
  const numbers = [docs, length, ...fieldLengths];
  const counts = Buffer.alloc(8 * numbers.length);
  for (const [i, number] of numbers.entries()) counts.writeDoubleLE(number, 8 * i);
  database.records.putSync(STATISTICS, addChecksum(counts, packVarints(documentFrequencies)));
}

/** The weighting of a commit. Statistics are of BM25 alone. */
export function readWeighting(
  database: Database,
  transaction: ReadTransaction,
  record: CommitRecord,
  analyzer: Analyzer,
): Weighting {
  if (record.lexical === "weights" || !record.bm25) return { kind: "weights", analyzer };
  const statistics = readStatistics(database, transaction, record);
  const { bm25: parameters, textFields } = record;
  return { kind: "bm25", analyzer, parameters, statistics, ...(textFields && { textFields }) };
}
