// Draws an endless sequence of batches from a data set. The order depends only on the seed, and the state can be saved and
// restored.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseObject } from "../../../support/files/json.ts";
import { readLines } from "../../../support/files/lines.ts";
import type { Batch } from "./batch.ts";
import { BatchBuilder, type Chosen } from "./batch-builder.ts";
import type { Dataset } from "./dataset.ts";
import { ShuffledStream, type Stream, type StreamState, TopicStream } from "./stream.ts";

export interface SamplerOptions {
  readonly seed: number;
  readonly queries: number;
  readonly passagesPerQuery: number;
  /** A batch holds examples of all sources (`together`, the default) or of one source (`apart`). */
  readonly mix?: "together" | "apart";
  /** Sort the examples of this many batches by length; more batches mean less padding. Default 1: no sorting. */
  readonly sortedBatches?: number;
  /** If an example needs negatives and has none: throw, or use random passages. Default: throw. */
  readonly withoutNegatives?: "refuse" | "random";
  /** Examples by topic, and how many topics a batch draws from. */
  readonly topics?: { readonly clusters: readonly Uint32Array[]; readonly perBatch: number };
}

/** The state of a sampler, as JSON. */
export interface SamplerState {
  readonly batches: number;
  /** Examples drawn from each stream. */
  readonly drawn: readonly number[];
  readonly streams: readonly StreamState[];
}

/** A batch, and the examples it is made of. */
export interface SampledBatch {
  readonly batch: Batch;
  readonly chosen: readonly Chosen[];
}

export class Sampler {
  readonly #data: Dataset;
  readonly #options: SamplerOptions;
  readonly #streams: readonly Stream[];
  readonly #shares: readonly number[];
  #drawn: number[];
  #batches = 0;

  constructor(data: Dataset, options: SamplerOptions) {
    this.#data = data;
    this.#options = options;
    const { sources, size } = data.examples;
    if (size < options.queries) {
      throw new SluiceError(
        `${size} examples cannot fill a batch of ${options.queries} queries`,
        'lower "batch.queries", or give more data',
      );
    }
    if (options.withoutNegatives !== "random") this.#requireNegatives();
    const hasWeights = sources.some(({ weight }) => weight !== undefined);
    if (options.topics) {
      const { clusters, perBatch } = checkedTopics(options.topics, size);
      this.#streams = [new TopicStream(clusters, { perBatch, batch: options.queries, seed: options.seed })];
    } else if (sources.length === 1 || (!hasWeights && options.mix !== "apart")) {
      this.#streams = [this.#shuffled(0, size)];
    } else {
      this.#streams = sources.map(({ first, end }) => this.#shuffled(first, end));
    }
    this.#shares =
      this.#streams.length === 1
        ? [1]
        : sources.map(({ weight, first, end }) => (hasWeights ? (weight ?? 1) : end - first));
    this.#drawn = this.#streams.map(() => 0);
  }

  /** Batches in which every example is drawn about once. */
  get batchesPerEpoch(): number {
    return Math.floor(this.#data.examples.size / this.#options.queries);
  }

  get state(): SamplerState {
    return {
      batches: this.#batches,
      drawn: [...this.#drawn],
      streams: this.#streams.map(({ state }) => state),
    };
  }

  restore({ batches, drawn, streams }: SamplerState): void {
    if (streams.length !== this.#streams.length) {
      throw new Error(`the state has ${streams.length} streams, expected ${this.#streams.length}`);
    }
    this.#batches = batches;
    this.#drawn = [...drawn];
    for (const [i, state] of streams.entries()) this.#streams[i].restore(state);
  }

  next(): SampledBatch {
    const chosen = this.#fillBatch();
    this.#batches++;
    const queries = chosen.map(({ query }) => query);
    const passages = chosen.flatMap(({ passages }) => passages);
    const words = this.#data.words?.batch(queries, passages);
    return {
      chosen,
      batch: {
        queries: this.#data.queries.rows(queries),
        passages: this.#data.passages.rows(passages),
        passagesPerQuery: this.#options.passagesPerQuery,
        ...(words && { words }),
      },
    };
  }

  /**
   * Draws examples until the batch is full. At the end of an epoch, left-over examples are dropped unless other streams complete
   * the batch.
   */
  #fillBatch(): readonly Chosen[] {
    const { seed, queries, passagesPerQuery, mix } = this.#options;
    const forming = { seed, negatives: passagesPerQuery - 1, passages: this.#data.passages.size };
    const fresh = () => new BatchBuilder(this.#data.examples, forming);
    const exhausted = new Map<Stream, number>();
    for (const stream of this.#streams) stream.begin(this.#batches);
    let drawn = [...this.#drawn];
    let batch = fresh();
    let at = this.#nextStream(drawn);
    while (batch.chosen.length < queries) {
      const stream = this.#streams[at];
      const chosen = stream.take((example, epoch) => batch.fit(example, epoch));
      if (chosen) {
        batch.add(chosen);
        drawn[at]++;
        if (mix !== "apart") at = this.#nextStream(drawn);
        continue;
      }
      const times = (exhausted.get(stream) ?? 0) + 1;
      if (times > 2) throw this.#unfillableError(batch.chosen.length);
      exhausted.set(stream, times);
      stream.startEpoch();
      if (mix !== "apart" && this.#streams.length > 1) continue;
      batch = fresh();
      drawn = [...this.#drawn];
    }
    this.#drawn = drawn;
    return batch.chosen;
  }

  /** Returns the stream that is furthest behind its share. */
  #nextStream(drawn: readonly number[]): number {
    if (drawn.length === 1) return 0;
    const all = drawn.reduce((a, b) => a + b, 0) + 1;
    const total = this.#shares.reduce((a, b) => a + b, 0);
    const behind = drawn.map((count, i) => (this.#shares[i] / total) * all - count);
    return behind.indexOf(Math.max(...behind));
  }

  #shuffled(first: number, end: number): Stream {
    const { seed, queries, sortedBatches = 1 } = this.#options;
    const { examples, passages } = this.#data;
    return new ShuffledStream(first, end, {
      seed,
      batch: queries,
      sortedAtOnce: queries * sortedBatches,
      lengthOf: (example) => passages.lengthOf(examples.positives(example)[0]),
    });
  }

  #requireNegatives(): void {
    const { examples } = this.#data;
    if (this.#options.passagesPerQuery === 1) return;
    for (const { path, first, end } of examples.sources) {
      for (let example = first; example < end; example++) {
        if (examples.negatives(example).length > 0) continue;
        throw new SluiceError(
          `${path}: example ${example - first + 1} has no negatives, but "batch.passagesPerQuery" needs ` +
            `${this.#options.passagesPerQuery - 1}`,
          'set "passagesPerQuery" to 1 (the rest of the batch are negatives), mine negatives, or set "data.withoutNegatives" to "random"',
        );
      }
    }
  }

  #unfillableError(found: number): SluiceError {
    return new SluiceError(
      `at most ${found} of the examples fit into one batch of ${this.#options.queries}: the others share a query or a ` +
        "passage with them",
      'lower "batch.queries", or give more varied data',
    );
  }
}

function checkedTopics(topics: NonNullable<SamplerOptions["topics"]>, examples: number) {
  const strange = topics.clusters.flatMap((cluster) => [...cluster]).find((example) => example >= examples);
  if (strange === undefined) return topics;
  throw new SluiceError(`a topic names example ${strange}, but there are only ${examples}`);
}

/** Reads query clusters: one {"qidx": [row numbers]} per line. */
export async function readClusters(path: string): Promise<Uint32Array[]> {
  const clusters: Uint32Array[] = [];
  for await (const line of readLines(path)) {
    const { qidx } = parseObject(line);
    if (
      !Array.isArray(qidx) ||
      qidx.length === 0 ||
      !qidx.every((row) => Number.isInteger(row) && row >= 0)
    ) {
      throw new SluiceError(`${line.where}: "qidx" must be a list of row numbers`);
    }
    clusters.push(Uint32Array.from(qidx as number[]));
  }
  if (clusters.length === 0)
    throw new SluiceError(`${path}: the file is empty`, 'lines are {"qidx": [0, 12, 7]}');
  return clusters;
}
