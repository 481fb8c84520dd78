// A query of a stranger stays cheap: what it repeats counts once, it asks for a limited number of things, and a search with many
// terms lets other work run and stops when it is aborted.

import { beforeAll, describe, expect, test, vi } from "vitest";
import { MOST_BEGINNINGS, MOST_CLAUSES } from "../../src/query/ask/clause.ts";
import { Speller } from "../../src/query/words/speller.ts";
import { Sluice } from "../../src/sluice.ts";
import { Turns } from "../../src/support/work/turns.ts";

const DOCUMENTS = Array.from({ length: 300 }, (_, i) => ({
  id: `${i}`,
  title: "lock",
  text: `lock ${i % 3 === 0 ? "" : `wo${i}`} wa${i % 5}`,
}));
let index: Sluice;
beforeAll(async () => {
  index = await Sluice.build(DOCUMENTS, {
    encoder: "none",
    positions: true,
    fieldWeights: { title: 3, text: 1 },
  });
});
const hitsOf = async (query: string) =>
  (await index.search(query, { syntax: true, k: 300 })).hits.map(({ id, score }) => ({ id, score }));

describe("a query that repeats itself", () => {
  test.each([
    ["-wo*", "-wo* ".repeat(200)],
    ["+wo*", "+wo* +wo*  ".repeat(80)],
    ["-wa1", "-wa1 ".repeat(100)],
    ['-"lock wa3"', '-"lock wa3" '.repeat(100)],
  ])("lock %s is one clause, however often it is there", async (once, often) => {
    const hits = await hitsOf(`lock ${once}`);
    expect(await hitsOf(`lock ${often}`)).toEqual(hits);
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.length).toBeLessThan(300);
  });

  test("a beginning is looked up once for the demands and once for the ranking", async () => {
    const looked = vi.spyOn(Speller.prototype, "completions");
    await index.search(`lock ${"-wo* title:wo* +wo* wo* ".repeat(20)}`, { syntax: true });
    expect(looked).toHaveBeenCalledTimes(2);
    looked.mockRestore();
  });
});

describe("a query that asks for too much", () => {
  const words = (count: number, sign: string, end = "") =>
    Array.from(
      { length: count },
      (_, i) => `${sign}word${String.fromCharCode(97 + (i % 26), 97 + i / 26)}${end}`,
    );

  test.each([
    ["have", "+"],
    ["not have", "-"],
  ])("of what hits must %s", async (what, sign) => {
    // No document has one of the words.
    const hits = await hitsOf(`lock ${words(MOST_CLAUSES, sign).join(" ")}`);
    expect(hits).toEqual(sign === "+" ? [] : await hitsOf("lock"));
    await expect(hitsOf(`lock ${words(MOST_CLAUSES + 1, sign).join(" ")}`)).rejects.toThrow(
      `the query names 65 things that hits must ${what}, expected at most 64`,
    );
  });

  test.each([
    ["", "lock"],
    ["-", "lock"],
    ["+", "of no document"],
    ["title:", "of no document"],
  ])("of beginnings after %j", async (sign, same) => {
    const hits = await hitsOf(`lock ${words(MOST_BEGINNINGS, sign, "*").join(" ")}`);
    expect(hits).toEqual(await hitsOf(same)); // no document has a word that begins so
    await expect(hitsOf(`lock ${words(MOST_BEGINNINGS + 1, sign, "*").join(" ")}`)).rejects.toThrow(
      'the query has 17 different beginnings of words, such as "wordaa", expected at most 16',
    );
  });

  test("in its parts", async () => {
    const must = words(MOST_BEGINNINGS + 1, "").map((text) => ({ text, prefix: true }));
    await expect(index.search({ text: "lock", mustNot: must })).rejects.toThrow(/17 different beginnings/);
  });
});

test.each(["-wo*", '-"lock wa3"', "-title:wo*", "title:wo*"])(
  "lock %s gives way and stops when it is aborted",
  async (typed) => {
    const due = vi.spyOn(Turns.prototype, "isDue", "get").mockReturnValue(true);
    const next = vi.spyOn(Turns.prototype, "next");
    await index.search(`lock ${typed}`, { syntax: true });
    expect(next.mock.calls.length).toBeGreaterThan(3);
    const controller = new AbortController();
    let turns = 0;
    next.mockImplementation(async function (this: Turns) {
      if (++turns === 3) controller.abort(new Error("enough"));
      this.signal?.throwIfAborted();
    });
    const { signal } = controller;
    await expect(index.search(`lock ${typed}`, { syntax: true, signal })).rejects.toThrow("enough");
    expect(turns).toBe(3);
    due.mockRestore();
    next.mockRestore();
  },
);
