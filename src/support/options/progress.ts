// Reports of progress that a long piece of work makes.

export interface Progress {
  /** What is being done. `fetching` counts bytes, and all others documents, texts, terms or examples. */
  readonly task: ProgressTask;
  readonly done: number;
  /** Left out while it is unknown, as it is while reading. */
  readonly total?: number;
}

export type ProgressTask =
  | ("reading" | "encoding" | "slicing" | "densifying" | "merging" | "verifying" | "exporting" | "saving")
  | ("fetching" | "uploading")
  | ("indexing" | "searching" | "scoring");

export type OnProgress = (progress: Progress) => void;

/** How many documents, or terms, are processed between two calls of `onProgress`. Smaller: more calls, slower work. */
export const PROGRESS_STEP = 1000;
