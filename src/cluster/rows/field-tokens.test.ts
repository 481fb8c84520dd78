import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accepts, type Condition, checkFilter, type Filter } from "../../documents/filter.ts";
import {
  type ClusterQuery,
  fieldTokens,
  parseTokenNumber,
  sortableDigits,
  sortableText,
  toClusterQuery,
} from "./field-tokens.ts";

/** Whether OpenSearch would find a document with these tokens: what its queries mean, in plain words. */
function finds(query: ClusterQuery, tokens: ReadonlySet<string>): boolean {
  const [[kind, body]] = Object.entries(query) as [string, never][];
  const bytes = (text: string) => Buffer.from(text);
  switch (kind) {
    case "match_all":
      return true;
    case "term":
      return tokens.has(Object.values(body)[0] as string);
    case "terms":
      return (Object.values(body)[0] as string[]).some((token) => tokens.has(token));
    case "range": {
      const bounds = Object.entries(Object.values(body)[0] as Record<string, string>);
      return [...tokens].some((token) =>
        bounds.every(([name, bound]) => {
          const order = Buffer.compare(bytes(token), bytes(bound));
          return { lt: order < 0, lte: order <= 0, gt: order > 0, gte: order >= 0 }[name];
        }),
      );
    }
    default: {
      const { filter = [], should = [], must_not: none = [] } = body as Record<string, ClusterQuery[]>;
      return (
        filter.every((part) => finds(part, tokens)) &&
        (should.length === 0 || should.some((part) => finds(part, tokens))) &&
        !none.some((part) => finds(part, tokens))
      );
    }
  }
}

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\u{1F6A4}", "a\tb"),
);
const scalar = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -3, max: 3 }),
  fc.boolean(),
);
const name = fc.constantFrom("year", "tags", "a.b", "\t", "x");
const fields = fc.dictionary(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant(null)));
const order = fc.oneof(
  text,
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const operators = fc.oneof(
  scalar.map((eq) => ({ eq })),
  scalar.map((ne) => ({ ne })),
  fc.array(fc.oneof(scalar, fc.constant(null)), { minLength: 1, maxLength: 3 }).map((list) => ({ in: list })),
  fc.boolean().map((exists) => ({ exists })),
  fc.record({ gte: order, lt: order }),
  fc.record(
    { gt: order, gte: order, lte: order, in: fc.array(order, { minLength: 1 }) },
    { requiredKeys: ["gt"] },
  ),
  fc.record({ gt: order }),
  fc.record({ lte: order }),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(name, operators).map(([field, test]) => ({ [`\\${field}`]: test }) as Filter),
    fc.array(tie("filter"), { minLength: 1, maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie("filter"), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    tie("filter").map((not) => ({ not })),
  ),
}));

describe("tokens of fields", () => {
  test("a query accepts what the filter is defined to accept", () => {
    fc.assert(
      fc.property(filter, fields, (asked, document) => {
        const condition: Condition = checkFilter(asked);
        const found = finds(toClusterQuery(condition), new Set(fieldTokens(document)));
        expect(found).toBe(accepts(condition, document));
      }),
      { numRuns: 1000 },
    );
  });

  test("numbers sort by their digits, and come back", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [sortableDigits(a), sortableDigits(b)];
        expect(Math.sign(Buffer.compare(Buffer.from(x), Buffer.from(y)))).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(parseTokenNumber(`x\tn${x}`)).toBe(a === 0 ? 0 : a);
      }),
    );
  });

  test("long texts differ if only their ends do", () => {
    const long = "a".repeat(5000);
    expect(sortableText(`${long}b`)).not.toBe(sortableText(`${long}c`));
    expect(sortableText(`${long}b`).length).toBeLessThan(2000);
  });
});
