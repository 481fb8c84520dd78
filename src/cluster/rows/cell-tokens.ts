// A cell → its token in the field `terms` of a document on a cluster. With a slice for every term, the token is the term itself,
// so that people can read and write queries. In rows of slots it is "slice:index".
//
// OpenSearch cuts the field at white space, and a token at its last "|". It cuts a token of more than 255 characters into two. So
// these characters are written as %XXXX, and a long term as the hash of it.

import { createHash } from "node:crypto";
import type { Slicing } from "../../densify/slicing.ts";

/** The longest token, in units of UTF-16. */
const LONGEST = 200;

/** The token of a term: the term itself, unless it has characters that cannot stand in a token. */
export function termToken(term: string): string {
  const token = term.replaceAll(/[%|\s\p{C}]|^$/gu, (found) =>
    [...Array(Math.max(1, found.length)).keys()].map((i) => escaped(found.charCodeAt(i) || 0)).join(""),
  );
  return token.length <= LONGEST ? token : `%%${createHash("sha256").update(term).digest("hex")}`;
}

function escaped(unit: number): string {
  return `%${unit.toString(16).padStart(4, "0")}`;
}

/** A function that gives the token of a cell. */
export function createCellTokens(slicing: Slicing): (slice: number, index: number) => string {
  if (slicing.settings.strategy !== "full") return (slice, index) => `${slice}:${index}`;
  // With a slice for every term, the id of a term is its slice.
  return (slice) => termToken(slicing.vocabulary.term(slice));
}
