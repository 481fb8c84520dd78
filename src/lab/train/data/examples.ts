// Training files → a table of examples: numbers of queries and passages, whose texts are kept wherever the caller wants
// them. Several files become one table; each remembers where its examples begin.

import { UsageError } from "../../../errors.ts";
import type { Fingerprint } from "../../../support/hash.ts";
import { type Example, type Passage, readCorpus, readExamples, type Text } from "./training-lines.ts";

/** A file of examples. */
export interface TrainingSource {
  readonly path: string;
  /** The passages, where the file names them by id or row. */
  readonly corpus?: string;
  /** How much of the training comes from here, beside the other sources; by size when no source has one. */
  readonly weight?: number;
}

/** Where texts go. Each gets a number, and equal texts get the same. */
export interface TextSink {
  query(text: Text, where: string): number;
  passage(text: Text, where: string): number;
}

export interface ExampleTable {
  readonly size: number;
  readonly sources: readonly (TrainingSource & { readonly first: number; readonly end: number })[];
  query(example: number): number;
  positives(example: number): Uint32Array;
  negatives(example: number): Uint32Array;
  /** A teacher's scores, where the file has them, in the order of the passages. */
  scores(example: number): { readonly positives: Float32Array; readonly negatives: Float32Array } | undefined;
  bins(example: number): Example["bins"];
  /** All passages that are right for the example's query, be it in another line. */
  judged(example: number): Uint32Array;
  addTo(fingerprint: Fingerprint): void;
}

export interface GatherOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly stage: "reading"; readonly done: number }) => void;
}

const PROGRESS_STEP = 1000;

/** Reads all sources; what is wrong in one of them is told with its file and line. */
export async function gather(
  sources: readonly TrainingSource[],
  sink: TextSink,
  { onProgress, signal }: GatherOptions = {},
): Promise<ExampleTable> {
  const table = new Table();
  for (const source of sources) {
    const first = table.size;
    const corpus = source.corpus === undefined ? undefined : await readWhole(source.corpus, sink);
    for await (const example of readExamples(source.path)) {
      signal?.throwIfAborted();
      const number = (passage: Passage) =>
        "text" in passage
          ? sink.passage(passage.text, example.where)
          : corpusNumber(passage, corpus, source, example.where);
      table.add(
        sink.query(example.query, example.where),
        example.positives.map(number),
        example.negatives.map(number),
        example,
      );
      if (table.size % PROGRESS_STEP === 0) onProgress?.({ stage: "reading", done: table.size });
    }
    table.sources.push({ ...source, first, end: table.size });
  }
  return table;
}

interface Corpus {
  readonly rows: number[];
  readonly byId: Map<string, number>;
}

async function readWhole(path: string, sink: TextSink): Promise<Corpus> {
  const corpus: Corpus = { rows: [], byId: new Map() };
  for await (const { id, text, where } of readCorpus(path)) {
    if (corpus.byId.has(id)) throw new UsageError(`${where}: the id ${JSON.stringify(id)} stood before`);
    const number = sink.passage(text, where);
    corpus.rows.push(number);
    corpus.byId.set(id, number);
  }
  return corpus;
}

function corpusNumber(
  passage: { readonly id: string } | { readonly row: number },
  corpus: Corpus | undefined,
  source: TrainingSource,
  where: string,
): number {
  if (!corpus) {
    throw new UsageError(
      `${where}: names passages of a corpus, and there is none`,
      `give it beside the file: {"path": ${JSON.stringify(source.path)}, "corpus": "…"}`,
    );
  }
  const number = "row" in passage ? corpus.rows[passage.row] : corpus.byId.get(passage.id);
  if (number !== undefined) return number;
  const name = "row" in passage ? `row ${passage.row}` : `passage ${JSON.stringify(passage.id)}`;
  throw new UsageError(`${where}: ${source.corpus} has no ${name}`);
}

class Table implements ExampleTable {
  readonly sources: (TrainingSource & { first: number; end: number })[] = [];
  readonly #queries: number[] = [];
  readonly #positives = new Lists();
  readonly #negatives = new Lists();
  readonly #scores = new Map<number, { positives: Float32Array; negatives: Float32Array }>();
  readonly #bins = new Map<number, Example["bins"]>();
  /** Of queries that stand in several lines: all their positives. */
  #shared: Map<number, Uint32Array> | undefined;

  get size(): number {
    return this.#queries.length;
  }

  add(query: number, positives: readonly number[], negatives: readonly number[], example: Example): void {
    const number = this.size;
    this.#queries.push(query);
    this.#positives.add(positives);
    this.#negatives.add(negatives);
    if (example.scores) {
      this.#scores.set(number, {
        positives: Float32Array.from(example.scores.positives),
        negatives: Float32Array.from(example.scores.negatives),
      });
    }
    if (example.bins) this.#bins.set(number, example.bins);
    this.#shared = undefined;
  }

  query(example: number): number {
    return this.#queries[example];
  }

  positives(example: number): Uint32Array {
    return this.#positives.at(example);
  }

  negatives(example: number): Uint32Array {
    return this.#negatives.at(example);
  }

  scores(example: number) {
    return this.#scores.get(example);
  }

  bins(example: number): Example["bins"] {
    return this.#bins.get(example);
  }

  judged(example: number): Uint32Array {
    this.#shared ??= this.#sharedPositives();
    return this.#shared.get(this.#queries[example]) ?? this.positives(example);
  }

  addTo(fingerprint: Fingerprint): void {
    fingerprint.add(bytesOf(Uint32Array.from(this.#queries)));
    for (const lists of [this.#positives, this.#negatives])
      for (const array of lists.content()) fingerprint.add(bytesOf(array));
    for (const { positives, negatives } of this.#scores.values())
      fingerprint.add(bytesOf(positives)).add(bytesOf(negatives));
    for (const bins of this.#bins.values()) fingerprint.add(JSON.stringify(bins));
  }

  #sharedPositives(): Map<number, Uint32Array> {
    const lines = new Map<number, number | number[]>();
    this.#queries.forEach((query, example) => {
      const before = lines.get(query);
      if (before === undefined) lines.set(query, example);
      else if (typeof before === "number") lines.set(query, [before, example]);
      else before.push(example);
    });
    const shared = new Map<number, Uint32Array>();
    for (const [query, examples] of lines) {
      if (typeof examples === "number") continue;
      shared.set(
        query,
        Uint32Array.from(new Set(examples.flatMap((example) => [...this.positives(example)]))),
      );
    }
    return shared;
  }
}

/** Lists of numbers, one behind the other. */
class Lists {
  #values = new Uint32Array(1 << 12);
  readonly #ends: number[] = [];

  add(list: readonly number[]): void {
    const start = this.#ends.at(-1) ?? 0;
    if (start + list.length > this.#values.length) {
      const larger = new Uint32Array(Math.max(this.#values.length * 2, start + list.length));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values.set(list, start);
    this.#ends.push(start + list.length);
  }

  at(number: number): Uint32Array {
    return this.#values.subarray(number === 0 ? 0 : this.#ends[number - 1], this.#ends[number]);
  }

  *content(): Generator<Uint32Array> {
    yield this.#values.subarray(0, this.#ends.at(-1) ?? 0);
    yield Uint32Array.from(this.#ends);
  }
}

function bytesOf(array: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
