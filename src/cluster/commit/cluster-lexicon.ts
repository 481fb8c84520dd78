// The terms and statistics of a commit ↔ documents of the cluster. They are the values that a folder has in its database, with
// their checksums, so a table in memory writes and reads them.

import { WordPiece, type WordPieceOptions } from "../../analyze/analyzers/wordpiece.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Slicing } from "../../densify/slicing.ts";
import { MemoryDatabase } from "../../store/database/memory-database.ts";
import { loadRecordedAnalyzer } from "../../store/record/analyzer-record.ts";
import type { CommitRecord } from "../../store/record/commit-record.ts";
import { putSlicing, putStatistics, readSlicing, readWeighting } from "../../store/record/lexicon-record.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import type { Connection } from "../connect/connection.ts";
import type { ClusterRecord } from "./cluster-record.ts";

/** The terms in one document of the cluster. Only the last document of a vocabulary has fewer. */
const CHUNK_TERMS = 65_536;

/** The value of a table's key. */
interface LexiconDocument {
  readonly table: "records" | "vocabulary";
  readonly key: string | number;
  readonly value: string;
}

export interface ClusterLexicon {
  readonly slicing: Slicing;
  readonly weighting: Weighting;
}

/**
 * Writes the terms from `known` on, and the statistics. Returns the ids of all documents of the lexicon: first the ids of
 * `before` that stay. The first id of each chunk of terms is part of its name.
 */
export async function putLexicon(
  connection: Connection,
  generation: number,
  { slicing, weighting }: ClusterLexicon,
  known: number,
  before: readonly string[],
): Promise<string[]> {
  const database = new MemoryDatabase();
  const from = known - (known % CHUNK_TERMS); // the last chunk is written again, with the new terms
  const isLonger = known === 0 || slicing.vocabulary.size > known;
  database.write(() => {
    if (isLonger) putSlicing(database, slicing, from);
    if (weighting.kind === "bm25") putStatistics(database, weighting.statistics);
  });
  const kept = before.filter((id) => {
    const [table, key] = id.split(":");
    return table === "vocabulary" && (!isLonger || Number(key) < from);
  });
  const ids: string[] = [];
  for (const table of ["vocabulary", "records"] as const) {
    for (const { key, value } of database[table].getRange({})) {
      const id = `${table}:${key}:${generation}`;
      ids.push(id);
      await connection.ask({
        method: "PUT",
        path: `/${connection.address.name}/_doc/${encodeURIComponent(id)}`,
        body: { table, key, value: value.toString("base64") } satisfies LexiconDocument,
      });
    }
  }
  // A table of slices that is not `spread` is written once.
  const table = known > 0 ? before.filter((id) => id.startsWith("records:sliceTable:")) : [];
  return [...kept, ...table, ...ids];
}

/** Reads the terms and the statistics of a commit. `begun` is the slicing of an earlier commit. */
export async function readLexicon(
  connection: Connection,
  record: ClusterRecord,
  given: Analyzer | undefined,
  begun?: Slicing,
): Promise<ClusterLexicon> {
  const isKnown =
    begun?.settings.vocabularyFingerprint === record.settings.vocabulary &&
    begun.settings.table === record.settings.table;
  const database = new MemoryDatabase();
  const needed = record.lexicon.filter((id) => !isKnown || id.startsWith("records:"));
  for (const id of needed) {
    const found = await connection.askIfThere<{ _source: LexiconDocument }>({
      method: "GET",
      path: `/${connection.address.name}/_doc/${encodeURIComponent(id)}`,
    });
    if (!found) {
      throw new SluiceError(
        `${connection.address.text}: the cluster lacks a part of the terms and statistics, ${id}`,
        "open the index again; if this stays, build the index again",
        "ERR_SLUICE_DAMAGED",
      );
    }
    const { table, key, value } = found._source;
    database.write(() =>
      (database[table] as typeof database.records).putSync(key as string, Buffer.from(value, "base64")),
    );
  }
  const transaction = database.view();
  const like = { ...record, segments: [], nextSegment: 0 } satisfies CommitRecord;
  const slicing = isKnown ? begun! : readSlicing(database, transaction, like);
  const analyzer =
    record.analyzer.name === "wordpiece"
      ? new WordPiece(slicing.vocabulary.terms, record.analyzer.options as WordPieceOptions)
      : await loadRecordedAnalyzer(record.analyzer, given, connection.address.text);
  return { slicing, weighting: readWeighting(database, transaction, like, analyzer) };
}
