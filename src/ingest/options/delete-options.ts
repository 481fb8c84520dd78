// The ids or the filter of documents to delete, and their checks.

import { type Condition, checkFilter, type Filter } from "../../documents/filter.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import {
  checkBoolean,
  checkIds,
  checkOptions,
  checkSignal,
  isObject,
  type KnownOptions,
  requireIterable,
} from "../../support/options/options.ts";

export interface DeleteOptions {
  /** Deletes all passages of the documents with these ids, too. It goes with ids only. */
  readonly passages?: boolean | undefined;
  /** Stops a delete by filter between two documents. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of the options of `delete`. */
const DELETE_OPTIONS: KnownOptions<DeleteOptions> = { passages: true, signal: true };

/** Throws if it cannot be meant. A filter that is undefined is refused: as an empty one it would delete all documents. */
export function checkDelete(
  documents: Iterable<string> | { readonly filter: Filter },
  options: DeleteOptions,
): { readonly ids: string[] } | { readonly condition: Condition } {
  checkOptions(options, DELETE_OPTIONS, "delete");
  checkBoolean("passages", options.passages);
  checkSignal(options.signal);
  if (!isObject(documents) || Symbol.iterator in documents) {
    requireIterable("ids", "ids", documents);
    return { ids: checkIds("ids", documents as Iterable<string>) };
  }
  checkOptions(documents, { filter: true }, "delete");
  const condition = checkFilter((documents as { filter: Filter }).filter);
  if (options.passages) {
    throw new UsageError(
      "passages goes with ids, not with a filter",
      'a filter finds passages by the id of their document: { "passage.of": "ID" }',
    );
  }
  return { condition };
}
