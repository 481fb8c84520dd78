// The get tool: a whole document by its id.

import { z } from "zod";
import { hintAtUnknownNames } from "../schemas/shared/unknown-names.ts";
import type { Searchable } from "../search/searchable.ts";
import { type FoundDocument, pickDocument } from "./found-document.ts";
import type { ToolLimits } from "./tool-limits.ts";
import { readWithinFilter } from "./within-filter.ts";

export const documentId = z.string().describe("the id of a document, as search returns it");

export const getInput = z.strictObject({ id: documentId }, { error: hintAtUnknownNames });

export type GetInput = z.output<typeof getInput>;

/** Reads a document, if the filter of the limits does not exclude it. */
export async function runGet(
  index: Searchable,
  { id }: GetInput,
  { filter }: Pick<ToolLimits, "filter"> = {},
): Promise<FoundDocument> {
  const document = await readWithinFilter(
    index,
    id,
    filter,
    () => index.document(id),
    (read) => read,
  );
  return pickDocument(id, document);
}
