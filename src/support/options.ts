// What callers hand over, checked before anything is done with it: each mistake is one `UsageError` that names the option, says
// what was found and what is expected. Names that are not known are refused, with the name that was probably meant.

import { abridged, UsageError } from "../errors.ts";

/** The options there are, by name; beside each interface stands its own, so that the compiler finds one that is missing. */
export type KnownOptions<Options> = { readonly [Name in keyof Required<Options>]: true };

/** Documents have numbers of 32 bits: more hits than that there cannot be. */
export const MOST_DOCS = 2 ** 32 - 1;
/** Threads that search, at most: each takes memory of its own. */
const MOST_THREADS = 256;

/** What other engines call our options. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  k: ["limit", "top", "topk", "top_k", "size", "count", "n", "hits", "max", "perpage", "hitsperpage"],
  offset: ["skip", "from", "start", "page"],
  filter: ["where", "conditions"],
  lambda: ["alpha", "weight", "boost"],
  minScore: ["min_score", "threshold", "scorethreshold", "cutoff"],
  text: ["query", "q", "question", "string", "content", "input"],
  vector: ["embedding", "embeddings", "values", "dense"],
  weights: ["sparse", "terms"],
  encoder: ["model", "embedder"],
  analyzer: ["language", "stemmer", "tokenizer"],
  threads: ["workers", "concurrency"],
  dims: ["dimensions", "width"],
  documents: ["fields", "store"],
};

/** Refuses what is no object of options, and options that are not there. `what` names who takes them. */
export function checkOptions(
  options: unknown,
  known: Readonly<Record<string, true>>,
  what: string,
): asserts options is object {
  if (!isObject(options)) throw new UsageError(`${what} takes an object of options, not ${shown(options)}`);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name)) throw unknownName(name, Object.keys(known), `${what} has no option`);
  }
}

/** An error about a name that is not there, with the nearest one that is. */
export function unknownName(name: string, known: readonly string[], message: string): UsageError {
  const near = nearest(name, known);
  return new UsageError(
    `${message} ${shown(name)}`,
    near === undefined ? `there are ${known.join(", ")}` : `did you mean ${shown(near)}?`,
  );
}

export interface NumberRange {
  readonly least: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** Refuses what is no number in a range; what was left out is right. */
export function checkNumber(name: string, value: unknown, { least, most, isWhole }: NumberRange): void {
  if (value === undefined) return;
  const fits = typeof value === "number" && value >= least && value <= (most ?? Number.MAX_VALUE);
  if (fits && (!isWhole || Number.isInteger(value))) return;
  const range =
    most !== undefined
      ? ` from ${withCommas(least)} to ${withCommas(most)}`
      : least > -Number.MAX_VALUE
        ? ` of at least ${least}`
        : "";
  throw new UsageError(`${name} must be a ${isWhole ? "whole " : ""}number${range}, not ${shown(value)}`);
}

/** Refuses all but true and false; what was left out is right. */
export function checkTruth(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw wrong(name, "true or false", value);
}

export function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") throw wrong(name, "a function", value);
}

export function checkObject(name: string, value: unknown): void {
  if (value !== undefined && !isObject(value)) throw wrong(name, "an object", value);
}

export function checkSignal(value: unknown): void {
  if (value === undefined) return;
  const { aborted, throwIfAborted } = (value ?? {}) as Partial<AbortSignal>;
  if (typeof aborted !== "boolean" || typeof throwIfAborted !== "function")
    throw wrong("signal", "the signal of an AbortController", value);
}

export function checkThreads(threads: unknown): void {
  checkNumber("threads", threads, { least: 1, most: MOST_THREADS, isWhole: true });
}

/** A text that is not empty, such as a folder or an id. */
export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || value === "") throw wrong(name, "a text", value);
}

/** A list, a set, a generator: anything but a text that can be gone through. */
export function checkIterable(name: string, of: string, value: unknown, mayWait = false): void {
  if (value === undefined) return;
  const { [Symbol.iterator]: now, [Symbol.asyncIterator]: later } = (value ?? {}) as Partial<
    Iterable<unknown> & AsyncIterable<unknown>
  >;
  const isIterable = typeof now === "function" || (mayWait && typeof later === "function");
  if (typeof value === "string" || !isIterable) throw wrong(name, `a list of ${of}`, value);
}

export function wrong(name: string, expected: string, found: unknown): UsageError {
  return new UsageError(`${name} must be ${expected}, not ${shown(found)}`);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as a message shows it: short, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return abridged(typeof value === "string" ? JSON.stringify(value) : String(value));
}

/** The known name that was probably meant; undefined when none is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const other = known.find((one) => OTHER_NAMES[one]?.includes(lower));
  if (other !== undefined) return other;
  const [best] = known
    .map((one) => ({ one, edits: editsBetween(lower, one.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  return best && best.edits <= Math.max(1, Math.floor(name.length / 3)) ? best.one : undefined;
}

/** Letters to add, drop, change, or swap with their neighbor until one word is the other. */
function editsBetween(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}

function withCommas(value: number): string {
  return Math.abs(value) >= 10_000 ? value.toLocaleString("en-US") : String(value);
}
