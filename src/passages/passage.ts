// A passage: a document that is a piece of a longer text. Its id and its field `passage` say of which one, and where.

import type { Document } from "../documents/document.ts";

/** Where a passage stands in the text that it is a piece of: the text of a document, or a file. */
export interface PassageOrigin {
  /** The id of the document, or the name of the file. */
  readonly of: string;
  /** Counts the passages of the document, from 1. */
  readonly number: number;
  /** The heading above it, if there is one. */
  readonly heading?: string | undefined;
  /** The line it begins on, from 1. */
  readonly line: number;
  /** Where it begins and ends in the whole text, in UTF-16 units, without words that it repeats. */
  readonly start: number;
  readonly end: number;
}

/** The id of a passage of a document. */
export function passageId(documentId: string, number: number): string {
  return `${documentId}#${number}`;
}

/**
 * The id of the document that a first passage belongs to; undefined for all other documents. Before a first passage is added, an
 * earlier version of its document is deleted: all its passages, and the document itself, if it was added uncut.
 */
export function documentToReplace(document: Document): string | undefined {
  const { of, number } = (document as { passage?: Partial<PassageOrigin> | null }).passage ?? {};
  return number === 1 && typeof of === "string" && document.id === passageId(of, 1) ? of : undefined;
}

/** Whether a document, as it is kept, is a passage of the document with this id. */
export function isPassageOf(fields: object | undefined, documentId: string): boolean {
  return (fields as { passage?: Partial<PassageOrigin> | null } | undefined)?.passage?.of === documentId;
}

/**
 * Deletes a document: itself, if it was added uncut, and its passages, which are numbered from 1, until `remove` finds none.
 * Returns how many were deleted.
 */
export async function deletePassages(
  documentId: string,
  remove: (id: string) => Promise<boolean>,
): Promise<number> {
  const whole = Number(await remove(documentId));
  let passages = 0;
  while (await remove(passageId(documentId, passages + 1))) passages++;
  return whole + passages;
}
