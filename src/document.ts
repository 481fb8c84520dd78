// What comes in: a document as a user has it.

import { UsageError } from "./errors.ts";

/** What an index is made of. Fields beyond these are kept and come back with every hit. */
export interface Document {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  /** Weights of terms, made elsewhere: for an index whose `lexical` is "weights". */
  readonly weights?: ReadonlyMap<string, number> | Readonly<Record<string, number>>;
  /** The semantic part: an embedding of the text. All documents have one of the same width, or none has. */
  readonly vector?: ArrayLike<number>;
  readonly [field: string]: unknown;
}

/** The text that is indexed: the title, a space, the text. */
export function textOf(document: Document, where: string): string {
  for (const field of ["title", "text"] as const) {
    const value = document[field];
    if (value !== undefined && value !== null && typeof value !== "string") {
      throw new UsageError(`${where}: "${field}" is a ${typeof value}, expected a text`);
    }
  }
  return [document.title, document.text].filter(Boolean).join(" ");
}
