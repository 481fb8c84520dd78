import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { whitespace } from "../../analyze/analyzers/whitespace.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { idf } from "../../weigh/bm25.ts";
import { checkSynonyms, findSynonyms, type Synonyms } from "./synonyms.ts";

const TERMS = ["a", "b", "c", "d", "e"];
const vocabulary = new Vocabulary(TERMS);
/** e is in no document. */
const statistics = { docs: 20, length: 100, documentFrequencies: Uint32Array.of(1, 3, 5, 7, 0) };
const idfOf = (term: string) => idf(20, statistics.documentFrequencies[TERMS.indexOf(term)]);

const found = (text: string, synonyms: readonly Synonyms[]) =>
  Object.fromEntries(
    findSynonyms(whitespace, vocabulary, statistics, text, synonyms).map(({ id, weight, from }) => [
      TERMS[id],
      { weight, from },
    ]),
  );

describe("synonyms", () => {
  test("a word brings the others of its list, no heavier than itself", () => {
    expect(found("x b", [["b", "a", "c"]])).toEqual({
      a: { weight: 0.8 * idfOf("b"), from: "b" }, // a is rarer than b
      c: { weight: 0.8 * idfOf("c"), from: "b" },
    });
  });

  test("several words on both sides, side by side", () => {
    const lists = [["a b", "c d"]];
    expect(Object.keys(found("a b", lists))).toEqual(["c", "d"]);
    expect(found("a b", lists).c.from).toBe("a b");
    expect(found("b a", lists)).toEqual({});
    expect(found("a", lists)).toEqual({});
  });

  test("one way only, and from words that no document has", () => {
    const lists = [{ from: ["z"], to: ["b", "e"] }];
    expect(found("z", lists)).toEqual({ b: { weight: 0.8 * idfOf("b"), from: "z" } });
    expect(found("b", lists)).toEqual({});
  });

  test("on random texts and lists, they are what looking at every word and every list gives", () => {
    const word = fc.constantFrom(...TERMS, "z");
    const words = fc.array(word, { minLength: 1, maxLength: 2 });
    const text = fc.array(word, { maxLength: 5 });
    let added = 0;
    fc.assert(
      fc.property(text, fc.array(fc.array(words, { maxLength: 3 }), { maxLength: 3 }), (typed, lists) => {
        const expected = new Map<string, number>();
        for (const list of lists) {
          for (const member of list) {
            const isThere = typed.some((_, at) => member.every((each, i) => typed[at + i] === each));
            if (!isThere) continue;
            const known = member.filter((each) => TERMS.indexOf(each) >= 0 && each !== "e").map(idfOf);
            const most = known.length > 0 ? Math.max(...known) : Number.POSITIVE_INFINITY;
            for (const others of list.filter((each) => each.join(" ") !== member.join(" "))) {
              const parts = [...new Set(others)].filter((other) => TERMS.includes(other) && other !== "e");
              const weights = parts.map((other) => 0.8 * Math.min(idfOf(other), most));
              // Together they have no more weight than what was typed.
              const sum = weights.reduce((all, weight) => all + weight, 0);
              const share = Math.min(1, (0.8 * most) / sum);
              for (const [i, other] of parts.entries())
                expected.set(other, Math.max(weights[i] * share, expected.get(other) ?? 0));
            }
          }
        }
        const synonyms = lists.map((list) => list.map((member) => member.join(" ")));
        const weights = Object.entries(found(typed.join(" "), synonyms)).map(([term, { weight }]) => [
          term,
          weight,
        ]);
        added += weights.length;
        expect(new Map(weights as [string, number][])).toEqual(expected);
      }),
      { numRuns: 500 },
    );
    expect(added).toBeGreaterThan(100);
  });

  test("what is no list of words is refused", () => {
    for (const wrong of ["car", [["car", 1]], [{ from: ["a"] }], [{ from: ["a"], to: ["b"], by: 1 }], [7]])
      expect(() => checkSynonyms(wrong)).toThrow(/synonyms/);
    for (const wrong of [[["car"]], [[]], [{ from: ["car"], to: [] }], [{ from: [], to: ["car"] }]])
      expect(() => checkSynonyms(wrong)).toThrow(/^synonyms\[0\] has [01] words?.*, expected [12] to 100$/);
    for (const wrong of [[["car", ""]], [["car", " "]], [{ from: ["car"], to: [""] }]])
      expect(() => checkSynonyms(wrong)).toThrow("synonyms[0] has an empty word");
    expect(() => checkSynonyms([{ from: ["a"] }])).toThrow(
      /^synonyms\[0\] lacks to, a list of words; expected/,
    );
    const right = [["a", "b"], { from: ["c"], to: ["d"] }] as const;
    expect(() => checkSynonyms(right)).not.toThrow();
    expect(Object.keys(found("a c", right))).toEqual(["b", "d"]); // and what is right is also used
  });
});
