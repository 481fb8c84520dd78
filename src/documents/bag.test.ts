import { expect, test } from "vitest";
import { weightEntries } from "./bag.ts";

test("weights are a plain object or a Map, of whatever prototype", () => {
  const bare = Object.assign(Object.create(null), { canal: 2 });
  for (const given of [{ canal: 2 }, bare, new Map([["canal", 2]])])
    expect([...weightEntries(given, "here")]).toEqual([["canal", 2]]);
  expect([...weightEntries({}, "here")]).toEqual([]);
});

test.each([
  null,
  5,
  true,
  Number.NaN,
  "canal",
  ["canal"],
  new Set(["canal"]),
  new Date(0),
  new Uint8Array(2),
  Promise.resolve({}),
])("%o is refused: it would have no weights", (given) => {
  expect(() => weightEntries(given, "document 1")).toThrow(
    /^document 1: .*, expected an object or a Map of numbers by term$/,
  );
});
