// Reads training files into a table of examples. An example holds the numbers of its query and passages; the caller
// decides where the texts are kept. Several files become one table, which remembers the range of each file.

import { viewBytes } from "../../../segment/container/container-format.ts";
import type { Fingerprint } from "../../../support/bytes/hash.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { ensureCapacity } from "../../../support/numbers/ensure-capacity.ts";
import { type OnProgress, PROGRESS_STEP } from "../../../support/options/progress.ts";
import { type Example, type Passage, readCorpus, readExamples, type Text } from "./training-lines.ts";

/** A file of examples. */
export interface TrainingSource {
  readonly path: string;
  /** The file of passages, if `path` names passages by id or row. */
  readonly corpus?: string;
  /** How much of the training comes from here, relative to the other sources. Default: by size, if no source has one. */
  readonly weight?: number;
}

/** Stores texts. Each text gets a number; equal texts get the same number. */
export interface TextSink {
  query(text: Text, where: string): number;
  passage(text: Text, where: string): number;
}

export interface GatherOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
}

/** Reads all sources. Errors name the file and the line. */
export async function gather(
  sources: readonly TrainingSource[],
  sink: TextSink,
  { onProgress, signal }: GatherOptions = {},
): Promise<ExampleTable> {
  const table = new ExampleTable();
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
      if (table.size % PROGRESS_STEP === 0) onProgress?.({ task: "reading", done: table.size });
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
    if (corpus.byId.has(id)) throw new SluiceError(`${where}: duplicate id ${JSON.stringify(id)}`);
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
    throw new SluiceError(
      `${where}: names passages of a corpus, but no corpus is given`,
      `give both: {"path": ${JSON.stringify(source.path)}, "corpus": "…"}`,
    );
  }
  const number = "row" in passage ? corpus.rows[passage.row] : corpus.byId.get(passage.id);
  if (number !== undefined) return number;
  const name = "row" in passage ? `row ${passage.row}` : `passage ${JSON.stringify(passage.id)}`;
  throw new SluiceError(`${where}: ${source.corpus} has no ${name}`);
}

export class ExampleTable {
  /** The files, with the range of their examples: `first` … `end` − 1. */
  readonly sources: (TrainingSource & { first: number; end: number })[] = [];
  readonly #queries: number[] = [];
  readonly #positives = new NumberLists();
  readonly #negatives = new NumberLists();
  readonly #scores = new Map<number, { positives: Float32Array; negatives: Float32Array }>();
  readonly #bins = new Map<number, Example["bins"]>();
  /** All positives of each query that has several lines. */
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

  /** A teacher's scores in the order of the passages, if the file has them. */
  scores(example: number) {
    return this.#scores.get(example);
  }

  bins(example: number): Example["bins"] {
    return this.#bins.get(example);
  }

  /** All passages that are relevant to the example's query, including those of other lines with the same query. */
  judged(example: number): Uint32Array {
    this.#shared ??= this.#sharedPositives();
    return this.#shared.get(this.#queries[example]) ?? this.positives(example);
  }

  addTo(fingerprint: Fingerprint): void {
    fingerprint.add(viewBytes(Uint32Array.from(this.#queries)));
    for (const lists of [this.#positives, this.#negatives])
      for (const array of lists.arrays()) fingerprint.add(viewBytes(array));
    for (const { positives, negatives } of this.#scores.values())
      fingerprint.add(viewBytes(positives)).add(viewBytes(negatives));
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

/** Lists of numbers, stored one after the other. */
class NumberLists {
  #values: Uint32Array = new Uint32Array(1 << 12);
  readonly #ends: number[] = [];

  add(list: readonly number[]): void {
    const start = this.#ends.at(-1) ?? 0;
    this.#values = ensureCapacity(this.#values, start + list.length);
    this.#values.set(list, start);
    this.#ends.push(start + list.length);
  }

  at(number: number): Uint32Array {
    return this.#values.subarray(number === 0 ? 0 : this.#ends[number - 1], this.#ends[number]);
  }

  *arrays(): Generator<Uint32Array> {
    yield this.#values.subarray(0, this.#ends.at(-1) ?? 0);
    yield Uint32Array.from(this.#ends);
  }
}
