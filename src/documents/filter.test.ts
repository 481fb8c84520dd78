import { describe, expect, test } from "vitest";
import { SluiceError } from "../support/errors/sluice-error.ts";
import {
  accepts,
  checkFilter,
  eachField,
  type Filter,
  MOST_CONDITIONS,
  MOST_FILTER_VALUES,
} from "./filter.ts";

const values = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Whether the filter accepts the document. */
const on = (filter: Filter, fields: Record<string, unknown>) => accepts(checkFilter(filter), fields);

/** The filter accepts the first documents and none of the second. */
function splits(
  filter: Filter,
  yes: readonly Record<string, unknown>[],
  no: readonly Record<string, unknown>[],
) {
  for (const fields of yes) expect(on(filter, fields), `${JSON.stringify(fields)} is accepted`).toBe(true);
  for (const fields of no) expect(on(filter, fields), `${JSON.stringify(fields)} is refused`).toBe(false);
}

describe("what a filter accepts", () => {
  test("eq, and a value as its short form: of the same type and equal", () => {
    for (const filter of [{ x: 1 }, { x: { eq: 1 } }, { x: { in: [1] } }]) {
      splits(
        filter,
        [{ x: 1 }, { x: 1, y: 2 }, { x: [3, 1] }],
        [{ x: "1" }, { x: true }, { x: 2 }, {}, { x: null }],
      );
    }
    splits({ x: "" }, [{ x: "" }], [{ x: null }, {}, { x: false }, { x: 0 }]);
    splits({ x: false }, [{ x: false }], [{ x: 0 }, { x: null }, { x: true }, {}]);
    splits({ x: 0 }, [{ x: -0 }, { x: 0 }], [{ x: false }]);
  });

  test("ne is the opposite of eq", () => {
    splits({ x: { ne: "a" } }, [{ x: "b" }, {}, { x: null }, { x: ["b"] }], [{ x: "a" }, { x: ["a", "b"] }]);
  });

  test("in, with and without null", () => {
    splits({ x: { in: ["a", 2] } }, [{ x: "a" }, { x: 2 }, { x: ["c", 2] }], [{ x: "2" }, {}, { x: [] }]);
    splits(
      { x: { in: ["a", null] } },
      [{ x: "a" }, {}, { x: null }, { x: [] }],
      [{ x: "b" }, { x: [null, "b"] }],
    );
  });

  test("null, nothing and a list without values are the same: no value", () => {
    const without = [{}, { x: null }, { x: undefined }, { x: [] }, { x: [null] }, { x: Number.NaN }];
    const withValue = [{ x: 0 }, { x: "" }, { x: false }, { x: [null, 1] }];
    for (const filter of [
      { x: null },
      { x: { eq: null } },
      { x: { exists: false } },
      { x: { in: [null] } },
    ]) {
      splits(filter, without, withValue);
      splits({ not: filter }, withValue, without);
    }
    splits({ x: { ne: null } }, withValue, without);
    splits({ x: { exists: true } }, withValue, without);
  });

  test("order is that of numbers among numbers and of texts among texts", () => {
    splits(
      { x: { lt: 10 } },
      [{ x: 9 }, { x: -1e300 }, { x: [11, 9] }],
      [{ x: 10 }, { x: "9" }, { x: true }, {}],
    );
    splits({ x: { lte: 10 } }, [{ x: 10 }], [{ x: 10.5 }]);
    splits({ x: { gt: 10 } }, [{ x: 10.5 }], [{ x: 10 }, { x: "11" }]);
    splits({ x: { gte: 10 } }, [{ x: 10 }], [{ x: 9 }, { x: null }]);
    splits(
      { x: { lt: "b" } },
      [{ x: "a" }, { x: "B" }, { x: "azz" }, { x: "" }],
      [{ x: "b" }, { x: "é" }, { x: 1 }],
    );
    // U+1F600 begins with the code unit D83D, which comes before U+FF5E.
    splits({ x: { lt: "\uff5e" } }, [{ x: "\u{1f600}" }], [{ x: "\uff5f" }]);
  });

  test("dates in ISO form are in order, and a Date is the text it is kept as", () => {
    const filter = { date: { gte: "1919-04-01", lt: "1933-07" } };
    splits(
      filter,
      [{ date: "1925-03-20" }, { date: new Date("1919-04-01T00:00:01Z") }],
      [{ date: "1933-07-20" }],
    );
    splits({ date: { exists: true } }, [{ date: [new Date(0)] }], [{ date: new Date(Number.NaN) }]);
  });

  test("several operators and several fields must all hold", () => {
    splits(
      { x: { gte: 1, lt: 3 }, y: "a" },
      [{ x: 2, y: "a" }],
      [{ x: 3, y: "a" }, { x: 2 }, { x: 2, y: "b" }],
    );
    splits({ x: { gt: 5, gte: 7, lt: 20, lte: 9 } }, [{ x: 7 }, { x: 9 }], [{ x: 6 }, { x: 10 }]);
    splits({ x: { gt: 7, gte: 7 } }, [{ x: 8 }], [{ x: 7 }]);
    splits({ x: { lte: 7, lt: 7 } }, [{ x: 6 }], [{ x: 7 }]);
    splits({ x: { gt: 5, lt: "b" } }, [], [{ x: 6 }, { x: "a" }, { x: [6, "a"] }]);
  });

  test("of a list, one element must meet all operators; what says nothing of one element is for all of them", () => {
    splits({ x: { gt: 3, lte: 13 } }, [{ x: [20, 13] }, { x: [4, -5] }], [{ x: [-5, 20] }, { x: [3, 14] }]);
    splits({ x: { gt: 5, lt: 3 } }, [], [{ x: [1, 9] }, { x: 4 }]);
    splits({ and: [{ x: { gt: 3 } }, { x: { lte: 13 } }] }, [{ x: [-5, 20] }, { x: 5 }], [{ x: [-5, 2] }]);
    splits({ x: { in: [1, 9, null], gt: 3 } }, [{ x: [1, 9] }, { x: 9 }], [{ x: [1, 5] }, { x: 1 }, {}]);
    splits({ x: { in: [1, 9], eq: 9 } }, [{ x: [9] }], [{ x: [1] }]);
    splits({ x: { gt: 3, ne: 5 } }, [{ x: [4] }, { x: [9, 1] }], [{ x: [9, 5] }, { x: 5 }, {}]);
    splits({ x: { gt: 3, exists: true } }, [{ x: [9, 1] }], [{ x: 1 }, {}]);
    splits({ x: { gt: 3, eq: null } }, [], [{ x: 9 }, {}]);
    splits({ x: { in: [1, null], exists: false } }, [{}], [{ x: 1 }]);
  });

  test("and, or, not, around and beside fields", () => {
    splits({ or: [{ x: 1 }, { y: 1 }] }, [{ x: 1 }, { y: 1 }], [{ x: 2, y: 2 }, {}]);
    splits({ and: [{ x: 1 }, { y: 1 }] }, [{ x: 1, y: 1 }], [{ x: 1 }, { y: 1 }]);
    splits({ not: { x: 1, y: 1 } }, [{ x: 1 }, {}], [{ x: 1, y: 1 }]);
    splits({ x: 1, not: { or: [{ y: 1 }, { z: 1 }] } }, [{ x: 1, y: 2 }], [{ x: 1, z: 1 }, { y: 2 }]);
    splits({}, [{}, { x: 1 }], []);
    splits({ not: {} }, [], [{}, { x: 1 }]);
  });

  test("nested fields by dotted name; a dot in the name itself goes first", () => {
    splits(
      { "author.name": "A" },
      [{ author: { name: "A" } }, { "author.name": "A" }],
      [{ author: "A" }, { name: "A" }],
    );
    splits(
      { "a.b": 1 },
      [
        { "a.b": 1, a: { b: 2 } },
        { "a.b": {}, a: { b: 1 } },
      ],
      [{ "a.b": 2, a: { b: 1 } }],
    );
    splits({ "a.b.c": 1 }, [{ "a.b": { c: 1 }, a: { "b.c": 2 } }, { a: { "b.c": 1, b: { c: 2 } } }], []);
    splits({ "": 1 }, [{ "": 1 }], [{ x: 1 }]);
    splits({ ".": 1 }, [{ "": { "": 1 } }, { ".": 1 }], [{ "": 1 }]);
    splits({ "x.toString": { exists: true } }, [], [{ x: {} }, { x: "text" }]);
  });

  test("fields named like the words of the language are reached behind a backslash", () => {
    splits({ "\\not": 1 }, [{ not: 1 }], [{}]);
    splits({ "\\or": { gt: 1 }, "\\x": 1 }, [{ or: 2, x: 1 }], [{ or: 1, x: 1 }]);
    splits({ "\\\\x": 1 }, [{ "\\x": 1 }], [{ x: 1 }]);
    splits({ eq: { eq: 1 }, "a.not": 1 }, [{ eq: 1, a: { not: 1 } }], [{ eq: 1 }]);
  });

  test("lists inside lists are one list, and objects in lists have fields", () => {
    splits({ v: "a" }, [{ v: ["a", { x: 1 }] }, { v: ["a", [5]] }, { v: [[["a"]]] }], [{ v: [{ x: "a" }] }]);
    splits({ v: 5 }, [{ v: ["a", [5]] }], [{ v: ["a", { x: 5 }] }]);
    splits(
      { v: { exists: true } },
      [{ v: ["a", {}] }, { v: [[1]] }],
      [{ v: [{ x: "a" }] }, { v: [[null], []] }],
    );
    splits(
      { "v.x": "a" },
      [{ v: [{ x: "a" }] }, { v: [{ y: 1 }, [{ x: ["b", "a"] }]] }, { v: [{ x: "b" }, { x: "a" }] }],
      [{ v: [{ x: "b" }] }, { v: ["a"] }, { v: [{ x: { x: "a" } }] }],
    );
    // The values of a path are one list, so each operator may hold for another object.
    splits({ "v.x": 1, "v.y": 2 }, [{ v: [{ x: 1 }, { y: 2 }] }], [{ v: [{ x: 1, y: 1 }] }]);
    splits(
      { "v.x.y": 1 },
      [{ v: [{ "x.y": 2, x: { y: 1 } }, { x: [{ y: 1 }] }] }],
      [{ v: [{ "x.y": 2, x: { y: 1 } }] }],
    );
    splits({ "v.text": "a" }, [{ v: [{ text: "a" }] }], [{ text: "a" }]);
  });

  test("what is neither value, list nor object does not count", () => {
    const odd = [[{ y: 1 }], [[]], Uint8Array.of(1), () => 1, Symbol("x")];
    splits({ x: { exists: true } }, [{ x: [1, {}] }], [...odd.map((x) => ({ x })), { x: {} }]);
    // JSON stores a typed array as an object.
    splits({ "x.0": 1 }, [{ x: { 0: 1 } }, { x: Uint8Array.of(1) }], [{ x: [1] }]);
    splits({ "title.x": 1 }, [{ "title.x": 1 }], [{ title: { x: 1 } }]);
  });
});

test("the fields of a document, each name once", () => {
  const found: unknown[] = [];
  const fields = {
    ...{ id: "1", title: "T", text: "t", weights: { a: 1 }, vector: [1] },
    ...{
      year: 1919,
      none: null,
      tags: ["a", null],
      a: { b: 2, text: "inner" },
      "a.b": 1,
      deep: [{ x: 1 }, "b", [{ x: [2, null], y: {} }]],
    },
  };
  eachField(fields, (name, value) => found.push([name, value]));
  expect(found.sort()).toEqual([
    ["a.b", 1],
    ["a.text", "inner"],
    ["deep", ["b"]],
    ["deep.x", [1, 2, null]],
    ["tags", ["a", null]],
    ["year", 1919],
  ]);
});

describe("a malformed filter", () => {
  const deep = () => {
    let filter: object = { x: 1 };
    for (let i = 0; i < 100_000; i++) filter = { not: filter };
    return filter;
  };
  test.each<[string, unknown, string]>([
    ["a text", "x", 'filter is "x", expected an object of fields'],
    ["a list", [{ x: 1 }], "filter is a list, expected an object of fields"],
    ["nothing", undefined, "filter is undefined, expected"],
    ["a map", new Map([["x", 1]]), "filter is an object, expected an object of fields"],
    [
      "an unknown operator",
      { year: { less: 3 } },
      'filter.year.less: there is no operator "less", expected one of eq,',
    ],
    ["an inherited operator", { year: { toString: 3 } }, "filter.year.toString: there is no operator"],
    [
      "a value that is undefined",
      { tenant: undefined },
      "filter.tenant is undefined, expected a text, a number,",
    ],
    [
      "an operand that is undefined",
      { x: { lt: undefined } },
      "filter.x.lt is undefined, expected a number or a text",
    ],
    ["NaN", { x: Number.NaN }, "filter.x is NaN, expected a text, a number, true, false or null"],
    [
      "an infinity",
      { x: { lt: Number.POSITIVE_INFINITY } },
      "filter.x.lt is Infinity, expected a number or a text",
    ],
    ["an object as a value", { x: { eq: {} } }, "filter.x.eq is an object, expected a text, a number,"],
    ["a list as a value", { x: ["a"] }, "filter.x is a list, expected a text, a number,"],
    ["a Date as a value", { x: { lt: new Date(0) } }, "filter.x.lt is a Date, expected a number or a text"],
    ["no operator", { x: {} }, "filter.x is empty, expected an operator: eq, ne,"],
    ["an empty in", { x: { in: [] } }, "filter.x.in is an empty list, expected at least one of the values"],
    ["a value as in", { x: { in: "a" } }, 'filter.x.in is "a", expected a list of values'],
    ["a list within in", { x: { in: [1, [2]] } }, "filter.x.in[1] is a list, expected a text"],
    ["a hole within in", { x: { in: new Array(1) } }, "filter.x.in[0] is undefined, expected a text"],
    ["order of null", { x: { gte: null } }, "filter.x.gte is null, expected a number or a text"],
    ["order of booleans", { x: { gt: true } }, "filter.x.gt is true, expected a number or a text"],
    ["exists with a number", { x: { exists: 1 } }, "filter.x.exists is 1, expected true or false"],
    ["an empty or", { or: [] }, "filter.or is an empty list, expected at least one of the filters"],
    ["and of an object", { and: { x: 1 } }, "filter.and is an object, expected a list of filters"],
    ["not of a list", { not: [{ x: 1 }] }, "filter.not is a list, expected an object of fields"],
    [
      "deep inside",
      { or: [{ x: 1 }, { not: { "a.b": { lt: [] } } }] },
      'filter.or[1].not["a.b"].lt is a list',
    ],
    ["the title", { title: "x" }, 'filter.title: "title" is searched, not filtered'],
    ["the text", { or: [{ "\\text": { exists: true } }] }, '"text" is searched, not filtered'],
    ["the id", { id: { in: ["1"] } }, 'filter.id: "id" is not among the fields that can be filtered'],
    ["too many levels", deep(), "has more than 100 levels"],
    [
      "too many conditions",
      { or: Array.from({ length: MOST_CONDITIONS }, () => ({ x: 1 })) },
      "a filter has at most 10,000 conditions, and here are more",
    ],
    [
      "too many fields",
      Object.fromEntries(Array.from({ length: MOST_CONDITIONS + 1 }, (_, i) => [`f${i}`, 1])),
      "filter: a filter has at most 10,000 conditions",
    ],
    [
      "too many values",
      { and: [{ x: { in: values(MOST_FILTER_VALUES) } }, { y: { in: [1] } }] },
      "filter.and[1].y.in: the lists of a filter have at most 65,536 values, and here are more",
    ],
  ])("%s", (_, filter, message) => {
    const check = () => checkFilter(filter as Filter);
    expect(check).toThrow(SluiceError);
    expect(check).toThrow(message);
  });

  test("the largest filters are accepted", () => {
    const conditions = { or: Array.from({ length: MOST_CONDITIONS - 1 }, () => ({ x: 1 })) };
    for (const filter of [conditions, { x: { in: values(MOST_FILTER_VALUES) } }])
      expect(accepts(checkFilter(filter), { x: 1 })).toBe(true);
  });

  test("a filter that is too large is refused before the rest of it is looked at", () => {
    let looked = 0;
    const part = new Proxy(
      { x: 1 },
      { ownKeys: (object) => [looked++, Reflect.ownKeys(object)][1] as string[] },
    );
    expect(() => checkFilter({ or: Array.from({ length: 10 * MOST_CONDITIONS }, () => part) })).toThrow();
    expect(looked).toBeLessThanOrEqual(MOST_CONDITIONS);
  });

  test.each<[unknown, string]>([
    [{ cat: ["a", "b"] }, '{ "in": [ … ] }'],
    [{ author: { name: "A" } }, '"author.name"'],
    [{ year: { not: { lt: 3 } } }, "not goes around the field"],
    [{ date: { lt: new Date(0) } }, "toISOString()"],
    [{ title: "x" }, "put its words into the query"],
  ])("comes with a hint: %j", (filter, hint) => {
    const check = () => checkFilter(filter as Filter);
    expect(check).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }));
  });
});
