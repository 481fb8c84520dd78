// Reads a BEIR folder (corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv) into documents, queries and judgments.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileDocument } from "../../documents/document.ts";
import { readQueries, type TextQuery } from "../../read/queries.ts";
import { type ReadOptions, readDocuments } from "../../read/stream/line-documents.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Qrels } from "./judgments.ts";
import { readQrels } from "./trec.ts";

/** Reads the documents: one {"_id", "title", "text"} object per line. */
export function readBeirCorpus(folder: string, options?: ReadOptions): AsyncGenerator<FileDocument> {
  return readDocuments(join(folder, "corpus.jsonl"), options);
}

/** Reads the judgments of one split. */
export async function readBeirQrels(folder: string, split = "test"): Promise<Qrels> {
  const qrels = join(folder, "qrels");
  const splits = (await readdir(qrels).catch(() => [] as string[])).filter((name) => name.endsWith(".tsv"));
  if (!splits.includes(`${split}.tsv`)) {
    const names = splits.map((name) => name.slice(0, -4)).sort();
    throw new SluiceError(
      `${join(qrels, `${split}.tsv`)}: no judgments for the split "${split}"`,
      names.length > 0 ? `there are: ${names.join(", ")}` : "a BEIR folder has qrels/SPLIT.tsv",
    );
  }
  return readQrels(join(qrels, `${split}.tsv`));
}

/** Reads the queries that have judgments in the split, in the order of the file. */
export async function readBeirQueries(folder: string, qrels: Qrels): Promise<TextQuery[]> {
  const queries: TextQuery[] = [];
  for await (const query of readQueries(join(folder, "queries.jsonl")))
    if (qrels.has(query.id)) queries.push(query);
  if (queries.length < qrels.size) {
    const ids = new Set(queries.map(({ id }) => id));
    const missing = [...qrels.keys()].find((id) => !ids.has(id));
    throw new SluiceError(`${folder}: the judged query ${JSON.stringify(missing)} is not in queries.jsonl`);
  }
  return queries;
}
