// The filters that the page offers: some values of a field, or a range of its numbers. The server supports more.

export interface FieldFilter {
  readonly in?: readonly (string | boolean)[];
  readonly gte?: number;
  readonly lte?: number;
}

export type Filters = Readonly<Record<string, FieldFilter>>;

/** Names with a meaning in filters. A field with such a name gets a backslash in front. */
const SPECIAL = /^(?:\\|and$|or$|not$)/;

/** The page's filters → a filter for the server. */
export function requestOfFilters(filters: Filters): Record<string, FieldFilter> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [SPECIAL.test(name) ? `\\${name}` : name, filter]),
  );
}

/** Reads filters from a URL; anything invalid is ignored. */
export function parseFilters(text: string | undefined): Filters {
  let json: unknown;
  try {
    json = JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) return {};
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => {
      const filter = parseFilter(value);
      return filter ? [[name.replace(/^\\/, ""), filter]] : [];
    }),
  );
}

/** Whether a filter in a URL has a part that the page cannot show, and so leaves out. */
export function losesParts(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    return conditions(JSON.parse(text)) !== conditions(parseFilters(text));
  } catch {
    return true;
  }
}

/** How many values a filter compares with; an empty part counts as one. */
function conditions(json: unknown): number {
  if (typeof json !== "object" || json === null) return 1;
  return Object.values(json).reduce((sum: number, part) => sum + Math.max(1, conditions(part)), 0);
}

function parseFilter(json: unknown): FieldFilter | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { in: values, gte, lte } = json as Record<string, unknown>;
  const isValue = (value: unknown) => typeof value === "string" || typeof value === "boolean";
  const some = Array.isArray(values) ? values.filter(isValue) : [];
  return filterOf({
    in: some,
    ...(typeof gte === "number" && { gte }),
    ...(typeof lte === "number" && { lte }),
  });
}

/** Removes filters without a condition; undefined when none is left. */
function filterOf({ in: values = [], gte, lte }: FieldFilter): FieldFilter | undefined {
  const filter = {
    ...(values.length > 0 && { in: values }),
    ...(gte !== undefined && { gte }),
    ...(lte !== undefined && { lte }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** Whether a range ends before it begins: no number is in it. */
export const isReversed = ({ gte, lte }: FieldFilter): boolean =>
  gte !== undefined && lte !== undefined && gte > lte;

/** Replaces or removes the filter of a field. */
export function withFilter(filters: Filters, name: string, filter: FieldFilter): Filters {
  const others = Object.entries(filters).filter(([other]) => other !== name);
  const changed = filterOf(filter);
  return Object.fromEntries(changed ? [...others, [name, changed]] : others);
}

/** Adds a value, or removes it if it is there. */
export function toggled({ in: values = [], ...rest }: FieldFilter, value: string | boolean): FieldFilter {
  const others = values.filter((other) => other !== value);
  return { ...rest, in: others.length < values.length ? others : [...values, value] };
}
