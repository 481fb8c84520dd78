// A collection with judged queries → its encodings by an encoder, kept in a folder, and how well an index of it ranks.

import { join } from "node:path";
import { indexedText } from "../../src/documents/document.ts";
import { type Encoder, type Encoding, encodeWithCache } from "../../src/encode/index.ts";
import type { Progress, Query, Sluice } from "../../src/index.ts";
import {
  type Evaluation,
  evaluate,
  type Qrels,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
} from "../../src/lab/index.ts";
import { dataPath } from "../support/bench.ts";

/** The hits of each query that are evaluated. */
const DEPTH = 100;

export interface JudgedCollection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly text: string }[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  readonly qrels: Qrels;
}

/** Reads a collection, with its test queries. */
export async function readJudgedCollection(name: string): Promise<JudgedCollection> {
  const folder = dataPath("collections", name);
  const documents: { id: string; text: string }[] = [];
  for await (const document of readBeirCorpus(folder))
    documents.push({ id: document.id, text: indexedText(document, document.id) });
  const qrels = await readBeirQrels(folder, "test");
  return { name, documents, queries: await readBeirQueries(folder, qrels), qrels };
}

export interface CollectionEncodings {
  readonly documents: readonly Encoding[];
  readonly queries: readonly Encoding[];
}

/** Encodes a collection, or reads what an earlier run kept in the folder. */
export async function encodeCollection(
  encoder: Encoder,
  { name, documents, queries }: JudgedCollection,
  folder: string,
): Promise<CollectionEncodings> {
  const kept = join(folder, name);
  const onProgress = ({ done, total = done }: Progress) =>
    process.stderr.write(`\r${name}: ${done} of ${total} encoded `);
  const passages = await encodeWithCache(encoder, documents, "passage", kept, "documents", { onProgress });
  const asked = await encodeWithCache(encoder, queries, "query", kept, "queries-test");
  return { documents: passages.encodings, queries: asked.encodings };
}

/** Evaluates what an index finds. Equal scores keep the order of the index, as `sluice run` writes them. */
export async function searchAndEvaluate(
  index: Sluice,
  { queries, qrels }: JudgedCollection,
  asked: readonly Query[],
  lambda: number,
  metrics: readonly string[],
): Promise<Evaluation> {
  const answers = await index.searchAll(asked, { k: DEPTH, lambda, plan: { kind: "exact" } });
  const run = new Map(
    queries.map(({ id }, i) => [id, answers[i].hits.map(({ id, score }) => ({ id, score }))]),
  );
  return evaluate(run, qrels, metrics, { rule: "stable" });
}

/** Formats a figure like .5274. */
export function figure(value: number): string {
  return value.toFixed(4).replace(/^0/, "");
}
