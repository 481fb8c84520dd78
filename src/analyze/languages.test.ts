import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { golden } from "../../test/helpers/golden.ts";
import { ANALYZER_NAMES } from "./contract/analyzer-names.ts";
import { highlight } from "./highlight.ts";
import { loadAnalyzer } from "./load-analyzer.ts";

/**
 * The share of words that must come out as from Lucene, where it is not all of them. Estonian, Greek and Indonesian have
 * Snowball's newer rules, Romanian reads ș and ț in both spellings, Galician has a light stemmer of our own, and Bengali and
 * Telugu lack the rarest sounds of Lucene's normal forms.
 */
const LEAST: Readonly<Record<string, number>> = {
  ...{
    bengali: 0.95,
    estonian: 0.97,
    galician: 0.4,
    greek: 0.89,
    indonesian: 0.95,
    romanian: 0.78,
    telugu: 0.97,
  },
};

describe("the words of a language come out as from Lucene's analyzer", () => {
  const { languages } = golden("lucene-languages.json") as {
    languages: Record<string, Record<string, string>>;
  };

  test.each(Object.entries(languages))("%s", async (name, cases) => {
    const analyzer = await loadAnalyzer(name);
    const wrong = Object.entries(cases).filter(([word, terms]) => analyzer.terms(word).join(" ") !== terms);
    const share = 1 - wrong.length / Object.keys(cases).length;
    expect(share, wrong.map(([word, terms]) => `${word} → ${terms}`).join(", ")).toBeGreaterThanOrEqual(
      LEAST[name] ?? 1,
    );
  });
});

test("every analyzer finds its terms where they stand, in any text", async () => {
  const analyzers = await Promise.all(ANALYZER_NAMES.map((name) => loadAnalyzer(name)));
  const scripts = "Straße l'école 東京タワー 한국어 2020년 สวัสดีครับ e-mail Привет ελλάδα हिन्दी مرحبا 4,500 ";
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...scripts) }),
    fc.lorem(),
  );
  fc.assert(
    fc.property(text, (given) => {
      for (const analyzer of analyzers) {
        const found: string[] = [];
        analyzer.eachTerm?.(given, (term, start, end) => {
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(given.length);
          found.push(term);
        });
        expect(found, analyzer.name).toEqual(analyzer.terms(given));
      }
    }),
  );
});

describe("universal", () => {
  test.each([
    ["café", "cafe\u0301"],
    ["Straße", "strasse"],
    ["ﬁne", "fine"],
    ["ＡＢＣ", "abc"],
    ["l'école", "ecole"],
    ["O’Reilly", "oreilly"],
    ["4,500", "4500"],
    ["٤٥", "45"],
    ["U.S.A.", "usa"],
    ["ΟΔΌΣ", "οδος"],
    ["한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"],
    ["ｶﾞﾗｽ", "ガラス"],
  ])("%s and %s are the same terms", async (one, other) => {
    const { terms } = await loadAnalyzer("universal");
    expect(terms(one)).toEqual(terms(other));
    expect(terms(one)).not.toEqual([]);
  });

  test("e-mail is found by email, and by its parts", async () => {
    const { terms } = await loadAnalyzer("universal");
    expect(terms("An e-mail")).toEqual(["e", "mail", "email"]);
  });

  test("plain English gives the terms of english", async () => {
    const [universal, english] = [await loadAnalyzer("universal"), await loadAnalyzer("english")];
    fc.assert(
      fc.property(fc.lorem(), (text) => {
        expect(universal.terms(text)).toEqual(english.terms(text));
      }),
    );
  });

  test("scripts without spaces are cut into words or pairs", async () => {
    const { terms } = await loadAnalyzer("universal");
    expect(terms("สวัสดีชาวโลก")).toEqual(["สวัสดี", "ชาว", "โลก"]);
    expect(terms("東京タワー")).toEqual(["東", "東京", "京", "京タ", "タワ", "ワー", "タワー"]);
    expect(terms("2020년에")).toEqual(["2020", "년에"]);
  });

  test("accents can be kept, words dropped and words protected", async () => {
    const options = { foldAccents: false, stopWords: ["Gates"], protectedWords: ["Boats"] };
    expect((await loadAnalyzer("universal", options)).terms("The café gates, gated boats")).toEqual([
      ...["the", "café", "gate", "boats"],
    ]);
  });
});

test("pairs are marked as the words that they stand in", async () => {
  const analyzer = await loadAnalyzer("universal");
  const text = "東京の塔は日本の京都にない";
  const marked = (query: string) =>
    highlight(analyzer, text, new Set(analyzer.terms(query))).map(([from, to]) => text.slice(from, to));
  expect(marked("東京")).toEqual(["東京"]);
  expect(marked("京")).toEqual(["京", "京"]);
});

test("a name that no analyzer has is refused with all names", async () => {
  await expect(loadAnalyzer("klingon")).rejects.toThrow('there is no analyzer "klingon"');
  await expect(loadAnalyzer("whitespace", { stopWords: [] })).rejects.toThrow("no options");
});

test("a Chinese character is marked in a text without a pair of the query", async () => {
  const analyzer = await loadAnalyzer("universal");
  const marked = (text: string) =>
    highlight(analyzer, text, new Set(["京", "都", "京都"])).map(([start, end]) => text.slice(start, end));
  expect(marked("東の京")).toEqual(["京"]);
  expect(marked("京都の東、東の京")).toEqual(["京都"]);
});
