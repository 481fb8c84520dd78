// What the filters of the page can say, a part of what the server understands: some of a field's values, a range of its
// numbers.

export interface FieldFilter {
  readonly in?: readonly (string | boolean)[];
  readonly gte?: number;
  readonly lte?: number;
}

export type Filters = Readonly<Record<string, FieldFilter>>;

/** Words of the server's language; a field of such a name is written behind a backslash. */
const SPECIAL = /^(?:\\|and$|or$|not$)/;

/** As the server takes it. */
export function requestOfFilters(filters: Filters): Record<string, FieldFilter> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [SPECIAL.test(name) ? `\\${name}` : name, filter]),
  );
}

/** From an address, where anything may stand. */
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

/** Without what says nothing; undefined when nothing is left. */
function filterOf({ in: values = [], gte, lte }: FieldFilter): FieldFilter | undefined {
  const filter = {
    ...(values.length > 0 && { in: values }),
    ...(gte !== undefined && { gte }),
    ...(lte !== undefined && { lte }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}

/** With another filter of a field, or without one. */
export function withFilter(filters: Filters, name: string, filter: FieldFilter): Filters {
  const others = Object.entries(filters).filter(([other]) => other !== name);
  const changed = filterOf(filter);
  return Object.fromEntries(changed ? [...others, [name, changed]] : others);
}

/** Takes a value in, or out where it is in. */
export function toggled({ in: values = [], ...rest }: FieldFilter, value: string | boolean): FieldFilter {
  const others = values.filter((other) => other !== value);
  return { ...rest, in: others.length < values.length ? others : [...values, value] };
}
