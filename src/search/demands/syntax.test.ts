import { expect, test } from "vitest";
import { parseSyntax } from "./syntax.ts";

const FIELDS = ["kind", "year", "author.name", "tags"];
const parseWith = (query: string, texts: readonly string[]) => {
  const { pieces, ...parsed } = parseSyntax(query, {
    isField: (name) => FIELDS.includes(name),
    isTextField: (name) => texts.includes(name),
  });
  return { ...parsed, pieces };
};
const parse = (query: string) => {
  const { pieces, ...parsed } = parseWith(query, []);
  expect(pieces.every(({ field }) => field === undefined)).toBe(true);
  return { ...parsed, text: pieces.map(({ text }) => text).join(" ") };
};
const plain = { must: [], mustNot: [], conditions: [], leftOut: [] };
const bounded = (kind: string, field: string, number: number) => ({
  kind: "or",
  of: [
    { kind, field, bound: `${number}` },
    { kind, field, bound: number },
  ],
});
const between = <B>(least: B, most: B) => ({
  kind: "range",
  field: "year",
  lower: { kind: "gte", bound: least },
  upper: { kind: "lte", bound: most },
});
const isIn = (field: string, ...values: (string | number)[]) => ({
  kind: "in",
  field,
  values: new Set(values),
});

test.each<readonly [string, object]>([
  ["canal lock", { ...plain, text: "canal lock" }],
  ["e-mail at 10:30 a+b", { ...plain, text: "e-mail at 10:30 a+b" }],
  ["https://example.org/a", { ...plain, text: "https://example.org/a" }],
  ['"new york" hotel', { ...plain, text: "new york hotel", must: [{ phrase: "new york" }] }],
  ['"new york"~3', { ...plain, text: "new york", must: [{ phrase: "new york", slop: 3 }] }],
  ['"new york"~999', { ...plain, text: "new york", must: [{ phrase: "new york", slop: 100 }] }],
  [
    '+canal lock -"new york" -paris',
    { ...plain, text: "canal lock", must: ["canal"], mustNot: [{ phrase: "new york" }, "paris"] },
  ],
  ['"not closed', { ...plain, text: "not closed", must: [{ phrase: "not closed" }] }],
  ["nofield:canal", { ...plain, text: "nofield canal" }],
  ["", { ...plain, text: "" }],
  ["lock kind:noun", { ...plain, text: "lock", conditions: [isIn("kind", "noun")] }],
  [
    "lock -year:1933",
    { ...plain, text: "lock", conditions: [{ kind: "not", of: isIn("year", "1933", 1933) }] },
  ],
  [
    'lock author.name:"Ada Lovelace"',
    { ...plain, text: "lock", conditions: [isIn("author.name", "Ada Lovelace")] },
  ],
  ...[
    "“new york” hotel",
    "„new york“ hotel",
    "”new york” hotel",
    "«new york» hotel",
    "＂new york＂ hotel",
  ].map((query) => [query, { ...plain, text: "new york hotel", must: [{ phrase: "new york" }] }] as const),
  ["-“new york”~2", { ...plain, text: "", mustNot: [{ phrase: "new york", slop: 2 }] }],
  ["lock author.name:« Ada »", { ...plain, text: "lock", conditions: [isIn("author.name", "Ada")] }],
  ["title:york", { ...plain, text: "york", leftOut: ["title"] }],
  [
    'text:"new york" title:a',
    { ...plain, text: "new york a", must: [{ phrase: "new york" }], leftOut: ["text", "title"] },
  ],
  ["year:>1900", { ...plain, text: "", conditions: [bounded("gt", "year", 1900)] }],
  ["year:>=1900", { ...plain, text: "", conditions: [bounded("gte", "year", 1900)] }],
  ["-year:<1900", { ...plain, text: "", conditions: [{ kind: "not", of: bounded("lt", "year", 1900) }] }],
  ["year:<=1900-05", { ...plain, text: "", conditions: [{ kind: "lte", field: "year", bound: "1900-05" }] }],
  [
    "year:1900..1950",
    {
      ...plain,
      text: "",
      conditions: [{ kind: "or", of: [between("1900", "1950"), between(1900, 1950)] }],
    },
  ],
  ["year:1900..1950-05", { ...plain, text: "", conditions: [between("1900", "1950-05")] }],
  ["year:1900..", { ...plain, text: "", conditions: [bounded("gte", "year", 1900)] }],
  ["year:..1950", { ...plain, text: "", conditions: [bounded("lte", "year", 1950)] }],
  ["year:..", { ...plain, text: "", conditions: [isIn("year", "..")] }],
  ["kind:a..b", { ...plain, text: "", conditions: [isIn("kind", "a..b")] }],
  ["kind:>", { ...plain, text: "", conditions: [isIn("kind", ">")] }],
])("%s", (query, expected) => {
  expect(parse(query)).toEqual(expected);
});

const anywhere = { must: [], mustNot: [], conditions: [], leftOut: [], pieces: [] };
const canal = { text: "canal", field: "title" };

test.each<readonly [string, object]>([
  ["title:canal", { ...anywhere, pieces: [canal], must: [canal] }],
  ["+title:canal", { ...anywhere, pieces: [canal], must: [canal] }],
  ["-title:canal", { ...anywhere, mustNot: [canal] }],
  [
    'lock title:"new york"~2',
    {
      ...anywhere,
      pieces: [{ text: "lock" }, { text: "new york", field: "title" }],
      must: [{ phrase: "new york", field: "title", slop: 2 }],
    },
  ],
  [
    "title:can* bo*",
    {
      ...anywhere,
      pieces: [
        { text: "can", field: "title", isBeginning: true },
        { text: "bo", isBeginning: true },
      ],
      must: [{ text: "can", field: "title", prefix: true }],
    },
  ],
  ["-can*", { ...anywhere, mustNot: [{ text: "can", prefix: true }] }],
  ["c* ** 5*", { ...anywhere, pieces: [{ text: "c*" }, { text: "**" }, { text: "5*" }] }],
  // A text field that has values, too, is searched by words; a bound compares its values.
  [
    "tags:canal",
    { ...anywhere, pieces: [{ text: "canal", field: "tags" }], must: [{ text: "canal", field: "tags" }] },
  ],
  ["tags:>b", { ...anywhere, conditions: [{ kind: "gt", field: "tags", bound: "b" }] }],
  ["kind:canal", { ...anywhere, conditions: [isIn("kind", "canal")] }],
  ["text:lock", { ...anywhere, pieces: [{ text: "lock" }], leftOut: ["text"] }],
])("with text fields: %s", (query, expected) => {
  expect(parseWith(query, ["title", "tags"])).toEqual(expected);
});
