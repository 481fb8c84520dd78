// Words that are completed, against the definition: a document is found if it has a word that begins with what was typed, or
// one with the same term as such a word. Of the words themselves, an index knows only the terms.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadAnalyzer } from "../../src/analyze/index.ts";
import { type Query, Sluice } from "../../src/index.ts";

const wordsOf = (text: string) => text.trim().split(/\s+/);
/** Families of words, and shorter words that others begin with. */
const FAMILIES = {
  english: wordsOf(`
    close closes closed closing hope hopes hoping hop hopping take taking make making use using write writing rate rating name naming
    store storing file filing hike hiking ride riding care caring code coding time timing slide sliding trade trading tune tuning host
    hosted hosting city cities happy happiness hard hardness pass password passwords passing can canal canals cancel cancels canoe
    candle option options opt opting metric metrics met car cart cartoon inner new news newsletter universe university universities hopeful
    hopefulness develop development organ organize organization possible possibility restless dizzy dizziness`),
  german: wordsOf(
    "haus häuser hausboot stadt städte städtisch zeit zeitung zeitungen freund freundlich freundlichkeit pass passwort",
  ),
  russian: wordsOf("город города городской книга книги книжный пасс пассажир дом дома домашний лук луковица"),
};
/** Umlauts are no letters of German stems. */
const plain = (word: string) => word.normalize("NFD").replace(/\u0308/gu, "");

const CASES = [
  ...(["whitespace", "universal", "english"] as const).map((analyzer) => [analyzer, "english"] as const),
  ...(["german", "russian"] as const).map((analyzer) => [analyzer, analyzer] as const),
];

describe.each(CASES)("%s", (analyzer, family) => {
  const words = FAMILIES[family];
  let index: Sluice;
  beforeAll(async () => {
    const documents = words.map((word) => ({ id: word, text: `zz ${word}` }));
    index = await Sluice.build(documents, { encoder: "none", analyzer });
  });
  afterAll(() => index.close());
  const find = async (query: Query, options: object) =>
    (await index.search(query, { k: 1000, ...options })).hits.map(({ id }) => id).sort();

  test("every beginning of every word finds it, and no word that is shorter", async () => {
    const { terms } = await loadAnalyzer(analyzer);
    const typed = new Set(
      words.flatMap((word) => [...word].map((_, i) => word.slice(0, i + 1))).filter((w) => w.length > 1),
    );
    for (const beginning of typed) {
      const own = terms(beginning)[0];
      if (own === undefined) continue; // a stop word
      const longer = words
        .filter((word) => plain(word).startsWith(plain(beginning)))
        .map((word) => terms(word)[0]);
      const expected = words
        .filter((word) => longer.includes(terms(word)[0]) || terms(word)[0] === own)
        .sort();
      expect([beginning, await find(`+${beginning}*`, { syntax: true })]).toEqual([beginning, expected]);
      const others = words.filter((word) => !expected.includes(word)).sort();
      expect([beginning, await find(`zz -${beginning}*`, { syntax: true })]).toEqual([beginning, others]);
    }
  });

  test.each([
    "passwor",
    "canc",
    "cana",
    "newsq",
    "optio",
    "metri",
    "carto",
    "innerprod",
    "canal999",
    "passw",
    "пассажи",
  ])("%s finds nothing that is only its beginning", async (typed) => {
    const found = await find(typed, { prefix: true });
    expect(found.filter((word) => typed.startsWith(word))).toEqual([]);
  });
});

const letters = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 7 })
  .map((list) => list.join(""));
const texts = fc.array(fc.array(letters, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 25 });

test("an analyzer that does not change words completes as comparing all words does", async () => {
  let [found, ranked] = [0, 0];
  await fc.assert(
    fc.asyncProperty(texts, letters, async (documents, typed) => {
      fc.pre(typed.length > 1);
      const given = documents.map((words, i) => ({ id: `${i}`, text: `zz ${words.join(" ")}` }));
      const index = await Sluice.build(given, { encoder: "none", analyzer: "whitespace" });
      const has = documents.map((words) => words.some((word) => word.startsWith(typed)));
      const ids = (wanted: boolean) =>
        given
          .filter((_, i) => has[i] === wanted)
          .map(({ id }) => id)
          .sort();
      const find = async (query: Query, options: object) =>
        (await index.search(query, { k: 100, ...options })).hits.map(({ id }) => id).sort();
      expect(await find({ must: [{ text: typed, prefix: true }] }, {})).toEqual(ids(true));
      expect(await find(`zz -${typed}*`, { syntax: true })).toEqual(ids(false));
      // The 16 most frequent completions count in a ranking.
      const completions = new Set(documents.flat().filter((word) => word.startsWith(typed)));
      if (completions.size <= 16) {
        expect(await find(typed, { prefix: true })).toEqual(ids(true));
        ranked++;
      }
      found += has.filter(Boolean).length;
      await index.close();
    }),
    { numRuns: 100 },
  );
  expect(found).toBeGreaterThan(20);
  expect(ranked).toBeGreaterThan(50);
});
