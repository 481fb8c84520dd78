// How far a long piece of work is.

export interface Progress {
  readonly stage: "reading" | "encoding" | "slicing" | "densifying" | "merging" | "verifying" | "exporting";
  readonly done: number;
  /** Unknown while reading. */
  readonly total?: number;
}

export type OnProgress = (progress: Progress) => void;

/** Documents between two calls of `onProgress`. */
export const PROGRESS_STEP = 1000;

/** Lets others have a turn: long work in this process does so now and then. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
