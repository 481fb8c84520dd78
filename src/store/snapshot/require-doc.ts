// The id of a document → its doc in a snapshot, or an error that names the id.

import { noDocumentError } from "../../documents/no-document.ts";
import type { Snapshot } from "./snapshot.ts";

/** @internal The doc of the document with an id. Throws if no document has this id. Callers check that the id is a text. */
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
