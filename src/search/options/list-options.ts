// The options of a list of documents, and their checks.

import type { Fields } from "../../documents/document.ts";
import { type Condition, checkFilter, type Filter } from "../../documents/filter.ts";
import {
  checkNumber,
  checkOptions,
  checkSignal,
  type KnownOptions,
  MOST_DOCS,
  wrongValueError,
} from "../../support/options/options.ts";
import { checkReturnedFields, type ReturnedField } from "./answer-options.ts";

export interface ListOptions<FieldsType = Fields> {
  /** Which documents to list: { year: { lt: 1933 } }; all by default. */
  readonly filter?: Filter<FieldsType> | undefined;
  /** The most documents to return; 100 by default. 0 counts alone. */
  readonly limit?: number | undefined;
  /** Lists on where an earlier list ended: its `next`. */
  readonly after?: string | undefined;
  /** The fields of the documents to return; all by default, none for an empty list. */
  readonly fields?: readonly ReturnedField<FieldsType>[] | undefined;
  /** Aborting it stops the call. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `passages`: some options of `list`. Without a `limit`, all passages are returned. */
export type PassagesOptions<FieldsType = Fields> = Pick<
  ListOptions<FieldsType>,
  "fields" | "limit" | "signal"
>;

/** The default of `limit`. */
export const DEFAULT_LIMIT = 100;

/** The names of the options of `list`. */
export const LIST_OPTIONS: KnownOptions<ListOptions> = {
  filter: true,
  limit: true,
  after: true,
  fields: true,
  signal: true,
};

/** The names of the options of `passages`. */
const PASSAGES_OPTIONS: KnownOptions<PassagesOptions> = { limit: true, fields: true, signal: true };

/** The options of a list, once they are checked: what a list needs of them. */
interface CheckedList extends Pick<ListOptions, "fields" | "signal"> {
  /** The filter, checked and compiled. */
  readonly condition: Condition | undefined;
  readonly limit: number;
  /** The serial number after which to list on; 0 lists from the beginning. */
  readonly afterSerial: number;
}

/** Throws if an option is unknown or wrong. */
export function checkListOptions(options: ListOptions): CheckedList {
  checkOptions(options, LIST_OPTIONS, "list");
  const { filter, limit = DEFAULT_LIMIT, after, fields, signal } = options;
  const condition = filter === undefined ? undefined : checkFilter(filter);
  checkNumber("limit", limit, { least: 0, most: MOST_DOCS, isWhole: true });
  const afterSerial = toSerial(after);
  checkReturnedFields(fields);
  checkSignal(signal);
  return { condition, limit, afterSerial, fields, signal };
}

/** Throws if an option is unknown or wrong. */
export function checkPassagesOptions(options: PassagesOptions): PassagesOptions {
  checkOptions(options, PASSAGES_OPTIONS, "passages");
  const { limit, fields, signal } = options;
  checkNumber("limit", limit, { least: 0, most: MOST_DOCS, isWhole: true });
  checkReturnedFields(fields);
  checkSignal(signal);
  return { limit, fields, signal };
}

/** What `next` says: the serial number of the last document that was listed. */
export const CURSOR = /^\d{1,15}$/;

function toSerial(after: string | undefined): number {
  if (after === undefined) return 0;
  if (typeof after === "string" && CURSOR.test(after)) return Number(after);
  throw wrongValueError("after", "the next of an earlier list", after);
}
