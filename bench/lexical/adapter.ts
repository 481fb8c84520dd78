// What an engine that runs in Node has to say about itself.

import type { Entries, Kind } from "./bags.ts";

/** Document numbers, best first, read off an answer when the clock has stopped. */
export type Numbers = () => number[];

export interface Way {
  readonly name: string;
  readonly exact: boolean;
  /** A query as the engine likes it best → a function that asks it: only that function is timed. */
  prepare(query: Entries): (k: number) => Numbers | Promise<Numbers>;
}

export interface Engine {
  readonly note?: string;
  readonly ways: readonly Way[];
}

export interface Place {
  /** The data set. */
  readonly data: string;
  readonly kind: Kind;
  /** Where the index goes, empty before the build. */
  readonly folder: string;
  /** Which of several forms of the index to build, where only its size is wanted. */
  readonly variant?: string;
  /** Loads one of the engine's packages. */
  load<T>(name: string): T;
}

export interface Adapter {
  /**
   * Makes the index on disk. Left out by engines that live in memory alone: they build when opened. Where the folder
   * holds more than an index, a function is returned that says how many bytes; its time does not count.
   */
  build?(place: Place): Promise<(() => Promise<number>) | undefined>;
  open(place: Place): Promise<Engine>;
}
