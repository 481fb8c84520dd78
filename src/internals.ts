// The private parts of an index that the lab, the command line and tests need. No entry of the package exports this
// file. `Sluice` hands over the access to its private store when its module is loaded.

import type { Encoder } from "./encode/encoder.ts";
import type { IndexStore } from "./open/index-store.ts";
import type { Searchable } from "./search/searchable.ts";

/** The store of a `Sluice`. Anything else throws. */
type StoreOf = (index: Searchable<unknown>) => IndexStore;

let storeOf: StoreOf;

/** @internal For `Sluice` alone. */
export function shareStore(access: StoreOf): void {
  storeOf = access;
}

/** @internal What an index searches. */
export function internalsOf(
  index: Searchable<unknown>,
): Pick<IndexStore, "snapshot" | "preparer" | "device"> {
  const { snapshot, preparer, device } = storeOf(index);
  return { snapshot, preparer, device };
}

/** @internal Opens the encoder of an index, if it has one. The index closes it. */
export function encoderOfIndex(index: Searchable<unknown>): Promise<Encoder | undefined> {
  const { snapshot, preparer } = storeOf(index);
  return preparer.open(snapshot.encoder);
}
