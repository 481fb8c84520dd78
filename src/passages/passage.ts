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
 * Whether a document is a passage already: `readFiles` returned it, or it was read from an index. Its field `passage` says of which
 * document, and its id agrees. A document with another field of this name is none.
 */
export function isPassage(document: Document): boolean {
  const { of, number } = originOf(document) ?? {};
  return typeof of === "string" && typeof number === "number" && document.id === passageId(of, number);
}

/**
 * The id of the document whose earlier version goes before this one is upserted: all its passages, and the document itself, if it
 * was added uncut. The first passage stands for all of its document. An uncut document replaces its own passages: `hasPassages`
 * says whether there are any.
 */
export function documentToReplace(
  document: Document,
  hasPassages: (documentId: string) => boolean,
): string | undefined {
  if (isFirstPassage(document)) return originOf(document)!.of;
  return hasPassages(document.id) ? document.id : undefined;
}

/** Whether a document is the first passage of another one. */
export function isFirstPassage(document: Document): boolean {
  return originOf(document)?.number === 1 && isPassage(document);
}

/** Whether a document, as it is kept, is a passage of the document with this id. */
export function isPassageOf(fields: object | undefined, documentId: string): boolean {
  return originOf(fields)?.of === documentId;
}

function originOf(fields: object | undefined): Partial<PassageOrigin> | null | undefined {
  return (fields as { passage?: Partial<PassageOrigin> | null } | undefined)?.passage;
}

/**
 * Deletes a document: itself, if it was added uncut, and its passages. They are numbered from 1, so it removes one after the other
 * until `remove` finds none. Returns how many were deleted.
 */
export async function deleteWithPassages(
  documentId: string,
  remove: (id: string) => Promise<boolean>,
): Promise<number> {
  const whole = Number(await remove(documentId));
  let passages = 0;
  while (await remove(passageId(documentId, passages + 1))) passages++;
  return whole + passages;
}
