// The get tool: a whole document by its id.

import { z } from "zod";
import { hintAtUnknownNames } from "../schemas/shared/unknown-names.ts";
import type { Searchable } from "../search/searchable.ts";
import { type FoundDocument, pickDocument } from "./found-document.ts";

export const documentId = z.string().describe("the id of a document, as search returns it");

export const getInput = z.strictObject({ id: documentId }, { error: hintAtUnknownNames });

export type GetInput = z.output<typeof getInput>;

export async function runGet(index: Searchable, id: string): Promise<FoundDocument> {
  return pickDocument(id, await index.document(id));
}
