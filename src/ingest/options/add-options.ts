// The options of documents that are added, and their checks. `build` takes them, too.

import type { Encoding } from "../../encode/encoder.ts";
import { checkPassages, type PassageOptions } from "../../passages/cut-passages.ts";
import {
  checkFunction,
  checkObject,
  checkOptions,
  checkSignal,
  type KnownOptions,
  requireIterable,
} from "../../support/options/options.ts";
import type { OnProgress } from "../../support/options/progress.ts";

export interface AddOptions {
  /**
   * Cuts each document into passages of about 200 words, at headings and between sentences, and adds these; true, or how. The
   * passages of "canal" have the ids "canal#1", "canal#2", …, and a field `passage`: { of, number, heading, line, start, end }.
   * A document that is a passage already, such as those that `readFiles` returns, is never cut. With and without the option,
   * `upsert` replaces the older version of a document: itself, and all its passages, even if there are fewer now.
   */
  readonly passages?: boolean | PassageOptions | undefined;
  /** What the encoder gave earlier, by document id. These documents are not encoded again. */
  readonly encodings?: ReadonlyMap<string, Encoding> | undefined;
  /** Stops the call, even while the source of documents waits. It rejects with the signal's reason, and adds nothing. */
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with what is done. */
  readonly onProgress?: OnProgress | undefined;
}

/** The names of the options of `add` and `upsert`. */
export const ADD_OPTIONS: KnownOptions<AddOptions> = {
  passages: true,
  encodings: true,
  signal: true,
  onProgress: true,
};

/** @internal Throws if the documents are not iterable, or an option is unknown or wrong. */
export function checkAdd(what: "add" | "upsert", documents: unknown, options: AddOptions): void {
  requireIterable("documents", "documents", documents, true);
  checkOptions(options, ADD_OPTIONS, what);
  checkAddOptions(options);
}

/** @internal Throws if an option is wrong. Others may be among them. */
export function checkAddOptions(options: AddOptions): void {
  checkPassages(options.passages);
  checkObject("encodings", options.encodings);
  checkFunction("onProgress", options.onProgress);
  checkSignal(options.signal);
}
