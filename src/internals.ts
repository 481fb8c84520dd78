// The private parts of an index that the lab, the command line and tests need. No entry of the package exports this
// file. `Sluice` hands over the access to its private backend when its module is loaded.

import type { IndexBackend } from "./open/index-backend.ts";
import type { Searchable } from "./search/searchable.ts";

/** The backend of a `Sluice`. Anything else throws. */
type GetBackend = (index: Searchable<unknown>) => IndexBackend;

let getBackend: GetBackend;

/** @internal For `Sluice` alone. */
export function shareBackend(access: GetBackend): void {
  getBackend = access;
}

/** @internal The snapshot of an index, what prepares its queries, and its GPU if it has one. */
export function getInternals(
  index: Searchable<unknown>,
): Pick<IndexBackend, "snapshot" | "preparer" | "device"> {
  const { snapshot, preparer, device } = getBackend(index);
  return { snapshot, preparer, device };
}
