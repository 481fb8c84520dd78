// A document as a language model sees it, and the same as a short text: a model pays for every token that it reads.

import { z } from "zod";
import type { Fields } from "../documents/document.ts";
import type { Immutable } from "../schemas/shared/immutable.ts";

export const foundDocumentSchema = z.object({
  id: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  fields: z.record(z.string(), z.unknown()).describe("all other fields of the document"),
});

export type FoundDocument = Immutable<z.infer<typeof foundDocumentSchema>>;

export function pickDocument(id: string, document: Fields): FoundDocument {
  const { title, text, ...fields } = document as { title?: string; text?: string };
  return { id, ...(title && { title }), ...(text && { text }), fields };
}

export function documentText({ title, text, fields }: FoundDocument): string {
  const others = Object.entries(fields).map(([name, value]) =>
    typeof value === "string" ? `${name}: ${value}` : `${name}: ${JSON.stringify(value)}`,
  );
  return [title, text, others.join(", ")].filter(Boolean).join("\n");
}

/** A number of an explanation or a hit, as short as a model needs it. */
export function formatNumber(value: number): string {
  return value.toFixed(2);
}
