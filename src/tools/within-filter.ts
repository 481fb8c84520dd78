// Tools that take an id apply the program's filter, too. An excluded document counts as missing. A document's own fields decide,
// because they come from the same commit as the document that is returned.

import type { Fields } from "../documents/document.ts";
import { accepts, checkFilter, type Filter } from "../documents/filter.ts";
import { noDocumentError } from "../documents/no-document.ts";
import type { Searchable } from "../search/searchable.ts";

/** Reads a document by its id, and throws as for an unknown id if the filter excludes it. */
export async function readWithinFilter<Read>(
  index: Searchable,
  id: string,
  filter: Filter | undefined,
  read: () => Promise<Read>,
  documentOf: (read: Read) => Fields,
): Promise<Read> {
  if (!filter) return read();
  const condition = checkFilter(filter);
  // Throws where a search would: documents of an export may lack fields that the filter needs, and `ne` would accept them all.
  await index.list({ filter, limit: 1, fields: [] });
  const found = await read();
  if (accepts(condition, documentOf(found))) return found;
  throw noDocumentError(id);
}
