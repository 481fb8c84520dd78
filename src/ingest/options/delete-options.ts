// The ids or the filter of documents to delete, and their checks.

import { type Condition, checkFilter, type Filter } from "../../documents/filter.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import {
  checkBoolean,
  checkIds,
  checkOptions,
  checkSignal,
  isObject,
  type KnownOptions,
  requireIterable,
  showValue,
} from "../../support/options/options.ts";

export interface DeleteOptions {
  /** Deletes all passages of the documents with these ids, too. It goes with ids only. */
  readonly withPassages?: boolean | undefined;
  /** Stops the call between two documents; those before stay deleted until a rollback. Rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of the options of `delete`. */
const DELETE_OPTIONS: KnownOptions<DeleteOptions> = { withPassages: true, signal: true };

/** Throws if it cannot be meant. A filter that is undefined is refused: as an empty one it would delete all documents. */
export function checkDelete(
  which: Iterable<string> | { readonly filter: Filter },
  options: DeleteOptions,
): { readonly ids: string[] } | { readonly condition: Condition } {
  checkOptions(options, DELETE_OPTIONS, "delete");
  checkBoolean("withPassages", options.withPassages);
  checkSignal(options.signal);
  if (!isObject(which) || Symbol.iterator in which) {
    requireIterable("ids", "ids", which);
    return { ids: checkIds("ids", which as Iterable<string>) };
  }
  for (const name of Object.keys(which)) if (name !== "filter") throw notDeletedByError(name);
  const condition = checkFilter((which as { filter: Filter }).filter);
  if (options.withPassages) {
    throw new SluiceError(
      "withPassages goes with ids, not with a filter",
      'a filter finds passages by the id of their document: { "passage.of": "ID" }',
    );
  }
  return { condition };
}

/** The error about a name beside `filter` in the object that says what to delete. */
function notDeletedByError(name: string): SluiceError {
  return new SluiceError(
    `delete takes a list of ids, or { filter }, and no ${showValue(name)} in this object`,
    name === "ids"
      ? 'a list of ids goes alone: delete(["a"])'
      : name === "withPassages"
        ? 'withPassages goes with ids: delete(["a"], { withPassages: true })'
        : name === "signal"
          ? "signal is an option, which comes second: delete({ filter }, { signal })"
          : undefined,
  );
}
