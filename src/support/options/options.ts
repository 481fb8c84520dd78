// Checks the arguments and options of callers before anything is done with them. Each mistake is one `SluiceError`: it names
// the option, what was found and what was expected. An unknown name is refused, with the name that was probably meant.

import { abridge, SluiceError } from "../errors/sluice-error.ts";
import { nearestName } from "./nearest.ts";

/** The names of all options of an interface. Each options interface has one, and the compiler finds a name that is missing. */
export type KnownOptions<Options> = { readonly [Name in keyof Required<Options>]: true };

/** The most documents an index can have, and so the most hits: document numbers have 32 bits. */
export const MOST_DOCS = 2 ** 32 - 1;
/** The most threads a search may use. Each takes memory of its own. */
const MOST_THREADS = 256;

/** Throws if `options` is not an object, or has an unknown name. `what` names the function that takes the options. */
export function checkOptions(
  options: unknown,
  known: Readonly<Record<string, true>>,
  what: string,
): asserts options is object {
  checkNames(options, known, what);
}

/** The same for an option that is an object, or a list of them: "rerank", "boosts[0]". The error names the option. */
export function checkParts(
  option: string,
  value: unknown,
  known: Readonly<Record<string, true>>,
): asserts value is object {
  checkNames(value, known, option, option);
}

function checkNames(
  options: unknown,
  known: Readonly<Record<string, true>>,
  what: string,
  option?: string,
): asserts options is object {
  if (!isPlainObject(options))
    throw optionError(option, `${what} takes an object of options, not ${showValue(options)}`);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name))
      throw unknownNameError(name, Object.keys(known), `${what} has no option`, option);
  }
}

/** An error about an unknown name. The hint is the nearest known name, or all of them. `option` is the one that has the name. */
export function unknownNameError(
  name: string,
  known: readonly string[],
  message: string,
  option?: string,
): SluiceError {
  const near = nearestName(name, known);
  return optionError(
    option,
    `${message} ${showValue(name)}`,
    near === undefined ? `there are ${known.join(", ")}` : `did you mean ${showValue(near)}?`,
  );
}

/**
 * The error for an option that is wrong, or a part of one: "lambda", "rerank.top", "boosts[0].field". The problem begins with its
 * name, so that the command line can put the name of its flag there.
 */
export function optionError(
  option: string | undefined,
  problem: string,
  hint?: ConstructorParameters<typeof SluiceError>[1],
): SluiceError {
  return new SluiceError(problem, hint, "ERR_SLUICE_INVALID", option);
}

interface AllowedNumbers {
  readonly least: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

/** Throws if the value is not a number in the range. `undefined` passes. */
export function checkNumber(name: string, value: unknown, { least, most, isWhole }: AllowedNumbers): void {
  if (value === undefined) return;
  const fits = typeof value === "number" && value >= least && value <= (most ?? Number.MAX_VALUE);
  if (fits && (!isWhole || Number.isInteger(value))) return;
  const range =
    most !== undefined
      ? ` from ${formatCount(least)} to ${formatCount(most)}`
      : least > -Number.MAX_VALUE
        ? ` of at least ${least}`
        : "";
  throw wrongValueError(name, `a ${isWhole ? "whole " : ""}number${range}`, value);
}

/** Throws if the value is not true or false. `undefined` passes. */
export function checkBoolean(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") throw wrongValueError(name, "true or false", value);
}

export function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") throw wrongValueError(name, "a function", value);
}

export function checkObject(name: string, value: unknown): void {
  if (value !== undefined && !isObject(value)) throw wrongValueError(name, "an object", value);
}

export function checkSignal(value: unknown): void {
  if (value === undefined) return;
  const { aborted, throwIfAborted } = (value ?? {}) as Partial<AbortSignal>;
  if (typeof aborted !== "boolean" || typeof throwIfAborted !== "function")
    throw wrongValueError("signal", "the signal of an AbortController", value);
}

export function checkThreads(threads: unknown): void {
  checkNumber("threads", threads, { least: 1, most: MOST_THREADS, isWhole: true });
}

/** Throws if the value is not a text, or is empty. */
export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || value === "") throw wrongValueError(name, "a text", value);
}

/** Throws if the value is not an array of texts. `elements` says what they are. */
export function checkTextList(name: string, elements: string, value: unknown): asserts value is string[] {
  if (!Array.isArray(value)) throw wrongValueError(name, `a list of ${elements}`, value);
  const wrong = value.findIndex((element) => typeof element !== "string");
  if (wrong >= 0) throw wrongValueError(`${name}[${wrong}]`, "a text", value[wrong]);
}

/** The ids in a list. Throws if one of them is not a text: 5 is not "5". */
export function checkIds(name: string, ids: Iterable<unknown>): string[] {
  return Array.from(ids, (id, i) => {
    if (typeof id !== "string") throw wrongValueError(`${name}[${i}]`, "an id, which is a text", id);
    return id;
  });
}

/** Throws if the value is not a text. An id may be any. */
export function checkId(id: unknown): asserts id is string {
  if (typeof id !== "string") throw wrongValueError("an id", "a text", id);
}

/** Throws if the value is not iterable, or is a text. With `allowsAsync`, an async iterable passes, too. */
export function checkIterable(name: string, elements: string, value: unknown, allowsAsync = false): void {
  if (value !== undefined) requireIterable(name, elements, value, allowsAsync);
}

/** Throws if the value is `undefined`, not iterable, or a text. With `allowsAsync`, an async iterable passes, too. */
export function requireIterable(name: string, elements: string, value: unknown, allowsAsync = false): void {
  const { [Symbol.iterator]: now, [Symbol.asyncIterator]: later } = (value ?? {}) as Partial<
    Iterable<unknown> & AsyncIterable<unknown>
  >;
  const isIterable = typeof now === "function" || (allowsAsync && typeof later === "function");
  // A text is a list of its letters. Nobody means those.
  const isOne = typeof value === "string" || isObject(value);
  if (typeof value === "string" || !isIterable)
    throw wrongValueError(
      name,
      `a list of ${elements}`,
      value,
      isOne ? "put it into a list: [ … ]" : undefined,
    );
}

/** The elements of something that may be readable only once. Throws if it cannot be read. */
export function readList<T>(name: string, elements: string, value: Iterable<T>): readonly T[] {
  requireIterable(name, elements, value);
  return Array.isArray(value) ? value : [...value];
}

/** Reads a list of texts. Throws if it cannot be read, or if one of its elements is not a text. */
export function checkTexts(name: string, texts: Iterable<unknown>): readonly string[] {
  return readList(name, "texts", texts).map((text, i) => {
    if (typeof text !== "string") throw wrongValueError(`${name}[${i}]`, "a text", text);
    return text;
  });
}

/** The error for an argument or an option with a value that cannot be meant. */
export function wrongValueError(name: string, expected: string, found: unknown, hint?: string): SluiceError {
  // Some names are words for people: "the query's text".
  const option = /^\w+([.[].*)?$/.test(name) ? name : undefined;
  return optionError(option, `${name} must be ${expected}, not ${showValue(found)}`, hint);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `isObject` for a value of unknown type whose names are read next. A typed array passes: JSON stores it with the keys 0, 1, … */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value);
}

/** Whether a value is an object with names and values. A Date or a Map is an object, too, and has no options in it. */
export function isPlainObject(value: unknown): value is object {
  return isObject(value) && Object.prototype.toString.call(value) === "[object Object]";
}

/** A value as an error message shows it, always short. */
export function showValue(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a Date";
  if (value instanceof Map) return "a Map";
  if (typeof value === "object" && value !== null) return "an object";
  return abridge(typeof value === "string" ? JSON.stringify(value) : String(value));
}

export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}
