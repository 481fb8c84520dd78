// What the bench asks of an engine, and how an engine says what it can do.

import type { Corpus, Kind, Question } from "./dataset.ts";

/** Document numbers, best first. */
type Ask = (question: Question, k: number) => Promise<readonly number[]> | readonly number[];

/** One way to search. */
export interface Way {
  readonly kind: Kind;
  /** What tells it from the engine's other ways of this kind. */
  readonly name: string;
  /** It looks at every vector: no graph, no lists. Of hybrid ways, the dense half. */
  readonly exact: boolean;
  /** Rival settings by name. The one that agrees best with the exact ranking is the one that is timed. */
  readonly forms: Readonly<Record<string, Ask>>;
}

/** An index that can be asked. */
export interface Engine {
  /** What was loaded, with its version where that is not the package's. */
  readonly note?: string;
  readonly ways: readonly Way[];
  close(): Promise<void> | void;
}

export interface Place {
  /** Where the index goes, empty before the build. */
  readonly folder: string;
  /** Loads one of the engine's packages. Each adapter says by its own type what it uses of it. */
  load<T>(name: string): T;
}

export interface Adapter {
  /** Makes the index on disk. Left out by engines that live in memory alone: they build when opened. */
  build?(corpus: Corpus, place: Place): Promise<void>;
  open(corpus: Corpus, place: Place): Promise<Engine>;
  /** The bytes of its lexical index alone, in the forms it comes in. */
  sizes?(corpus: Corpus, place: Place): Promise<Readonly<Record<string, number>>>;
}

/** Candidates of each list that a hybrid search merges. */
export const candidates = (k: number): number => Math.max(100, k);

/** Weights of the lexical part that engines with weighted fusion are tried with; the dense part has the rest. */
export const LEXICAL_WEIGHTS = [0.1, 0.3, 0.5, 0.7, 0.9];
