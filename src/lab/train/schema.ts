// Building blocks for a config's schema. A check takes parsed JSON, fills in defaults and returns a typed value. An error
// names the path of the wrong value. An unknown key is an error that suggests the nearest known key.

import { abridged, UsageError } from "../../errors.ts";

/** Where a value is in a config. */
interface Location {
  readonly file: string;
  /** "optimizer.clip"; empty at the top. */
  readonly path: string;
}

/** Checks a parsed value and returns the typed value. */
export type Check<T> = (value: unknown, at: Location) => T;

type Checked<T> = { readonly [K in keyof T]: T[K] extends Check<infer V> ? V : never };

/** An object with these keys. The check of a missing key gets `undefined`. */
export function object<T extends Record<string, Check<unknown>>>(keys: T): Check<Checked<T>> {
  return (value, at) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw wrong(value, at, "an object");
    const given = value as Record<string, unknown>;
    for (const name of Object.keys(given)) {
      if (!Object.hasOwn(keys, name)) throw unknownKey(name, Object.keys(keys), at);
    }
    return Object.fromEntries(
      Object.entries(keys).map(([name, check]) => [name, check(given[name], inside(at, name))]),
    ) as Checked<T>;
  };
}

/** A value that may be missing or null. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, at) => (value === undefined || value === null ? undefined : check(value, at));
}

/** A value with a default. The default is checked like a given value. */
export function withDefault<T>(check: Check<T>, fallback: unknown): Check<T> {
  return (value, at) => check(value === undefined ? fallback : value, at);
}

export function list<T>(check: Check<T>, { least = 0 } = {}): Check<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw wrong(value, at, "a list");
    if (value.length < least) throw wrong(value, at, `a list of at least ${least}`);
    return value.map((item, i) => check(item, inside(at, String(i))));
  };
}

/** A number within bounds. `above` is an exclusive bound; `least` and `most` are inclusive. */
export function number(bounds: { above?: number; least?: number; most?: number } = {}): Check<number> {
  const { above, least, most } = bounds;
  const expected = [
    "a number",
    above === undefined ? "" : ` above ${above}`,
    least === undefined ? "" : ` of at least ${least}`,
    most === undefined ? "" : ` and at most ${most}`,
  ];
  return (value, at) => {
    const isWithin =
      typeof value === "number" &&
      Number.isFinite(value) &&
      value > (above ?? Number.NEGATIVE_INFINITY) &&
      value >= (least ?? value) &&
      value <= (most ?? value);
    if (!isWithin) throw wrong(value, at, expected.join(""));
    return value;
  };
}

/** A whole number. */
export function whole({ least = 0 } = {}): Check<number> {
  return (value, at) => {
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    throw wrong(value, at, `a whole number of at least ${least}`);
  };
}

export const boolean: Check<boolean> = (value, at) => {
  if (typeof value === "boolean") return value;
  throw wrong(value, at, "true or false");
};

export const text: Check<string> = (value, at) => {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(value, at, "a text");
};

export function oneOf<const T extends readonly string[]>(...choices: T): Check<T[number]> {
  return (value, at) => {
    if (choices.includes(value as string)) return value as T[number];
    throw wrong(value, at, choices.map((choice) => `"${choice}"`).join(" or "));
  };
}

/** Applies the first check if `is(value)`, otherwise the second. */
export function either<A, B>(
  is: (value: unknown) => boolean,
  first: Check<A>,
  second: Check<B>,
): Check<A | B> {
  return (value, at) => (is(value) ? first(value, at) : second(value, at));
}

function inside({ file, path }: Location, name: string): Location {
  return { file, path: path === "" ? name : `${path}.${name}` };
}

function wrong(value: unknown, { file, path }: Location, expected: string): UsageError {
  const found = value === undefined ? "missing" : abridged(JSON.stringify(value));
  return new UsageError(
    `${file}: ${path === "" ? "the config" : `"${path}"`} is ${found}, expected ${expected}`,
  );
}

function unknownKey(name: string, known: readonly string[], at: Location): UsageError {
  const nearest = known.map((key) => ({ key, far: distance(name, key) })).sort((a, b) => a.far - b.far)[0];
  return new UsageError(
    `${at.file}: there is no "${inside(at, name).path}"`,
    nearest.far <= Math.max(2, nearest.key.length / 2)
      ? `did you mean "${inside(at, nearest.key).path}"?`
      : `the keys are ${known.join(", ")}`,
  );
}

/** The Levenshtein distance: letters to change, add or drop. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
