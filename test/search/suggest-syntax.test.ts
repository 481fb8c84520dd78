// Suggestions for a text with operators: they stay, with names and values of fields, phrases and excluded words.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";

const DOCUMENTS = [
  {
    id: "1",
    title: "Near the canal",
    text: "A canal near the town has a lock for boats",
    year: 1950,
    kind: "lock",
  },
  { id: "2", title: "Venice", text: "Venice has canals and bridges, and boats", year: 1910, kind: "city" },
];

describe.each([
  ["one text", {}],
  ["text fields", { fieldWeights: { title: 3, text: 1 } }],
])("of %s", (_, settings) => {
  let index: Sluice;
  beforeAll(async () => {
    index = await Sluice.build(DOCUMENTS, { encoder: "none", ...settings });
  });
  afterAll(() => index.close());
  const suggest = async (text: string) =>
    (await index.suggest(text, { syntax: true })).map((suggestion) => suggestion.text);

  test.each([
    "year:1950 canal ",
    "year:>1900 canal ",
    "canal year:19",
    "canal year:1900..1950",
    "-cnal boats ",
    '"a cnal" boats ',
    '"a cnal"~2 boats ',
    "“a cnal” boats ",
    '"brid',
    "-brid",
    "cnal* boats ",
    "kind:loc",
    'kind:"loc',
    "year:canal ",
  ])("%j is left as it is", async (text) => {
    expect(await suggest(text)).toEqual([]);
  });

  test.each([
    ["year:1950 cnal", "year:1950 canal"],
    ["+cnal -york", "+canal -york"],
    ["kind:lock brid", "kind:lock bridges"],
    ['"the town" cnal -"a cnal"', '"the town" canal -"a cnal"'],
    ["title:cnal", "title:canal"],
    ["text:brid", "text:bridges"],
    ["cnal brdiges", "canal bridges"],
  ])("%j becomes %j", async (text, first) => {
    expect((await suggest(text))[0]).toBe(first);
  });

  test("without the option, operators are words", async () => {
    const [first] = await index.suggest("year:1950 canal ");
    expect(first.from).toBe("year");
    await expect(index.suggest("canal", { syntax: "yes" as unknown as boolean })).rejects.toThrow(/syntax/);
  });
});
