import { expect, test } from "vitest";
import { parseSyntax } from "./syntax.ts";

const parse = (query: string) => parseSyntax(query, (name) => ["kind", "year", "author.name"].includes(name));
const plain = { must: [], mustNot: [], conditions: [] };
const isIn = (field: string, ...values: (string | number)[]) => ({
  kind: "in",
  field,
  values: new Set(values),
});

test.each([
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
])("%s", (query, expected) => {
  expect(parse(query)).toEqual(expected);
});
