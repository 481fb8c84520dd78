// What an index holds, in one statement for all pages: documents, or passages of documents.

import { counted } from "./numbers.ts";

export interface IndexSize {
  readonly docs: number;
  /** How many of them are passages. */
  readonly passages: number;
  /** How many documents the passages are of. */
  readonly cut: number;
}

export function sizeText({ docs, passages, cut }: IndexSize): string {
  if (passages === 0) return counted(docs, "document");
  if (passages === docs) return `${counted(passages, "passage")} of ${counted(cut, "document")}`;
  const whole = docs - passages;
  return `${counted(whole + cut, "document")}, ${cut} of them as ${counted(passages, "passage")}`;
}
