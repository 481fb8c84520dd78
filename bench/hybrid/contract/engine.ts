// The interface between the bench and an engine.

import type { Corpus, EmbeddedQuery, Kind } from "./dataset.ts";

/** Document numbers, best first. */
type Ask = (query: EmbeddedQuery, k: number) => Promise<readonly number[]> | readonly number[];

/** One way to search. */
export interface Way {
  readonly kind: Kind;
  /** Distinguishes it from the engine's other ways of this kind. */
  readonly name: string;
  /** Whether it compares every vector, without a graph or lists. For hybrid ways: whether the dense half does. */
  readonly exact: boolean;
  /** Alternative settings by name. The one that agrees best with the exact ranking is timed. */
  readonly forms: Readonly<Record<string, Ask>>;
}

/** An open index. */
export interface Engine {
  /** What was loaded, with its version if it differs from the package's. */
  readonly note?: string;
  readonly ways: readonly Way[];
  close(): Promise<void> | void;
}

export interface Place {
  /** The folder of the index. It is empty before the build. */
  readonly folder: string;
  /** Loads one of the engine's packages. Each adapter declares the part it uses as a type. */
  load<T>(name: string): T;
}

export interface Adapter {
  /** Builds the index on disk. Engines that work in memory only have no `build`; they build in `open`. */
  build?(corpus: Corpus, place: Place): Promise<void>;
  open(corpus: Corpus, place: Place): Promise<Engine>;
  /** Returns the bytes of the lexical index alone, for each form of it. */
  sizes?(corpus: Corpus, place: Place): Promise<Readonly<Record<string, number>>>;
}

/** Candidates from each list that a hybrid search merges. */
export const candidates = (k: number): number => Math.max(100, k);

/** Weights of the lexical part to try with engines that have weighted fusion. The dense part gets 1 minus the weight. */
export const LEXICAL_WEIGHTS = [0.1, 0.3, 0.5, 0.7, 0.9];
