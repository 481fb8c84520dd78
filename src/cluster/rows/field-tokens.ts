// The fields of a document → tokens for one keyword field of a cluster, and a filter → a query for these tokens. One field,
// because a cluster has to know the type of every field of its own, and a field of ours may be a number here and a text there.
//
//   { year: 1919, tags: ["a", "b"], open: true }
//   "year\tn" + 16 hexadecimal digits, "tags\tsa", "tags\tsb", "open\tbtrue"
//
// Tokens sort as values do, because lt, lte, gt and gte become a range of tokens: numbers by their bits, texts by UTF-16 code unit.
// OpenSearch sorts by UTF-8 bytes, which differs for surrogates and what is above them, so those are written in hexadecimal.

import { createHash } from "node:crypto";
import { type Condition, eachField, type Scalar } from "../../documents/filter.ts";

/** A query of OpenSearch, as JSON. */
export type ClusterQuery = Readonly<Record<string, unknown>>;

/** The field that holds the tokens. */
export const FIELD_TOKENS = "fields";

/** The longest text that is written out, in units of UTF-16. Of a longer one, the beginning and a hash. */
const LONGEST = 1000;
const ALL_DOCUMENTS: ClusterQuery = { match_all: {} };

/** The tokens of a document's fields: one for each value, and one for each field that has a value. */
export function fieldTokens(fields: Readonly<Record<string, unknown>>): string[] {
  const tokens: string[] = [];
  eachField(fields, (name, value) => {
    tokens.push(existsToken(name));
    for (const one of typeof value === "object" ? value : [value]) {
      if (one !== null) tokens.push(valueToken(name, one));
    }
  });
  return [...new Set(tokens)];
}

/** The query that accepts the documents that a condition accepts. */
export function toClusterQuery(condition: Condition): ClusterQuery {
  switch (condition.kind) {
    case "and":
      return condition.of.length === 0
        ? ALL_DOCUMENTS
        : { bool: { filter: condition.of.map(toClusterQuery) } };
    case "or":
      return { bool: { should: condition.of.map(toClusterQuery), minimum_should_match: 1 } };
    case "not":
      return { bool: { must_not: [toClusterQuery(condition.of)] } };
    case "exists":
      return { term: { [FIELD_TOKENS]: existsToken(condition.field) } };
    case "in": {
      const tokens = Array.from(condition.values, (value) => valueToken(condition.field, value));
      return { terms: { [FIELD_TOKENS]: tokens } };
    }
    case "range": {
      // One clause with both bounds: one token is within them.
      const { field, lower, upper } = condition;
      const bounds = {
        [lower.kind]: valueToken(field, lower.bound),
        [upper.kind]: valueToken(field, upper.bound),
      };
      return { range: { [FIELD_TOKENS]: bounds } };
    }
    default: {
      const { kind, field, bound } = condition;
      return {
        range: { [FIELD_TOKENS]: { ...rangeOfType(field, bound), [kind]: valueToken(field, bound) } },
      };
    }
  }
}

/** All tokens of a field with values of a type: the end is the first token after them. */
function rangeOfType(field: string, { constructor: type }: Scalar): { gte: string; lt: string } {
  const letter = type === Number ? "n" : "s";
  const start = `${escapedName(field)}\t${letter}`;
  return { gte: start, lt: `${escapedName(field)}\t${String.fromCharCode(letter.charCodeAt(0) + 1)}` };
}

function existsToken(field: string): string {
  return `${escapedName(field)}\te`;
}

function valueToken(field: string, value: Scalar): string {
  const name = escapedName(field);
  if (typeof value === "number") return `${name}\tn${sortableDigits(value)}`;
  return typeof value === "boolean" ? `${name}\tb${value}` : `${name}\ts${sortableText(value)}`;
}

/** The bits of a number as hexadecimal digits that sort as numbers do. −0 is 0. */
export function sortableDigits(number: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number === 0 ? 0 : number);
  const bits = view.getBigUint64(0);
  const isNegative = bits >> 63n === 1n;
  const sortable = isNegative ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n);
  return sortable.toString(16).padStart(16, "0");
}

/** A text that sorts by UTF-8 bytes as the given one does by UTF-16 code unit. */
export function sortableText(text: string): string {
  const start = text.length > LONGEST ? text.slice(0, LONGEST) : text;
  const sortable = /[\ud7ff-\uffff]/.test(start)
    ? Array.from({ length: start.length }, (_, i) => unit(start, i)).join("")
    : start;
  return text === start ? sortable : `${sortable}${createHash("sha256").update(text).digest("hex")}`;
}

/** U+D7FF is the last character below the surrogates, and no letter of any script. */
function unit(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code < 0xd7ff ? text[at] : `\ud7ff${code.toString(16)}`;
}

/** A name of a field without the tab that ends it. */
function escapedName(field: string): string {
  return sortableText(field).replaceAll("\t", "\ud7ff0009");
}

/** The name of the field of a token. */
export function parseTokenName(token: string): string {
  return plainText(token.slice(0, token.indexOf("\t")));
}

/** The text or the boolean of a token. */
export function parseTokenValue(token: string): string | boolean {
  const value = token.slice(token.indexOf("\t") + 2);
  return token[token.indexOf("\t") + 1] === "b" ? value === "true" : plainText(value);
}

/** The number of a token. */
export function parseTokenNumber(token: string): number {
  const sortable = BigInt(`0x${token.slice(token.indexOf("\t") + 2)}`);
  const isNegative = sortable >> 63n === 0n;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, isNegative ? ~sortable & 0xffff_ffff_ffff_ffffn : sortable & ((1n << 63n) - 1n));
  return view.getFloat64(0);
}

function plainText(sortable: string): string {
  return sortable.replaceAll(/\ud7ff([0-9a-f]{4})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
