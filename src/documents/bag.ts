// A bag of terms: a text as terms with weights. Encoders write bags into files, and people write them into queries.

import { abridge, SluiceError } from "../support/errors/sluice-error.ts";
import { showValue } from "../support/options/options.ts";

export type Bag = ReadonlyMap<string, number>;

/** How often each term occurs. */
export function countTerms(terms: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

export interface BagFormat {
  /** Every weight is multiplied by this. */
  readonly scale?: number;
  /** If tokens are written as vocabulary ids ("2054"), the terms of that vocabulary in the order of their ids. */
  readonly idsOf?: readonly string[];
}

/** A bag from a JSON object of token → weight. Throws if it is anything else. */
export function parseBag(vector: unknown, where: string, format: BagFormat = {}): Map<string, number> {
  if (Array.isArray(vector)) {
    throw new SluiceError(`${where}: "vector" is a list of numbers, expected an object of token weights`);
  }
  if (typeof vector !== "object" || vector === null) {
    throw new SluiceError(
      `${where}: "vector" is ${abridge(JSON.stringify(vector) ?? "missing")}, expected an object`,
    );
  }
  return checkBag(Object.entries(vector), where, format);
}

/** The entries of weights as users give them: a Map, or a plain object. Throws if it is anything else, which would have none. */
export function weightEntries(weights: unknown, where: string): Iterable<readonly [string, unknown]> {
  if (weights instanceof Map) return weights;
  if (typeof weights === "object" && weights !== null) {
    const prototype = Object.getPrototypeOf(weights);
    if (prototype === null || Object.getPrototypeOf(prototype) === null) return Object.entries(weights);
  }
  throw new SluiceError(`${where}: ${showValue(weights)}, expected an object or a Map of numbers by term`);
}

/** A bag from tokens and weights. Throws if a weight is not a finite number of at least 0. */
export function checkBag(
  entries: Iterable<readonly [string, unknown]>,
  where: string,
  { scale = 1, idsOf }: BagFormat = {},
): Map<string, number> {
  const bag = new Map<string, number>();
  for (const [token, weight] of entries) {
    if (typeof weight !== "number" || !Number.isFinite(weight) || weight < 0) {
      throw new SluiceError(
        `${where}: the weight of ${JSON.stringify(token)} is ${abridge(String(weight))}, ` +
          "expected a finite number of at least 0",
      );
    }
    bag.set(idsOf ? termOfId(token, idsOf, where) : token, weight * scale);
  }
  return bag;
}

function termOfId(token: string, terms: readonly string[], where: string): string {
  const term = /^\d+$/.test(token) ? terms[Number(token)] : undefined;
  if (term === undefined) {
    throw new SluiceError(
      `${where}: ${JSON.stringify(token)} is not an id below ${terms.length}, the vocabulary's size`,
    );
  }
  return term;
}
