// A filter says which documents may be hits. Users write it as JSON; `checkFilter` turns it into a condition; `accepts`
// defines what a condition means for one document. segment/columns answers the same for all documents at once.
//
//   { "year": { "lt": 1933 }, "cat": "c3" }        several fields: all must hold; a value alone is short for eq
//   { "cat": { "in": ["a", "b"] } }                one of the list
//   { "year": { "gte": 1919, "lt": 1933 } }        several operators: all must hold, of a list for the same value
//   { "tags": { "exists": true } }                 has a value
//   { "or": [{ … }, { … }] }, { "and": [ … ] }, { "not": { … } }
//   {}                                             every document
//
// A field has one value, several if it is a list, or none. It has none if it is absent, null, an object, or a list without
// values. Lists inside lists are one list. The fields of objects in a list are lists, too: in { "v": ["a", { "x": 1 }, [5]] },
// `v` has the values "a" and 5, and "v.x" has the value 1. Operators hold if one of the values meets all of them, so they never
// hold for a field without a value. `ne` is the opposite of `eq`: no value may be equal, so it always holds for such a field.
// `eq: null` means that there is no value, like `exists: false`: some programs write null where others write nothing, and both
// mean the same.
//
// Values are equal only if their types are: 1 is not "1". lt, lte, gt and gte compare numbers with numbers, and texts with
// texts by UTF-16 code unit, so case counts. They never hold between different types. ISO dates sort correctly as texts.
//
// "author.name" is the field `name` inside `author`; a field with the dot in its own name is tried first. After a
// backslash everything is a field's name: "\\not" (in JSON) is the field `not`.

import type { SluiceError } from "../support/errors/sluice-error.ts";
import { formatCount, isRecord, optionError } from "../support/options/options.ts";
import { plainValue, valuesAt } from "./dotted-names.ts";
import { RESERVED_FIELDS } from "./reserved-fields.ts";

/** One value of a field. */
export type Scalar = string | number | boolean;

/** What can be filtered in a field: a value, or a list with at least one value. */
export type FieldValue = Scalar | readonly (Scalar | null)[];

export interface Operators {
  readonly eq?: Scalar | null;
  readonly ne?: Scalar | null;
  readonly in?: readonly (Scalar | null)[];
  readonly lt?: string | number;
  readonly lte?: string | number;
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly exists?: boolean;
}

/**
 * The names of fields: those of the documents, and paths into them, such as "author.name". Where nothing is known of the documents,
 * every name.
 */
export type FieldName<FieldsType> = FieldsType extends unknown
  ? (keyof FieldsType & string) | `${keyof FieldsType & string}.${string}` | `passage.${string}`
  : never;

/** The names of fields that a filter may have. After a backslash everything is a name. */
export type FilterField<FieldsType> = FieldName<FieldsType> | `\\${string}`;

/** A filter as users write it. All entries of an object must hold. `Filter<Fields<Article>>` knows the fields of your documents. */
export type Filter<FieldsType = Readonly<Record<string, unknown>>> =
  | { readonly and: readonly Filter<FieldsType>[] }
  | { readonly or: readonly Filter<FieldsType>[] }
  | { readonly not: Filter<FieldsType> }
  | { readonly [field in FilterField<FieldsType>]?: Scalar | null | Operators };

type Order = "lt" | "lte" | "gt" | "gte";

interface Bound {
  readonly kind: Order;
  readonly bound: string | number;
}

/** A checked filter. The tests of a field (in, order, range, exists) never hold for a document without a value in it. */
export type Condition =
  | { readonly kind: "and"; readonly of: readonly Condition[] }
  | { readonly kind: "or"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "in"; readonly field: string; readonly values: ReadonlySet<Scalar> }
  | { readonly kind: Order; readonly field: string; readonly bound: string | number }
  | { readonly kind: "range"; readonly field: string; readonly lower: Bound; readonly upper: Bound }
  | { readonly kind: "exists"; readonly field: string };

/** What is tested of one value. */
export type FieldTest = Exclude<Condition, { of: unknown }>;

/** All tests in a condition, however deep. */
export function listTests(condition: Condition): readonly FieldTest[] {
  if (condition.kind === "not") return listTests(condition.of);
  return condition.kind === "and" || condition.kind === "or" ? condition.of.flatMap(listTests) : [condition];
}

/** Whether a document with these fields may be a hit. This is the definition: keep it obvious; columns are tested against it. */
export function accepts(condition: Condition, fields: Readonly<Record<string, unknown>>): boolean {
  switch (condition.kind) {
    case "and":
      return condition.of.every((part) => accepts(part, fields));
    case "or":
      return condition.of.some((part) => accepts(part, fields));
    case "not":
      return !accepts(condition.of, fields);
    default:
      return readScalars(fields, condition.field).some((value) => holds(condition, value));
  }
}

/** The values of a field that can be filtered. */
function readScalars(fields: Readonly<Record<string, unknown>>, field: string): Scalar[] {
  const stored = plainValue(fields, "");
  if (!isRecord(stored)) return [];
  return valuesAt(stored, field, { counts: isScalar, hidden: RESERVED_FIELDS }) as Scalar[];
}

function holds(test: FieldTest, value: Scalar): boolean {
  if (test.kind === "exists") return true;
  if (test.kind === "in") return test.values.has(value);
  return test.kind === "range"
    ? isWithin(test.lower, value) && isWithin(test.upper, value)
    : isWithin(test, value);
}

function isWithin({ kind, bound }: Bound, value: Scalar): boolean {
  if (typeof value !== typeof bound) return false;
  if (kind === "lt") return value < bound;
  if (kind === "lte") return value <= bound;
  return kind === "gt" ? value > bound : value >= bound;
}

/** Throws if a text cannot be the name of a field with values. `where` names the option in the error. */
export function checkFieldName(field: unknown, where: string): asserts field is string {
  if (typeof field !== "string" || field === "") throw wrongPartError(where, field, "the name of a field");
  if (RESERVED_FIELDS.has(field)) throw reservedFieldError(field, where);
}

/** The metadata of a document: the dotted name of every field that can be filtered, with its value. */
export type Metadata = readonly (readonly [name: string, value: FieldValue])[];

/** The metadata in the fields of a document, as they were given or as JSON keeps them: both are the same. */
export function collectMetadata(fields: Readonly<Record<string, unknown>>): Metadata {
  const metadata: [string, FieldValue][] = [];
  eachField(fields, (name, value) => metadata.push([name, value]));
  return metadata;
}

type VisitField = (name: string, value: FieldValue) => void;

/** Calls `found` with the dotted name and the value of every field. If two fields have one name, the longer key wins. */
export function eachField(fields: Readonly<Record<string, unknown>>, found: VisitField): void {
  const stored = plainValue(fields, "");
  if (isRecord(stored)) eachFieldOf(stored, "", found);
}

function eachFieldOf(object: Readonly<Record<string, unknown>>, prefix: string, found: VisitField): void {
  let [keys, take] = [Object.keys(object), found];
  // Two paths in an object can have the same name only if a key contains a dot. Few objects have one; only these keep a set.
  if (keys.some((key) => key.includes("."))) {
    const seen = new Set<string>();
    keys = keys.sort((a, b) => b.length - a.length);
    take = (name, value) => {
      if (!seen.has(name)) found(name, value);
      seen.add(name);
    };
  }
  for (const key of keys) {
    if (prefix === "" && RESERVED_FIELDS.has(key)) continue;
    const inside = plainValue(object[key], key);
    const name = prefix + key;
    if (isScalar(inside)) take(name, inside);
    else if (Array.isArray(inside)) eachFieldOfList(inside, name, take);
    else if (isRecord(inside)) eachFieldOf(inside, `${name}.`, take);
  }
}

function eachFieldOfList(list: readonly unknown[], name: string, found: VisitField): void {
  const scalars: (Scalar | null)[] = [];
  const objects: Readonly<Record<string, unknown>>[] = [];
  const add = (elements: readonly unknown[]) => {
    for (let i = 0; i < elements.length; i++) {
      const element = plainValue(elements[i], String(i));
      if (Array.isArray(element)) add(element);
      else if (isRecord(element)) objects.push(element);
      else scalars.push(isScalar(element) ? element : null);
    }
  };
  add(list);
  if (scalars.some((scalar) => scalar !== null)) found(name, scalars);
  if (objects.length === 0) return;
  const together = new Map<string, (Scalar | null)[]>();
  for (const object of objects) {
    eachFieldOf(object, `${name}.`, (inner, value) => {
      const values = together.get(inner) ?? [];
      together.set(inner, values);
      if (typeof value !== "object") values.push(value);
      else for (const one of value) values.push(one);
    });
  }
  for (const [inner, values] of together) found(inner, values);
}

/** NaN and the infinities are null in JSON. */
function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** The most levels of and, or and not. Filters may come from strangers: a deeper one could exhaust the stack. */
const DEEPEST = 100;
/** The most conditions of a filter: entries of objects, and filters in lists. A search evaluates all of them. */
export const MOST_CONDITIONS = 10_000;
/** The most values in the lists of a filter, together. As many may be in one list of a search on OpenSearch. */
export const MOST_FILTER_VALUES = 65_536;
const OPERATORS = ["eq", "ne", "in", "lt", "lte", "gt", "gte", "exists"] as const;
const VALUE = "a text, a number, true, false or null";

/** Turns a filter into a condition. An error names the place in the filter and what was expected there. */
export function checkFilter(filter: Filter): Condition {
  return checkConditions(filter, "filter", 0, new FilterSize());
}

/** Turns operators, or a value, that are given for one field into a condition. `where` names them in an error. */
export function checkOperators(field: string, operators: unknown, where: string): Condition {
  return checkField(field, operators, where, new FilterSize());
}

/** Counts what a filter has, and refuses a filter of any size after few steps. */
class FilterSize {
  #conditions = 0;
  #values = 0;

  addConditions(count: number, where: string): void {
    this.#conditions += count;
    if (this.#conditions <= MOST_CONDITIONS) return;
    throw optionError(
      where,
      `${where}: a filter has at most ${formatCount(MOST_CONDITIONS)} conditions, and here are more`,
      'ask for one of many values by a list: { "field": { "in": [ … ] } }',
    );
  }

  addValues(count: number, where: string): void {
    this.#values += count;
    if (this.#values <= MOST_FILTER_VALUES) return;
    throw optionError(
      where,
      `${where}: the lists of a filter have at most ${formatCount(MOST_FILTER_VALUES)} values, and here are more`,
      "search in several parts, or filter by a field with one value for all of these documents",
    );
  }
}

function checkConditions(filter: unknown, where: string, depth: number, size: FilterSize): Condition {
  if (depth > DEEPEST)
    throw optionError(where, `${where} has more than ${DEEPEST} levels of and, or and not`);
  if (!isPlain(filter)) {
    throw wrongPartError(where, filter, 'an object of fields, such as { "year": { "lt": 1933 } }');
  }
  const entries = Object.entries(filter);
  size.addConditions(Math.max(1, entries.length), where);
  return joinConditions(
    entries.map(([key, value]) => checkEntry(key, value, pathTo(where, key), depth, size)),
  );
}

function checkEntry(key: string, value: unknown, where: string, depth: number, size: FilterSize): Condition {
  if (key === "and" || key === "or") {
    const list = nonEmptyList(value, where, "filters");
    const parts = list.map((part, i) => checkConditions(part, `${where}[${i}]`, depth + 1, size));
    return parts.length === 1 ? parts[0] : { kind: key, of: parts };
  }
  if (key === "not") return not(checkConditions(value, where, depth + 1, size));
  const field = key.startsWith("\\") ? key.slice(1) : key;
  if (RESERVED_FIELDS.has(field)) throw reservedFieldError(field, where);
  return checkField(field, value, where, size);
}

function reservedFieldError(field: string, where: string): SluiceError {
  if (field === "title" || field === "text") {
    return optionError(
      where,
      `${where}: "${field}" is searched, not filtered`,
      "put its words into the query, or what should be filtered into a field of its own",
    );
  }
  return optionError(
    where,
    `${where}: "${field}" is not among the fields that can be filtered`,
    field === "id" ? "put a copy of it into a field of another name, or use exclude" : undefined,
  );
}

function checkField(field: string, value: unknown, where: string, size: FilterSize): Condition {
  if (!isPlain(value)) {
    return equal(field, checkValue(value, where, `${VALUE}, or an object of operators`));
  }
  const entries = Object.entries(value);
  if (entries.length === 0) {
    throw optionError(where, `${where} is empty, expected an operator: ${OPERATORS.join(", ")}`);
  }
  const parts = entries.map(([name, operand]) =>
    checkOperator(field, name, operand, pathTo(where, name), size),
  );
  return joinConditions(parts.length === 1 ? parts : meetTogether(field, parts));
}

/**
 * The conditions of several operators on one field. What they test of a value becomes one test, because the same value must pass
 * all of it. What they say of all values (`not`) stays apart.
 */
function meetTogether(field: string, parts: readonly Condition[]): Condition[] {
  const tests = parts.filter((part) => isFieldTest(part));
  if (tests.length === 0) return [...parts];
  // `in` with null is "none or some". Where another operator needs a value, only "some" can hold.
  const some = parts.flatMap((part) => (part.kind === "or" ? part.of.filter((one) => isFieldTest(one)) : []));
  return [joinTests(field, [...tests, ...some]), ...parts.filter(({ kind }) => kind === "not")];
}

function isFieldTest(condition: Condition): condition is FieldTest {
  return !("of" in condition);
}

/** The test that holds for a value if all these tests do. */
function joinTests(field: string, tests: readonly FieldTest[]): FieldTest {
  const listed = tests.find((test) => test.kind === "in");
  const accepted = (values: Iterable<Scalar>): FieldTest => ({
    kind: "in",
    field,
    values: new Set([...values].filter((value) => tests.every((test) => holds(test, value)))),
  });
  if (listed) return accepted(listed.values);
  const bounds = tests.filter((test): test is FieldTest & Bound => "bound" in test);
  if (new Set(bounds.map(({ bound }) => typeof bound)).size > 1) return accepted([]); // a value has one type
  const lower = tightest(bounds.filter(({ kind }) => kind === "gt" || kind === "gte"));
  const upper = tightest(bounds.filter(({ kind }) => kind === "lt" || kind === "lte"));
  if (lower && upper) return { kind: "range", field, lower, upper };
  return lower ?? upper ?? { kind: "exists", field };
}

/** The one of two bounds on the same side that accepts less. */
function tightest<B extends Bound>([one, other]: readonly B[]): B | undefined {
  if (!other) return one;
  const isIncluded = one.bound === other.bound ? one.kind.length > 2 : isWithin(one, other.bound);
  return isIncluded ? other : one;
}

function checkOperator(
  field: string,
  name: string,
  operand: unknown,
  where: string,
  size: FilterSize,
): Condition {
  switch (name as (typeof OPERATORS)[number]) {
    case "eq":
      return equal(field, checkValue(operand, where, VALUE));
    case "ne":
      return not(equal(field, checkValue(operand, where, VALUE)));
    case "in": {
      const list = nonEmptyList(operand, where, "values");
      size.addValues(list.length, where);
      // Names of places are made for wrong values only: a list may have very many.
      list.forEach((value, i) => {
        if (!isValue(value)) checkValue(value, `${where}[${i}]`, VALUE);
      });
      return oneOf(field, list as readonly (Scalar | null)[]);
    }
    case "exists":
      if (typeof operand !== "boolean") throw wrongPartError(where, operand, "true or false");
      return operand ? { kind: "exists", field } : not({ kind: "exists", field });
    case "lt":
    case "lte":
    case "gt":
    case "gte": {
      const bound = checkValue(operand, where, "a number or a text");
      if (typeof bound !== "number" && typeof bound !== "string") {
        throw wrongPartError(where, operand, "a number or a text");
      }
      return { kind: name as Order, field, bound };
    }
    default:
      throw optionError(
        where,
        `${where}: there is no operator ${JSON.stringify(name)}, expected one of ${OPERATORS.join(", ")}`,
        ["and", "or", "not"].includes(name)
          ? `${name} goes around the field: { "${name}": … { ${JSON.stringify(field)}: … } … }`
          : `a field inside another is written with a dot: ${JSON.stringify(`${field}.${name}`)}`,
      );
  }
}

function checkValue(value: unknown, where: string, expected: string): Scalar | null {
  if (isValue(value)) return value;
  const hint = Array.isArray(value)
    ? 'any of several values: { "in": [ … ] }'
    : value instanceof Date
      ? "documents hold dates as texts: use toISOString()"
      : undefined;
  throw wrongPartError(where, value, expected, hint);
}

function isValue(value: unknown): value is Scalar | null {
  return value === null || isScalar(value);
}

/** Throws for an empty list: it is far more often a bug in a program than a wish for no documents, or for all. */
function nonEmptyList(value: unknown, where: string, elements: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongPartError(where, value, `a list of ${elements}`);
  if (value.length === 0)
    throw optionError(where, `${where} is an empty list, expected at least one of the ${elements}`);
  return Array.from(value);
}

/** Whether the value is a plain object. A Map would look like {}, and accept everything. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function wrongPartError(where: string, found: unknown, expected: string, hint?: string): SluiceError {
  return optionError(where, `${where} is ${showPart(found)}, expected ${expected}`, hint);
}

function showPart(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a Date";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function") return "a function";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
}

/** filter.year.lt, filter["author.name"], filter.or[1].year */
function pathTo(where: string, key: string): string {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(key) ? `${where}.${key}` : `${where}[${JSON.stringify(key)}]`;
}

function joinConditions(parts: readonly Condition[]): Condition {
  return parts.length === 1 ? parts[0] : { kind: "and", of: parts };
}

function not(condition: Condition): Condition {
  return condition.kind === "not" ? condition.of : { kind: "not", of: condition };
}

function equal(field: string, value: Scalar | null): Condition {
  return oneOf(field, [value]);
}

function oneOf(field: string, list: readonly (Scalar | null)[]): Condition {
  const values = new Set(list.filter((value) => value !== null));
  const some: Condition = { kind: "in", field, values };
  if (!list.includes(null)) return some;
  const none: Condition = { kind: "not", of: { kind: "exists", field } };
  return values.size === 0 ? none : { kind: "or", of: [none, some] };
}
