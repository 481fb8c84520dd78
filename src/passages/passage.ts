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
  /** The line of `start`, from 1. */
  readonly line: number;
  /**
   * Where it begins and ends in the whole text, in UTF-16 units, without words that it repeats, and without repeated table headers
   * and code fences.
   */
  readonly start: number;
  readonly end: number;
}

/** The id of a passage of a document. */
export function passageId(documentId: string, number: number): string {
  return `${documentId}#${number}`;
}

/** The two parts of an id that a passage may have: `a#3` → `a` and 3. Undefined for other ids. */
export function parsePassageId(id: string): Pick<PassageOrigin, "of" | "number"> | undefined {
  const at = id.lastIndexOf("#");
  if (at <= 0 || !/^[1-9]\d{0,14}$/.test(id.slice(at + 1))) return undefined;
  return { of: id.slice(0, at), number: Number(id.slice(at + 1)) };
}

/** The range of ids that has all passages of a document, and a few other ids. In UTF-8, `:` follows the digits. */
export function passageIdRange(documentId: string): { start: string; end: string } {
  return { start: `${documentId}#1`, end: `${documentId}#:` };
}

/**
 * Whether a document is a passage already: `readFiles` returned it, or it was read from an index. Its field `passage` says of which
 * document, and its id agrees. A document whose field `passage` is something else is none. `fields` are as they are stored, maybe
 * without the id.
 */
export function isPassage(id: string, fields: object): boolean {
  const parts = parsePassageId(id);
  if (!parts) return false;
  const { of, number } = (fields as { passage?: Partial<PassageOrigin> | null }).passage ?? {};
  return of === parts.of && number === parts.number;
}

/**
 * The id of the document whose earlier version is deleted when this one is upserted: all its passages, and the document itself if
 * it was added uncut. The first passage stands for its whole document. Undefined for a later passage: it replaces only itself.
 */
export function documentToReplace(document: Document): string | undefined {
  if (!isPassage(document.id, document)) return document.id;
  const { of, number } = parsePassageId(document.id)!;
  return number === 1 ? of : undefined;
}
