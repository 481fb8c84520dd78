// Measures the built-in model, and others of its kind, on collections it was not trained on, compared with BM25, MiniLM and
// both together.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { textOf } from "../src/documents/document.ts";
import { type Document, Encoder, type Encoding, type Query, Sluice } from "../src/index.ts";
import {
  type Evaluation,
  encodeKept,
  evaluate,
  formatTable,
  pairedTTest,
  type Qrels,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
} from "../src/lab/index.ts";
import { type Bench, dataPath } from "./bench.ts";

const COLLECTIONS = ["scifact", "nfcorpus", "cranfield", "cisi", "med"];
const METRICS = ["ndcg@10", "recall@100"];
const DEPTH = 100;
/** Weight of MiniLM's cosine, relative to BM25. data/README.md has published figures for this weight. */
const MINILM_LAMBDA = 20;
const WIDTHS = [768, 256, 128];
const STATIC_DIMS = [256, 128, 64];
/** The goals of the static encoder: mean nDCG@10 beside BM25, by dims. */
const STATIC_LEAST: Readonly<Record<number, number>> = { 256: 0.515, 128: 0.508 };
/** A difference with a p below this is significant. */
const SIGNIFICANT = 0.05;

const OPTIONS = {
  model: { type: "string", multiple: true },
  encodings: { type: "string", default: join(tmpdir(), "sluice-zero-shot") },
  only: { type: "string" },
} as const;

interface Collection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly text: string }[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  readonly qrels: Qrels;
}

/** The results of one way to search, by collection. */
interface Row {
  readonly name: string;
  readonly bytes: number[];
  readonly evaluations: Evaluation[];
}

export const zeroShot: Bench = {
  name: "zero-shot",
  flags: "[--model NAME=FOLDER ...] [--encodings FOLDER] [--only static]",
  about:
    `nDCG@10/R@100 on the test queries of ${COLLECTIONS.join(", ")}. No model was trained on them. For the built-in model and those of ` +
    "--model: the lexical part alone (DLR), the vectors alone, and both (DHR), by number of slots. Slicing is spread, the default for slots, " +
    `unless a row says stride, the paper's. BM25 + static is what --encoder static makes, with a slot for every term and vectors of 256, 128 or 64 dims. BM25 + MiniLM has rows of 768 slots and λ = ${MINILM_LAMBDA}. Bytes are those of rows and vectors. ` +
    `* is better than BM25, + is better than BM25 + MiniLM, by a paired t-test over a collection's queries, p < ${SIGNIFICANT}. ` +
    "Encodings are kept in --encodings and used again.",

  async run(print, args) {
    const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
    const named = (flags.model ?? []).map((text) => text.split("=") as [string, string]);
    const models: [string, string][] = [["built-in", "builtin"], ...named];
    const rows = new Map<string, Row>();
    const note = (name: string, bytes: number, evaluation: Evaluation) => {
      const row = rows.get(name) ?? { name, bytes: [], evaluations: [] };
      rows.set(name, row);
      row.bytes.push(bytes);
      row.evaluations.push(evaluation);
    };
    for (const name of COLLECTIONS) {
      const collection = await read(name);
      await bm25Row(collection, note);
      if (flags.only === "static") {
        await staticRows(collection, note);
        continue;
      }
      await baselines(collection, flags.encodings, note);
      for (const [title, folder] of models)
        await jointModel(collection, title, folder, flags.encodings, note);
      await staticRows(collection, note);
      console.error(`${name}: done`);
    }
    const all = [...rows.values()];
    print(`\n${table(all)}`);
    print(`\n${staticMarks(all)}`);
    print(
      `\n${comparisons(
        all,
        models.map(([title]) => title),
      )}`,
    );
  },
};

async function read(name: string): Promise<Collection> {
  const folder = dataPath("collections", name);
  const documents: { id: string; text: string }[] = [];
  for await (const document of readBeirCorpus(folder))
    documents.push({ id: document.id, text: textOf(document, document.id) });
  const qrels = await readBeirQrels(folder, "test");
  return { name, documents, queries: await readBeirQueries(folder, qrels), qrels };
}

type Note = (name: string, bytes: number, evaluation: Evaluation) => void;

async function bm25Row(collection: Collection, note: Note): Promise<void> {
  const index = await Sluice.build(collection.documents, { dims: "full" });
  const texts = collection.queries.map(({ text }) => text);
  note("BM25", bytesOf(index), await searchAndEvaluate(index, collection, texts, 1));
}

async function baselines(collection: Collection, kept: string, note: Note): Promise<void> {
  const description = {
    kind: "dense",
    pooling: "mean",
    normalize: true,
    maxLength: { query: 64, passage: 256 },
  } as const;
  const encoder = await Encoder.open(dataPath("models", "minilm-l6-v2"), { description });
  const encoded = await encodeCollection(encoder, collection, join(kept, "minilm"));
  await encoder.close();
  const texts = collection.queries.map(({ text }) => text);
  const documents = collection.documents.map((document, i) => ({ ...document, ...encoded.documents[i] }));
  const both = await Sluice.build(documents, { dims: 768 });
  const asked = texts.map((text, i) => ({ text, ...encoded.queries[i] }));
  const vectors = encoded.queries.map(({ vector }) => ({ text: "", vector: vector! }));
  note(
    "MiniLM",
    2 * encoded.queries[0].vector!.length,
    await searchAndEvaluate(both, collection, vectors, 1),
  );
  note(
    "BM25 + MiniLM, DHR(768)",
    bytesOf(both),
    await searchAndEvaluate(both, collection, asked, MINILM_LAMBDA),
  );
}

async function jointModel(
  collection: Collection,
  title: string,
  folder: string,
  kept: string,
  note: Note,
): Promise<void> {
  const encoder = await Encoder.open(folder);
  const encoded = await encodeCollection(encoder, collection, join(kept, title));
  const { vocabulary, gives } = encoder;
  await encoder.close();
  const without = (part: "weights" | "vector", list: readonly Encoding[]) =>
    list.map((encoding) => ({ ...encoding, [part]: part === "weights" ? new Map() : undefined }));
  const built = (list: readonly Encoding[], dims: number, slicing: "spread" | "stride") => {
    const documents = collection.documents.map(({ id }, i): Document => {
      const { weights = new Map<string, number>(), vector } = list[i];
      return { id, weights, ...(vector && { vector }) };
    });
    return Sluice.build(documents, { lexical: "weights", vocabulary, dims, slicing });
  };
  const asked = (list: readonly Encoding[]): Query[] =>
    list.map(({ weights = new Map<string, number>(), vector }) => ({ weights, ...(vector && { vector }) }));
  if (gives.vector) {
    const index = await built(without("weights", encoded.documents), 128, "stride");
    const queries = asked(without("weights", encoded.queries));
    const width = 2 * encoded.queries[0].vector!.length;
    note(`${title}: vectors`, width, await searchAndEvaluate(index, collection, queries, 1));
  }
  if (folder === "builtin") await besideBm25(collection, encoded, note);
  if (!gives.weights) return;
  for (const [dims, slicing] of [
    ...WIDTHS.map((dims) => [dims, "spread"] as const),
    ...WIDTHS.map((dims) => [dims, "stride"] as const),
  ]) {
    const suffix = slicing === "stride" ? ", stride" : "";
    const words = await built(without("vector", encoded.documents), dims, slicing);
    const queries = asked(without("vector", encoded.queries));
    note(
      `${title}: DLR(${dims})${suffix}`,
      bytesOf(words),
      await searchAndEvaluate(words, collection, queries, 1),
    );
    if (!gives.vector) continue;
    const index = await built(encoded.documents, dims, slicing);
    const found = await searchAndEvaluate(index, collection, asked(encoded.queries), 1);
    note(`${title}: DHR(${dims})${suffix}`, bytesOf(index), found);
  }
}

/** Measures BM25 with the built-in model's vectors: --encoder builtin:vectors. */
async function besideBm25(collection: Collection, encoded: Encodings, note: Note): Promise<void> {
  const encoder = await Encoder.open("builtin:vectors");
  const { lambda = 1 } = encoder.description;
  await encoder.close();
  const documents = collection.documents.map((document, i) => ({
    ...document,
    vector: encoded.documents[i].vector!,
  }));
  const asked = collection.queries.map(({ text }, i) => ({ text, vector: encoded.queries[i].vector! }));
  for (const dims of [768, 128]) {
    const index = await Sluice.build(documents, { dims });
    const found = await searchAndEvaluate(index, collection, asked, lambda);
    note(`BM25 + built-in vectors, DHR(${dims})`, bytesOf(index), found);
  }
}

/** Measures BM25 with the static encoder, as --encoder static makes an index of it, and its vectors alone. */
async function staticRows(collection: Collection, note: Note): Promise<void> {
  for (const dims of STATIC_DIMS) {
    const encoder = await Encoder.open(`static:${dims}`);
    const index = await Sluice.build(collection.documents, { encoder });
    const encoded = await encoder.encode(
      collection.queries.map(({ text }) => text),
      "query",
    );
    const vectors = encoded.map(({ vector }) => ({ text: "", vector: vector! }));
    note(`static(${dims})`, 2 * dims, await searchAndEvaluate(index, collection, vectors, 1));
    const texts = collection.queries.map(({ text }) => text);
    const { lambda = 1 } = encoder.description;
    const found = await searchAndEvaluate(index, collection, texts, lambda);
    note(`BM25 + static(${dims})`, bytesOf(index), found);
  }
}

/** What BM25 + static must reach: a mean nDCG@10 by dims, and more than BM25 on every collection. */
function staticMarks(rows: readonly Row[]): string {
  const of = (name: string) => rows.find((row) => row.name === name)!;
  const ndcg = ({ evaluations }: Row, at: number) => evaluations[at].means.get(METRICS[0])!;
  const lines: string[] = [];
  for (const dims of STATIC_DIMS) {
    const row = of(`BM25 + static(${dims})`);
    const least = STATIC_LEAST[dims];
    if (least !== undefined) {
      const isMet = meanOf(row) >= least;
      lines.push(
        `${isMet ? "met" : "missed"}: ${row.name}: mean ${figure(meanOf(row))}, at least ${figure(least)}`,
      );
    }
    const below = COLLECTIONS.filter((_, at) => ndcg(row, at) <= ndcg(of("BM25"), at));
    lines.push(
      below.length === 0
        ? `met: ${row.name}: above BM25 on every collection`
        : `missed: ${row.name}: not above BM25 on ${below.join(", ")}`,
    );
  }
  return lines.join("\n");
}

interface Encodings {
  readonly documents: readonly Encoding[];
  readonly queries: readonly Encoding[];
}

async function encodeCollection(
  encoder: Encoder,
  { name, documents, queries }: Collection,
  folder: string,
): Promise<Encodings> {
  const cache = join(folder, name);
  const onProgress = ({ done, total }: { done: number; total: number }) =>
    process.stderr.write(`\r${name}: ${done} of ${total} encoded `);
  const passages = await encodeKept(encoder, documents, "passage", cache, "documents", { onProgress });
  const asked = await encodeKept(encoder, queries, "query", cache, "queries-test");
  return { documents: passages.encodings, queries: asked.encodings };
}

async function searchAndEvaluate(
  index: Sluice,
  { queries, qrels }: Collection,
  asked: readonly Query[],
  lambda: number,
): Promise<Evaluation> {
  const answers = await index.searchAll(asked, { k: DEPTH, lambda, plan: { kind: "exact" } });
  const run = new Map(
    queries.map(({ id }, i) => [id, answers[i].hits.map(({ id, score }) => ({ id, score }))]),
  );
  // Equal scores keep the order of the index, as `sluice run` writes them.
  return evaluate(run, qrels, METRICS, { rule: "stable" });
}

function bytesOf(index: Sluice): number {
  const { rowBytes, docs } = index.info();
  return rowBytes / docs;
}

function table(rows: readonly Row[]): string {
  const of = (name: string) => rows.find((row) => row.name === name);
  const [words, both] = [of("BM25"), of("BM25 + MiniLM, DHR(768)")];
  const cell = (row: Row, at: number) => {
    const [ndcg, recall] = METRICS.map((metric) => figure(row.evaluations[at].means.get(metric)!));
    const beats = (other: Row | undefined) =>
      other !== undefined && isBetter(perQuery([row.evaluations[at]]), perQuery([other.evaluations[at]]));
    return `${ndcg}/${recall}${beats(words) ? "*" : ""}${beats(both) ? "+" : ""}`;
  };
  return formatTable(
    ["", ...COLLECTIONS, "mean nDCG@10", "bytes per document"],
    rows.map((row) => [
      row.name,
      ...COLLECTIONS.map((_, at) => cell(row, at)),
      figure(meanOf(row)),
      Math.round(row.bytes.reduce((a, b) => a + b, 0) / row.bytes.length).toLocaleString("en"),
    ]),
  );
}

/** Tests the paper's claims over the queries of all collections together. */
function comparisons(rows: readonly Row[], titles: readonly string[]): string {
  const [ours, ...others] = titles;
  const pairs: (readonly [string, string])[] = [
    [`${ours}: DHR(768)`, "BM25"],
    [`${ours}: DHR(768)`, "BM25 + MiniLM, DHR(768)"],
    ["BM25 + built-in vectors, DHR(768)", `${ours}: DHR(768)`],
    ["BM25 + built-in vectors, DHR(768)", "BM25 + MiniLM, DHR(768)"],
    ...STATIC_DIMS.map((dims) => [`BM25 + static(${dims})`, "BM25"] as const),
    ["BM25 + static(256)", "BM25 + static(64)"],
    ["BM25 + built-in vectors, DHR(768)", "BM25 + static(256)"],
    ...titles.flatMap((title) => [
      [`${title}: DHR(768)`, `${title}: DLR(768)`] as const,
      [`${title}: DHR(768)`, `${title}: vectors`] as const,
      [`${title}: DHR(768)`, `${title}: DHR(128)`] as const,
    ]),
    ...others.map((title) => [`${ours}: DHR(768)`, `${title}: DHR(768)`] as const),
  ];
  const of = (name: string) => rows.find((row) => row.name === name);
  return formatTable(
    ["nDCG@10 of all queries", "against", "mean", "mean", "p"],
    pairs.flatMap(([a, b]) => {
      const [first, second] = [of(a), of(b)];
      if (!first || !second) return [];
      const [ours, theirs] = [perQuery(first.evaluations), perQuery(second.evaluations)];
      const { p } = pairedTTest(ours, theirs);
      return [[a, b, figure(mean(ours)), figure(mean(theirs)), p < 0.001 ? "< .001" : figure(p)]];
    }),
  );
}

function perQuery(evaluations: readonly Evaluation[]): number[] {
  return evaluations.flatMap(({ perQuery }) => [...perQuery.get(METRICS[0])!.values()]);
}

function isBetter(ours: readonly number[], theirs: readonly number[]): boolean {
  return mean(ours) > mean(theirs) && pairedTTest(ours, theirs).p < SIGNIFICANT;
}

function meanOf({ evaluations }: Row): number {
  return mean(evaluations.map(({ means }) => means.get(METRICS[0])!));
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** Formats a figure like .5274. */
function figure(value: number): string {
  return value.toFixed(4).replace(/^0/, "");
}
