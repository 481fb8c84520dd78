// Mines hard negatives: indexes all passages of a training set, searches all its queries, and writes a new training file
// whose negatives are the hits that are not marked relevant.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { OnProgress } from "../../support/options/progress.ts";
import { meanOf } from "../eval/evaluate.ts";
import { type ExampleTable, gather, type TrainingSource } from "./data/examples.ts";
import { writeLines } from "./data/line-writer.ts";
import { TextTable } from "./data/text-table.ts";
import { readCorpus } from "./data/training-lines.ts";
import type { AnyEncoder } from "./measure/any-encoder.ts";
import { withEncodedIndex } from "./measure/encoded-index.ts";

export interface MineOptions {
  /** Path of the new training file. Its passages go into a second file, at `corpusPathOf(out)`. */
  readonly out: string;
  /** The encoder to search with. Default: BM25 alone. BM25 is added to an encoder that gives no weights of terms. */
  readonly encoder?: AnyEncoder | undefined;
  /** More passages to search: one {"docid", "document_text"} per line. */
  readonly corpus?: string | undefined;
  /** Slices per row. Default 128. */
  readonly dims?: number | undefined;
  /** Hits per query. Default 200. */
  readonly depth?: number | undefined;
  /** Skip this many of the best hits: some of them are relevant but not marked so. Default 0. */
  readonly skip?: number | undefined;
  /** Weight of the semantic part. Needs an encoder that gives vectors. */
  readonly lambda?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Mined {
  readonly examples: number;
  readonly passages: number;
  /** Mean number of negatives per example. */
  readonly negatives: number;
  /** Share of the queries with a relevant passage among the hits: the quality of the search on this data. */
  readonly found: number;
  readonly corpus: string;
}

/** Queries that are encoded and searched together. */
const BATCH_QUERIES = 256;

/** Returns the path of the passages of a mined training file: train.jsonl.gz → train.corpus.jsonl.gz. */
export function corpusPathOf(out: string): string {
  const [, stem, ending] = /^(.*?)((?:\.jsonl?)?(?:\.gz)?)$/.exec(out)!;
  return `${stem}.corpus${ending}`;
}

export async function mine(sources: readonly TrainingSource[], options: MineOptions): Promise<Mined> {
  const { out, depth = 200, skip = 0, onProgress } = options;
  const texts = new TextTable();
  const examples = await gather(sources, texts, { onProgress, signal: options.signal });
  if (options.corpus !== undefined)
    for await (const { text, where } of readCorpus(options.corpus)) texts.passage(text, where);
  const positives = positivesByQuery(examples, texts.queries.length);
  const negatives: Uint32Array[] = [];
  let found = 0;
  const { encoder, lambda, signal } = options;
  if (lambda !== undefined && !encoder?.gives.vector) {
    throw new SluiceError(
      "lambda has no effect: there is no encoder that gives vectors",
      "leave lambda out, or give such an encoder",
    );
  }
  const indexed = {
    folder: `${out}.${process.pid}.index`,
    dims: options.dims ?? 128,
    bm25: true,
    ...(encoder && { encoder }),
    ...(lambda !== undefined && { lambda }),
    onProgress,
    signal,
  };
  await withEncodedIndex(texts.passages, indexed, async ({ index, encodeQueries }) => {
    const most = positives.reduce((most, { length }) => Math.max(most, length), 0);
    for (let start = 0; start < texts.queries.length; start += BATCH_QUERIES) {
      signal?.throwIfAborted();
      const asked = await encodeQueries(texts.queries.slice(start, start + BATCH_QUERIES));
      const answers = await index.searchAll(asked, { k: depth + most, plan: { kind: "exact" } });
      for (const [i, { hits }] of answers.entries()) {
        const relevant = positives[start + i];
        const numbers = hits.map(({ id }) => Number(id));
        if (numbers.slice(0, depth).some((number) => relevant.includes(number))) found++;
        const irrelevant = numbers.filter((number) => !relevant.includes(number));
        negatives.push(Uint32Array.from(irrelevant.slice(skip, depth)));
      }
      onProgress?.({ task: "searching", done: negatives.length, total: texts.queries.length });
    }
  });
  const corpus = corpusPathOf(out);
  await writeLines(corpus, async (file) => {
    for (const [i, text] of texts.passages.entries())
      await file.add({ docid: String(i), document_text: text });
  });
  await writeLines(out, async (file) => {
    for (let example = 0; example < examples.size; example++) {
      const query = examples.query(example);
      await file.add({
        query_id: String(example),
        query_text: texts.queries[query],
        positive_document_ids: Array.from(examples.positives(example), String),
        negative_document_ids: Array.from(negatives[query], String),
      });
    }
  });
  return {
    examples: examples.size,
    passages: texts.passages.length,
    negatives: meanOf(Array.from({ length: examples.size }, (_, i) => negatives[examples.query(i)].length)),
    found: found / texts.queries.length,
    corpus,
  };
}

function positivesByQuery(examples: ExampleTable, queries: number): Uint32Array[] {
  const positives: Uint32Array[] = new Array(queries);
  for (let example = 0; example < examples.size; example++) {
    positives[examples.query(example)] = examples.judged(example);
  }
  return positives;
}
