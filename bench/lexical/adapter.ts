// The interface of an engine that runs in Node.

import type { Entries, Kind } from "./bags.ts";

/** Reads the document numbers from an answer, best first. This is not timed. */
type Numbers = () => number[];

export interface Way {
  readonly name: string;
  readonly exact: boolean;
  /** Converts a query to the engine's own form and returns a function that searches it. Only that function is timed. */
  prepare(query: Entries): (k: number) => Numbers | Promise<Numbers>;
}

interface Engine {
  readonly note?: string;
  readonly ways: readonly Way[];
}

export interface Place {
  /** The folder of the data set. */
  readonly data: string;
  readonly kind: Kind;
  /** The folder of the index. It is empty before the build. */
  readonly folder: string;
  /** Which form of the index to build, if only its size is measured. */
  readonly variant?: string;
  /** Loads one of the engine's packages. */
  load<T>(name: string): T;
}

export interface Adapter {
  /**
   * Builds the index on disk. Engines that work in memory only have no `build`; they build in `open`. If the folder holds
   * more than an index, it returns a function that counts the other bytes; the time of that function does not count.
   */
  build?(place: Place): Promise<(() => Promise<number>) | undefined>;
  open(place: Place): Promise<Engine>;
}
