// The id of a document → its doc in a snapshot, or an error that names the id.

import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { UsageError } from "../support/errors/usage-error.ts";

/** @internal The doc of the document with an id. Throws if there is none. Callers check that the id is a text. */
export function requireDoc(snapshot: Snapshot, id: string): number {
  const doc = snapshot.docOf(id);
  if (doc !== undefined) return doc;
  throw noDocumentError(id);
}

/** The error for an id that no document has. */
export function noDocumentError(id: string): UsageError {
  return new UsageError(`no document has the id ${JSON.stringify(id)}`, undefined, "ERR_SLUICE_NO_DOCUMENT");
}
