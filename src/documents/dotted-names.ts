// A document and a dotted name, such as "author.name" → its values. Filters and text fields read fields by this one rule.

import { isRecord } from "../support/options/options.ts";

interface ValueRule {
  /** Which values count. A key without one is passed over. */
  readonly counts: (value: unknown) => boolean;
  /** Keys of the document itself that are passed over. */
  readonly hidden?: ReadonlySet<string>;
}

/**
 * All values of a dotted name in a document, over the objects of lists, too. In each object the longest key is tried first, so
 * a key that contains a dot comes before a path.
 */
export function valuesAt(document: object, name: string, { counts, hidden }: ValueRule): unknown[] {
  for (let end = name.length; end >= 0; end = end === 0 ? -1 : name.lastIndexOf(".", end - 1)) {
    const key = name.slice(0, end);
    if (!Object.hasOwn(document, key) || hidden?.has(key)) continue;
    const inside = listElements(plainValue((document as Record<string, unknown>)[key], key));
    const rest = name.slice(end + 1);
    const values =
      end === name.length
        ? inside.filter(counts)
        : inside.filter(isRecord).flatMap((each) => valuesAt(each, rest, { counts }));
    if (values.length > 0) return values;
  }
  return [];
}

/** The elements of a list, and of the lists in it; the value itself if it is no list, and nothing if it is null. */
function listElements(value: unknown): unknown[] {
  if (!Array.isArray(value)) return value === undefined || value === null ? [] : [value];
  return value.flatMap((each, i) => {
    const plain = plainValue(each, String(i));
    return Array.isArray(plain) ? listElements(plain) : [plain];
  });
}

/** A value as JSON stores it: a Date is its text, and `new Number(1)` is 1. */
export function plainValue(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const stored = typeof toJSON === "function" ? toJSON.call(value, key) : value;
  const isWrapped = stored instanceof Number || stored instanceof String || stored instanceof Boolean;
  return isWrapped ? stored.valueOf() : stored;
}
