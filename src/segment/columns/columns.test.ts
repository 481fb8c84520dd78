import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accepts, checkFilter, eachField, type Filter, type Operators } from "../../documents/filter.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { Columns } from "./columns.ts";
import { ColumnsBuilder } from "./columns-builder.ts";

type Fields = Record<string, unknown>;

function columnsOf(documents: Iterable<Fields>): Columns {
  const builder = new ColumnsBuilder();
  for (const fields of documents) builder.add(fields);
  return Columns.from(builder.finish());
}

const matching = (columns: Columns, filter: Filter) => [...columns.findMatching(checkFilter(filter))];

// Few names and few values, so that filters accept some documents. Some names collide, and some values look alike.
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "a.b") },
  fc.constantFrom("b.c", "a.b.c", "", ".", "not", "text", "__proto__"),
);
const scalar = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<(string | number | boolean)[]>(0, 1, -1, 9, 10, "9", "10", true, false),
  },
  fc.constantFrom("", "0", "1", "a", "B", "é", "\u{1f600}", "\uff5e", "\ud83d", 'a"\\\n', "true", "null"),
  fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: "binary", maxLength: 3 })),
);
const nullable = fc.oneof({ weight: 5, arbitrary: scalar }, fc.constant(null));
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 3, arbitrary: fc.array(nullable, { maxLength: 3 }) },
  fc.constantFrom<unknown[]>(null, undefined, Number.NaN, -0, new Date(0), [{}], [[1]], [undefined, 1]),
  // What JSON changes.
  fc.constantFrom<unknown[]>(
    ...[Float32Array.of(1, Number.NaN, 0.5), Buffer.from("a"), new Map([["b", 1]]), () => 1],
    ...[Object(1), Object("a"), Object(true), [Object(9), Symbol("a")], { toJSON: (key: string) => [key] }],
    { toJSON: () => ({ b: Object("10") }) },
  ),
);
const { fields } = fc.letrec<{ fields: Fields; inside: unknown }>((tie) => ({
  // A value, an object, or a list of values, objects and lists.
  inside: fc.oneof(
    { maxDepth: 3 },
    { weight: 2, arbitrary: value },
    tie("fields"),
    fc.array(fc.oneof(scalar, tie("inside")), { maxLength: 3 }),
  ),
  fields: fc
    .array(fc.tuple(key, tie("inside")), {
      maxLength: 5,
      size: "max",
    })
    .map((entries) => Object.fromEntries(entries)),
}));
const documents = fc.oneof(
  fc.array(fields, { maxLength: 70, size: "max" }),
  // Most documents have no field, which makes the columns sparse.
  fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fields), { maxLength: 200, size: "max" }),
);

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "a.b") },
  fc.constantFrom("b.c", "a.b.c", "", ".", "a.a", "..", "\\not", "a.text", "z"),
);
const bound = scalar.filter((value) => typeof value !== "boolean");
const operator: fc.Arbitrary<Operators> = fc.oneof(
  fc.record({ eq: nullable }),
  fc.record({ ne: nullable }),
  fc.record({ in: fc.array(nullable, { minLength: 1, maxLength: 4 }) }),
  ...["lt", "lte", "gt", "gte"].map((order) => fc.record({ [order]: bound })),
  fc.record({ exists: fc.boolean() }),
);
const operators = fc.oneof(
  nullable,
  { weight: 3, arbitrary: operator },
  {
    weight: 2,
    arbitrary: fc
      .array(operator, { minLength: 2, maxLength: 4 })
      .map((all): Operators => Object.assign({}, ...all)),
  },
);
const { filter } = fc.letrec<{ filter: Filter; some: Filter[] }>((tie) => ({
  some: fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
  filter: fc.oneof(
    { maxDepth: 3 },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.tuple(name, operators), { maxLength: 2 })
        .map((entries): Filter => Object.fromEntries(entries)),
    },
    fc.record({ and: tie("some") }),
    fc.record({ or: tie("some") }),
    fc.record({ not: tie("filter") }),
  ),
}));

describe("columns agree with the definition", () => {
  test("for any documents and any filter", () => {
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(documents, fc.array(filter, { minLength: 1, maxLength: 8 }), (documents, filters) => {
        const columns = columnsOf(documents);
        expect(columns.docs).toBe(documents.length);
        for (const filter of filters) {
          const condition = checkFilter(filter);
          const wanted = documents.flatMap((fields, doc) => (accepts(condition, fields) ? [doc] : []));
          const found = columns.findMatching(condition);
          expect([...found]).toEqual(wanted);
          expect(found.count()).toBe(wanted.length);
          accepted += wanted.length;
          refused += documents.length - wanted.length;
        }
      }),
      { numRuns: 100 },
    );
    // If nearly everything were refused, the test would find few mistakes.
    expect(accepted / (accepted + refused)).toBeGreaterThan(0.1);
    expect(refused / (accepted + refused)).toBeGreaterThan(0.1);
  });

  test("several operators hold together if they hold for one value, which is what each document with one value says", () => {
    const several = fc
      .array(operator, { minLength: 2, maxLength: 4 })
      .map((all): Operators => Object.assign({}, ...all));
    const list = fc.array(scalar, { minLength: 1, maxLength: 4 });
    const on = (tests: Operators, values: readonly unknown[]) =>
      accepts(checkFilter({ x: tests }), { x: values });
    fc.assert(
      fc.property(list, several, (values, { ne, exists, ...tests }) => {
        const each = Object.entries(tests).map(([name, operand]) => ({ [name]: operand }) as Operators);
        const isMet = values.some((value) => each.every((test) => on(test, [value])));
        const isWhole = (ne === undefined || on({ ne }, values)) && exists !== false;
        expect(
          on({ ...tests, ...(ne !== undefined && { ne }), ...(exists !== undefined && { exists }) }, values),
        ).toBe(isWhole && (each.length === 0 || isMet));
      }),
      { numRuns: 300 },
    );
  });

  test("a document as it is kept, in JSON, is filtered like the one that was given", () => {
    fc.assert(
      fc.property(documents, filter, (documents, filter) => {
        const condition = checkFilter(filter);
        const kept = columnsOf(documents.map((fields) => JSON.parse(JSON.stringify(fields))));
        expect([...kept.findMatching(condition)]).toEqual([...columnsOf(documents).findMatching(condition)]);
      }),
    );
  });

  test("a summary counts what valueOf says of documents that were not deleted", () => {
    fc.assert(
      fc.property(documents, fc.infiniteStream(fc.boolean()), (documents, coins) => {
        const columns = columnsOf(documents);
        const deleted = new Bits(documents.length);
        for (let doc = 0; doc < documents.length; doc++) if (coins.next().value) deleted.set(doc);
        for (const name of columns.fieldNames()) {
          const values = documents.flatMap((_, doc) => {
            const value = deleted.get(doc) ? undefined : columns.valueOf(doc, name);
            return value === undefined ? [] : [new Set(typeof value === "object" ? value : [value])];
          });
          const all = values.flatMap((set) => [...set]);
          const numbers = all.filter((value) => typeof value === "number");
          const choices = new Map<string | boolean, number>();
          for (const value of all) {
            if (value !== null && typeof value !== "number")
              choices.set(value, (choices.get(value) ?? 0) + 1);
          }
          const { docs, range, choices: counted } = columns.summary(name, deleted, 1000)!;
          expect(docs).toBe(values.length);
          expect(counted).toEqual(choices);
          const bounds = { min: Math.min(...numbers), max: Math.max(...numbers) };
          expect(range).toEqual(numbers.length > 0 ? bounds : undefined);
        }
      }),
    );
  });

  test("every value comes back", () => {
    fc.assert(
      fc.property(documents, (documents) => {
        const columns = columnsOf(documents);
        const names = new Set<string>();
        documents.forEach((fields, doc) => {
          const given = new Map<string, unknown>();
          eachField(fields, (name, value) => given.set(name, value));
          for (const name of given.keys()) names.add(name);
          for (const name of columns.fieldNames()) {
            expect(columns.valueOf(doc, name)).toEqual(positive(given.get(name)));
          }
        });
        expect(new Set(columns.fieldNames())).toEqual(names);
      }),
    );
  });

  test("documents that are dropped leave nothing behind", () => {
    fc.assert(
      fc.property(documents, fc.infiniteStream(fc.boolean()), (documents, coins) => {
        const dropped = new Set([...documents.keys()].filter(() => coins.next().value));
        const [all, others] = [new ColumnsBuilder(), new ColumnsBuilder()];
        for (const [doc, fields] of documents.entries()) {
          all.add(fields);
          if (!dropped.has(doc)) others.add(fields);
        }
        expect(asTexts(all.without(dropped))).toEqual(asTexts(others));
      }),
    );
  });

  test("documents copied from other segments are as if they had been added", () => {
    fc.assert(
      fc.property(documents, documents, (some, others) => {
        const segments = [columnsOf(some), columnsOf(others)];
        const merged = new ColumnsBuilder();
        const added = new ColumnsBuilder();
        [some, others].forEach((documents, segment) => {
          documents.forEach((fields, doc) => {
            if (doc % 3 === 1) return; // deleted
            merged.addFrom(segments[segment], doc);
            added.add(fields);
          });
        });
        expect(asTexts(merged)).toEqual(asTexts(added));
      }),
    );
  });
});

/** −0 is 0 in JSON. */
function positive(value: unknown): unknown {
  return Array.isArray(value) ? value.map(positive) : value === 0 ? 0 : value;
}

/** What a builder writes, as texts, so that a failing test shows the difference. */
function asTexts(builder: ColumnsBuilder): string[] {
  const { columns, columnCodes } = builder.finish();
  return [Buffer.from(columns).toString(), Buffer.from(columnCodes).toString("hex")];
}

// On both sides of what fits into codes of one byte, and of two bytes.
test.each([254, 255, 256, 257, 65_534, 65_535, 65_536])(
  "%i distinct values, each of one document",
  (docs) => {
    const documents = Array.from({ length: docs }, (_, doc) => ({
      url: `https://example.org/${(doc * 7919) % docs}`,
      rank: (doc * 7919) % docs,
      list: [doc, -1],
    }));
    const columns = columnsOf(documents);
    expect(matching(columns, { url: documents[docs - 1].url })).toEqual([docs - 1]);
    expect(columns.findMatching(checkFilter({ rank: { lt: 100 } })).count()).toBe(100);
    expect(columns.findMatching(checkFilter({ rank: { gte: 100 } })).count()).toBe(docs - 100);
    expect(matching(columns, { list: { in: [3, docs - 1] } })).toEqual([3, docs - 1]);
    expect(matching(columns, { list: 0 })).toEqual([0]);
    expect(columns.findMatching(checkFilter({ list: -1 })).count()).toBe(docs);
    for (const doc of [0, 1, docs - 1]) {
      expect(columns.valueOf(doc, "url")).toBe(documents[doc].url);
      expect(columns.valueOf(doc, "list")).toEqual([doc, -1]);
    }
  },
);

test("keys that are data make many columns, none of them as long as the segment", () => {
  const docs = 5_000;
  const builder = new ColumnsBuilder();
  for (let doc = 0; doc < docs; doc++)
    builder.add({ counts: { [`w${doc}`]: 1, [`w${(doc * 7) % docs}`]: 2 } });
  const data = builder.finish();
  expect(data.columnCodes.length).toBeLessThan(docs * 40);
  const columns = Columns.from(data);
  expect(columns.fieldNames()).toHaveLength(docs);
  expect(matching(columns, { "counts.w35": { exists: true } })).toEqual([5, 35]);
  expect(matching(columns, { "counts.w35": { gt: 1 } })).toEqual([5]);
  expect(columns.valueOf(35, "counts.w35")).toBe(1);
  expect(columns.valueOf(36, "counts.w35")).toBeUndefined();
});

test("a segment without documents, a field nobody has, a document that is not there", () => {
  const none = columnsOf([]);
  expect(none.docs).toBe(0);
  expect(none.fieldNames()).toEqual([]);
  expect(matching(none, { x: 1 })).toEqual([]);
  const two = columnsOf([{ x: 1 }, {}]);
  expect(matching(two, { y: 1 })).toEqual([]);
  expect(matching(two, { y: { ne: 1 } })).toEqual([0, 1]);
  expect(two.valueOf(0, "y")).toBeUndefined();
  expect(two.valueOf(7, "x")).toBeUndefined();
  expect(() => new ColumnsBuilder().addFrom(two, 2)).toThrow("document 2 is not below 2");
});

test("arrays are read wherever they stand in memory", () => {
  const builder = new ColumnsBuilder();
  for (let doc = 0; doc < 100; doc++) builder.add({ x: doc, y: doc === 50 ? "é" : undefined });
  const { columns, columnCodes } = builder.finish();
  const moved = (bytes: Uint8Array) => {
    const larger = new Uint8Array(bytes.length + 3);
    larger.set(bytes, 3);
    return larger.subarray(3);
  };
  const read = Columns.from({ columns: moved(columns), columnCodes: moved(columnCodes) });
  expect(matching(read, { x: { gte: 98 } })).toEqual([98, 99]);
  expect(matching(read, { y: "é" })).toEqual([50]);
});
