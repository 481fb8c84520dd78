// A boost adds to the score of a document by the value of one of its fields: how recent it is, how popular it is. Users write
// it as JSON; `checkBoosts` turns it into a checked boost; `computeBoost` defines what a value adds.
//
//   { "field": "updated", "decay": "exp", "scale": "30d", "weight": 2 }    2 for now, 1 for 30 days ago, ½ for 60 days ago
//   { "field": "price", "decay": "gauss", "scale": 20, "origin": 100 }     1 at 100, ½ at 80 and at 120
//   { "field": "votes", "log": true, "weight": 0.5 }                       0.5 × ln(1 + votes)
//   { "field": "rating", "weight": -0.1 }                                  −0.1 × rating
//
// A field has a number if its value is a number, a boolean (1 and 0), or an ISO date, which counts as milliseconds since 1970.
// Of a list the largest counts. A document without a number gets 0. A number beyond ±1e100 counts as ±1e100.

import {
  checkBoolean,
  checkNumber,
  checkParts,
  checkText,
  isObject,
  optionError,
  showValue,
  wrongValueError,
} from "../support/options/options.ts";
import type { FieldName, FieldValue, Scalar } from "./filter.ts";

/** How a decay falls with the distance from its origin. All of them reach one half of the weight at the distance `scale`. */
export const DECAYS = ["exp", "gauss", "linear"] as const;
export type Decay = (typeof DECAYS)[number];

/** What a field of documents adds to their scores. `Boost<Fields<Article>>` knows the fields of your documents. */
export type Boost<FieldsType = Readonly<Record<string, unknown>>> = {
  readonly field: FieldName<FieldsType>;
  /** What the result is multiplied by; 1 by default. A weight below 0 lowers scores. */
  readonly weight?: number | undefined;
} & (
  | {
      /** By the distance from `origin`: `exp`, `gauss` or `linear`, which is 0 from two scales on. */
      readonly decay: Decay;
      /** The distance where half of the weight is left: a number, or a duration such as "12h", "30d" or "2y". */
      readonly scale: number | string;
      /** A number or an ISO date; the time of the search by default. It is the same for all documents. */
      readonly origin?: number | string | undefined;
      readonly log?: undefined;
    }
  | {
      /** True: by the logarithm of 1 + value. A value below 0 counts as 0. */
      readonly log?: boolean | undefined;
      readonly decay?: undefined;
      readonly scale?: undefined;
      readonly origin?: undefined;
    }
);

/** A boost that was checked. It is plain data, so that threads can get it. */
export type CheckedBoost =
  | (Weighed & { readonly by: Decay; readonly scale: number; readonly origin: number })
  | (Weighed & { readonly by: "log" })
  | (Weighed & { readonly by: "value" });

interface Weighed {
  readonly field: string;
  readonly weight: number;
}

/** What one boost adds to the score of a document. */
export interface BoostPart {
  readonly field: string;
  /** The number of the document in the field. Absent if it has none. */
  readonly value?: number;
  readonly contribution: number;
}

/** Weights are at most this. With larger ones, nothing of the other parts would be left in a score. */
export const MOST_WEIGHT = 1e6;
/** Larger numbers count as this one. So the sum of all boosts is a number, whatever their weights are. */
const MOST_NUMBER = 1e100;
/** The most boosts of a search. */
export const MOST_BOOSTS = 16;

const MS = 1;
const SECOND = 1000 * MS;
const DAY = 86_400 * SECOND;
const UNITS: Readonly<Record<string, number>> = {
  ms: MS,
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY,
  w: 7 * DAY,
  y: 365.25 * DAY,
};
const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d|w|y)$/;

const KNOWN = { field: true, weight: true, decay: true, scale: true, origin: true, log: true } as const;

/** Throws if boosts are wrong. `now` is the origin of decays that have none. */
export function checkBoosts(boosts: readonly Boost[], now: number): CheckedBoost[] {
  if (!Array.isArray(boosts)) throw wrongValueError("boosts", "a list of boosts", boosts);
  if (boosts.length > MOST_BOOSTS)
    throw optionError("boosts", `boosts has ${boosts.length} entries, expected at most ${MOST_BOOSTS}`);
  return boosts.map((boost, i) => checkBoost(boost, `boosts[${i}]`, now));
}

function checkBoost(boost: Boost, where: string, now: number): CheckedBoost {
  if (!isObject(boost)) throw wrongValueError(where, "an object with a field", boost);
  checkParts(where, boost, KNOWN);
  const { field, weight = 1, decay, scale, origin, log } = boost;
  checkText(`${where}.field`, field);
  checkNumber(`${where}.weight`, weight, { least: -MOST_WEIGHT, most: MOST_WEIGHT });
  checkBoolean(`${where}.log`, log);
  if (decay === undefined) {
    if (scale !== undefined || origin !== undefined)
      throw optionError(
        where,
        `${where} has ${scale === undefined ? "an origin" : "a scale"} and no decay`,
        `add decay: one of ${DECAYS.join(", ")}`,
      );
    return { field, weight, by: log ? "log" : "value" };
  }
  if (!DECAYS.includes(decay)) throw wrongValueError(`${where}.decay`, `one of ${DECAYS.join(", ")}`, decay);
  if (log !== undefined) throw optionError(where, `${where} takes either decay or log`);
  const isDuration = typeof scale === "string";
  const distance = isDuration ? parseDuration(scale) : scale;
  if (typeof distance !== "number" || !(distance > 0 && distance <= MOST_NUMBER))
    throw wrongValueError(
      `${where}.scale`,
      'a number above 0, or a duration such as "12h", "30d" or "2y"',
      scale,
    );
  if (origin === undefined && !isDuration)
    throw optionError(
      where,
      `${where}.scale is ${showValue(scale)}, and there is no origin`,
      'give the origin, or write the scale as a duration such as "30d" to count from now',
    );
  const isScalar = typeof origin === "number" || typeof origin === "string";
  const center = origin === undefined ? now : isScalar ? toNumber(origin) : undefined;
  if (center === undefined) {
    const hint = "write a date as its ISO text, such as date.toISOString(), or give a number";
    throw wrongValueError(`${where}.origin`, "a number or an ISO date", origin, hint);
  }
  return { field, weight, by: decay, scale: distance, origin: center };
}

function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit];
}

/** What a number adds to a score. This is the definition. */
export function computeBoost(boost: CheckedBoost, value: number): number {
  const { weight } = boost;
  if (boost.by === "value") return weight * value;
  if (boost.by === "log") return weight * Math.log1p(Math.max(0, value));
  const { by, origin, scale } = boost;
  const distance = Math.abs(value - origin) / scale;
  if (by === "exp") return weight * 2 ** -distance;
  return weight * (by === "gauss" ? 2 ** -(distance * distance) : Math.max(0, 1 - distance / 2));
}

const ISO_DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/** The number of a field's value; undefined if it has none. */
export function toNumber(value: FieldValue): number | undefined {
  if (typeof value !== "object") return scalarToNumber(value);
  const numbers = value.map((each) => (each === null ? undefined : scalarToNumber(each)));
  const known = numbers.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : known.reduce((most, each) => Math.max(most, each));
}

function scalarToNumber(value: Scalar): number | undefined {
  const number = typeof value === "string" ? parseTime(value) : Number(value);
  return Number.isNaN(number) ? undefined : Math.max(-MOST_NUMBER, Math.min(number, MOST_NUMBER));
}

/** Milliseconds since 1970; NaN if the text is not an ISO date. A time without a zone is UTC, on every machine. */
function parseTime(text: string): number {
  const date = ISO_DATE.exec(text);
  if (!date) return Number.NaN;
  const [, year, month, day, zone] = date;
  if (day !== undefined && Number(day) > lastDayOfMonth(Number(year), Number(month))) return Number.NaN;
  return Date.parse(text.length > 10 && zone === undefined ? `${text}Z` : text);
}

/** The number of days of a month. `Date.parse` does not refuse 30 February: it reads 1 March. */
function lastDayOfMonth(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
}
