// Documents as a caller gives them → pending documents of an index: checked, encoded, and stopped by a signal.

import { checkedDocuments, type Document } from "../../documents/document.ts";
import type { Encoder, Encoding } from "../../encode/encoder.ts";
import {
  checkFunction,
  checkIterable,
  checkObject,
  checkOptions,
  checkSignal,
  type KnownOptions,
} from "../../support/options.ts";
import type { OnProgress } from "../../support/progress.ts";
import { untilAborted } from "../../support/until-aborted.ts";
import { encoded } from "../index-options.ts";
import type { LiveIndex } from "../live-index.ts";

export interface AddOptions {
  /** What the encoder gave earlier, by document id. These documents are not encoded again. */
  encodings?: ReadonlyMap<string, Encoding>;
  /** Stops the call, even while the source of documents waits. It rejects with the signal's reason, and adds nothing. */
  signal?: AbortSignal;
  /** Called now and then with what is done. */
  onProgress?: OnProgress;
}

/** The names of the options of `add` and `upsert`. */
export const ADD_OPTIONS: KnownOptions<AddOptions> = { encodings: true, signal: true, onProgress: true };

/** @internal Throws if the documents are not iterable, or an option is unknown or wrong. */
export function checkAdd(what: "add" | "upsert", documents: unknown, options: AddOptions): void {
  checkIterable("documents", "documents", documents ?? null, true);
  checkOptions(options, ADD_OPTIONS, what);
  checkObject("encodings", options.encodings);
  checkFunction("onProgress", options.onProgress);
  checkSignal(options.signal);
}

/** @internal Adds all documents, or none. `openEncoder` opens the encoder of the index, if it has one. */
export function addDocuments(
  live: LiveIndex,
  openEncoder: () => Promise<Encoder | undefined>,
  documents: Iterable<Document> | AsyncIterable<Document>,
  { encodings, signal, onProgress, upsert }: AddOptions & { upsert: boolean },
): Promise<number> {
  const whileReading = <T>(next: () => T): T => {
    live.isReading = true;
    try {
      return next();
    } finally {
      live.isReading = false;
    }
  };
  // The encoder is opened when it is this call's turn, so that calls made without waiting keep their order.
  const source = async function* () {
    const encoder = await openEncoder();
    const ready = encoded(checkedDocuments(documents, whileReading), {
      ...(encodings && { encodings }),
      ...(onProgress && { onProgress }),
      ...(encoder && { encoder }),
      ...(signal && { signal }),
    });
    yield* signal ? untilAborted(ready, signal) : ready;
  };
  return live.add(source(), { upsert, onProgress });
}
