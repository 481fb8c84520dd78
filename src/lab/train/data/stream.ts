// Decides the order of examples: shuffled again in each epoch, or drawn at random by topic (TAS-B).

import { mulberry32, shuffle } from "../../../support/numbers/random.ts";
import type { Chosen } from "./batch-builder.ts";
import { seedFrom } from "./choice.ts";

/** Chooses passages for an example; undefined if the example cannot join the batch. */
type ChooseFitting = (example: number, epoch: number) => Chosen | undefined;

export interface Stream {
  readonly size: number;
  readonly state: StreamState;
  restore(state: StreamState): void;
  /** Starts batch number `batch` of the run. */
  begin(batch: number): void;
  /** Returns the next example that fits; undefined if none is left in this epoch. */
  take(fit: ChooseFitting): Chosen | undefined;
  startEpoch(): void;
}

export interface StreamState {
  readonly epoch: number;
  /** Examples of the epoch's order that were already visited. */
  readonly cursor: number;
  /** Examples that did not fit their batch and are tried in the next one. */
  readonly waiting: readonly number[];
}

interface ShuffleOptions {
  readonly seed: number;
  /** Sorts this many examples by length at a time, then shuffles the batches of them. Texts of a batch have similar lengths. */
  readonly sortedAtOnce?: number;
  readonly batch: number;
  readonly lengthOf: (example: number) => number;
}

export class ShuffledStream implements Stream {
  readonly size: number;
  readonly #first: number;
  readonly #options: ShuffleOptions;
  #order: Uint32Array;
  #epoch = 0;
  #cursor = 0;
  #waiting: number[] = [];

  /** Streams the examples `first` … `end` − 1. */
  constructor(first: number, end: number, options: ShuffleOptions) {
    this.size = end - first;
    this.#first = first;
    this.#options = options;
    this.#order = this.#orderOf(0);
  }

  get state(): StreamState {
    return { epoch: this.#epoch, cursor: this.#cursor, waiting: [...this.#waiting] };
  }

  restore({ epoch, cursor, waiting }: StreamState): void {
    this.#epoch = epoch;
    this.#order = this.#orderOf(epoch);
    this.#cursor = cursor;
    this.#waiting = [...waiting];
  }

  begin(): void {}

  take(fit: ChooseFitting): Chosen | undefined {
    for (let i = 0; i < this.#waiting.length; i++) {
      const chosen = fit(this.#waiting[i], this.#epoch);
      if (!chosen) continue;
      this.#waiting.splice(i, 1);
      return chosen;
    }
    while (this.#cursor < this.size) {
      const example = this.#order[this.#cursor++];
      const chosen = fit(example, this.#epoch);
      if (chosen) return chosen;
      this.#waiting.push(example);
    }
    return undefined;
  }

  startEpoch(): void {
    this.restore({ epoch: this.#epoch + 1, cursor: 0, waiting: [] });
  }

  #orderOf(epoch: number): Uint32Array {
    const { seed, sortedAtOnce = 1, batch, lengthOf } = this.#options;
    const order = shuffle(this.size, seedFrom(seed, this.#first, epoch)).map((i) => this.#first + i);
    if (sortedAtOnce <= batch) return order;
    const blocks: Uint32Array[] = [];
    for (let start = 0; start < order.length; start += sortedAtOnce) {
      const window = order.subarray(start, start + sortedAtOnce);
      const lengths = new Map(Array.from(window, (example) => [example, lengthOf(example)]));
      window.sort((a, b) => lengths.get(a)! - lengths.get(b)! || a - b);
      for (let at = 0; at < window.length; at += batch) blocks.push(window.slice(at, at + batch));
    }
    const sorted = new Uint32Array(order.length);
    let at = 0;
    for (const block of shuffle(blocks.length, seedFrom(seed, this.#first, epoch, 1))) {
      sorted.set(blocks[block], at);
      at += blocks[block].length;
    }
    return sorted;
  }
}

/** The most draws for one example before the stream gives up. */
const TRIES = 10_000;

/** Draws a few clusters for each batch; then, for each example, one of these clusters and a query of it. */
export class TopicStream implements Stream {
  readonly size: number;
  readonly #clusters: readonly Uint32Array[];
  readonly #perBatch: number;
  readonly #batchSize: number;
  readonly #seed: number;
  #random = mulberry32(0);
  #drawn: readonly Uint32Array[] = [];
  #epoch = 0;

  constructor(
    clusters: readonly Uint32Array[],
    options: { readonly perBatch: number; readonly batch: number; readonly seed: number },
  ) {
    this.size = clusters.reduce((sum, { length }) => sum + length, 0);
    this.#clusters = clusters;
    this.#perBatch = options.perBatch;
    this.#batchSize = options.batch;
    this.#seed = options.seed;
  }

  /** The state is the epoch alone, because a batch depends on nothing but its number. */
  get state(): StreamState {
    return { epoch: this.#epoch, cursor: 0, waiting: [] };
  }

  restore({ epoch }: StreamState): void {
    this.#epoch = epoch;
  }

  begin(batch: number): void {
    this.#random = mulberry32(seedFrom(this.#seed, batch));
    this.#drawn = Array.from({ length: this.#perBatch }, () => this.#one(this.#clusters));
    this.#epoch = Math.floor((batch * this.#batchSize) / this.size);
  }

  take(fit: ChooseFitting): Chosen | undefined {
    for (let tries = 0; tries < TRIES; tries++) {
      const chosen = fit(this.#one(this.#one(this.#drawn)), this.#epoch);
      if (chosen) return chosen;
    }
    return undefined;
  }

  /** Draws other clusters: the current ones have too few queries for a batch. */
  startEpoch(): void {
    this.#drawn = Array.from({ length: this.#perBatch }, () => this.#one(this.#clusters));
  }

  #one<T>(list: ArrayLike<T>): T {
    return list[Math.floor(this.#random() * list.length)];
  }
}
