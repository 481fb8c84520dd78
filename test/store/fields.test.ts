import { expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";

const documents = [
  {
    id: "1",
    text: "one",
    kind: "noun",
    year: 1919,
    tags: ["a", "b", "a"],
    open: true,
    from: { city: "Weimar" },
  },
  { id: "2", text: "two", kind: "verb", year: -3.5, tags: "b", size: "large" },
  { id: "3", text: "three", kind: "noun", tags: [], size: 7 },
];

const EXPECTED = [
  {
    name: "kind",
    docs: 3,
    choices: [
      { value: "noun", docs: 2 },
      { value: "verb", docs: 1 },
    ],
  },
  { name: "size", docs: 2, range: { min: 7, max: 7 }, choices: [{ value: "large", docs: 1 }] },
  {
    name: "tags",
    docs: 2,
    choices: [
      { value: "b", docs: 2 },
      { value: "a", docs: 1 },
    ],
  },
  { name: "year", docs: 2, range: { min: -3.5, max: 1919 } },
  { name: "from.city", docs: 1, choices: [{ value: "Weimar", docs: 1 }] },
  { name: "open", docs: 1, choices: [{ value: true, docs: 1 }] },
];

test("the fields that most documents have come first, with bounds and choices", async () => {
  const index = await Sluice.build(documents, { encoder: "none" });
  expect(await index.fields()).toEqual(EXPECTED);
});

test("many values are no choice; numbers keep their bounds", async () => {
  const many = Array.from({ length: 60 }, (_, i) => ({
    id: `${i}`,
    text: "x",
    url: `https://${i}`,
    page: i,
  }));
  const index = await Sluice.build(many, { encoder: "none" });
  expect(await index.fields()).toEqual([
    { name: "page", docs: 60, range: { min: 0, max: 59 } },
    { name: "url", docs: 60 },
  ]);
});

test("a long text is no choice, and keeps its field from having any", async () => {
  const texts = { about: "x".repeat(200), body: "x".repeat(201) };
  const index = await Sluice.build(
    [
      { id: "1", text: "one", ...texts },
      { id: "2", text: "two", body: "short" },
    ],
    { encoder: "none" },
  );
  expect(await index.fields()).toEqual([
    { name: "body", docs: 2 },
    { name: "about", docs: 1, choices: [{ value: texts.about, docs: 1 }] },
  ]);
});

test("no documents have no fields", async () => {
  expect(await (await Sluice.build([], { encoder: "none" })).fields()).toEqual([]);
});
