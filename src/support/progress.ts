// What a long piece of work reports about its progress.

export interface Progress {
  readonly stage: "reading" | "encoding" | "slicing" | "densifying" | "merging" | "verifying" | "exporting";
  readonly done: number;
  /** Left out while it is unknown, as it is while reading. */
  readonly total?: number;
}

export type OnProgress = (progress: Progress) => void;

/** How many documents, or terms, are processed between two calls of `onProgress`. Smaller: more calls, slower work. */
export const PROGRESS_STEP = 1000;
