// A filter on a field that no document has, or with values of another type, says so in the answer.

import { expect, test } from "vitest";
import { type Filter, Sluice } from "../../src/index.ts";

const DOCUMENTS = [
  { id: "1", text: "a lock", year: 1900, open: true, tags: ["a", "b"], author: { name: "Ida" } },
  { id: "2", text: "a lock", year: 1950, mixed: 1 },
  { id: "3", text: "a lock", mixed: "one" },
];

const misspelled = (asked: string, meant: string) =>
  `no document has the field "${asked}", so the filter finds no value of it; did you mean "${meant}"?`;

test.each<[Filter, string | undefined]>([
  [{ yaer: 1900 }, misspelled("yaer", "year")],
  [{ not: { yaer: 1900 } }, misspelled("yaer", "year")],
  [
    { and: [{ year: 1900 }, { or: [{ tags: "a" }, { "author.nme": "Ida" }] }] },
    misspelled("author.nme", "author.name"),
  ],
  [{ yaer: { exists: false } }, misspelled("yaer", "year")],
  [
    { kind: "x", price: { lt: 3 } },
    'no document has the field "kind" or "price", so the filter finds no value of it',
  ],
  [{ year: { lt: "x" } }, 'no document has a text in the field "year", as the filter asks: it has numbers'],
  [{ open: "true" }, 'no document has a text in the field "open", as the filter asks: it has true or false'],
  [
    { tags: { in: [1, 2] } },
    'no document has a number in the field "tags", as the filter asks: it has texts',
  ],
  [
    { mixed: true },
    'no document has true or false in the field "mixed", as the filter asks: it has numbers or texts',
  ],
  [{ year: { in: [1, "x"] } }, undefined],
  [{ mixed: "one" }, undefined],
  [{ year: { gt: 5000 } }, undefined],
  [{ year: null }, undefined],
  [{ "author.name": { exists: true } }, undefined],
  [{}, undefined],
])("%j", async (filter, message) => {
  await using index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const open = index as Sluice;
  const messagesOf = (answer: { readonly notices?: readonly { readonly message: string }[] }) =>
    answer.notices?.map((notice) => notice.message);
  const expected = message === undefined ? undefined : [message];
  expect(messagesOf(await open.search("lock", { filter }))).toEqual(expected);
  expect(messagesOf(await open.search("lock", { filter, total: true }))).toEqual(expected);
  expect(messagesOf(await open.list({ filter, limit: 0 }))).toEqual(expected);
});

test("text fields of the user can be filtered, and an empty index says nothing", async () => {
  await using index = await Sluice.build([{ id: "1", body: "a lock" }], {
    encoder: "none",
    fieldWeights: { body: 1 },
  });
  expect((await index.search("lock", { filter: { body: "a lock" } })).hits).toHaveLength(1);
  await using empty = await Sluice.build([] as { id: string }[], { encoder: "none" });
  expect((await (empty as Sluice).list({ filter: { year: 1 } })).notices).toBeUndefined();
});
