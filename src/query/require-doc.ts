// The id of a document → its doc in a snapshot, or an error that names the id.

import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { UsageError } from "../support/errors/usage-error.ts";

/** @internal The doc of the document with an id. Throws if there is none. Callers check that the id is a text. */
export function requireDoc(snapshot: Snapshot, id: string): number {
  const doc = snapshot.docOf(id);
  if (doc !== undefined) return doc;
  throw noDocumentError(id);
}

/** @internal `requireDoc` for many ids. The error names all ids that no document has. */
export function requireDocs(snapshot: Snapshot, ids: readonly string[]): number[] {
  const docs = ids.map((id) => snapshot.docOf(id));
  const missing = ids.filter((_, i) => docs[i] === undefined);
  if (missing.length > 0) throw noDocumentError(...missing);
  return docs as number[];
}

/** The most ids that an error names. */
const MOST_NAMED = 10;

/** The error for ids that no document has. */
export function noDocumentError(...ids: string[]): UsageError {
  const named = [...new Set(ids)].map((id) => JSON.stringify(id));
  const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : "";
  const which = named.slice(0, MOST_NAMED).join(", ");
  return new UsageError(
    `no document has the ${named.length === 1 ? "id" : "ids"} ${which}${more}`,
    undefined,
    "ERR_SLUICE_NO_DOCUMENT",
  );
}
