// What a caller wants deleted, ids or a filter, and its checks.

import { type Condition, checkFilter, type Filter } from "../../documents/filter.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import {
  checkBoolean,
  checkedIds,
  checkOptions,
  checkSignal,
  isObject,
  requireIterable,
} from "../../support/options/options.ts";

/** Throws if it cannot be meant. A filter that is undefined is refused: as an empty one it would delete all documents. */
export function checkDelete(
  documents: Iterable<string> | { readonly filter: Filter },
  options: { passages?: boolean | undefined; signal?: AbortSignal | undefined },
): { readonly ids: string[] } | { readonly condition: Condition } {
  checkOptions(options, { passages: true, signal: true }, "delete");
  checkBoolean("passages", options.passages);
  checkSignal(options.signal);
  if (!isObject(documents) || Symbol.iterator in documents) {
    requireIterable("ids", "ids", documents);
    return { ids: checkedIds("ids", documents as Iterable<string>) };
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
