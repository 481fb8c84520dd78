// The two Unicode forms of a text, with marks in letters (NFC) and marks apart from letters (NFD), are the same terms.

import { describe, expect, test } from "vitest";
import { golden } from "../../test/helpers/golden.ts";
import { ANALYZER_NAMES } from "./contract/analyzer-names.ts";
import { highlight } from "./highlight.ts";
import { loadAnalyzer } from "./load-analyzer.ts";

const { languages } = golden("lucene-languages.json") as {
  languages: Record<string, Record<string, string>>;
};

/** English is Lucene's to the letter, and white space alone cuts what you have cut yourself. */
const AS_WRITTEN = ["english", "whitespace"];
const NORMALIZED = ANALYZER_NAMES.filter((name) => !AS_WRITTEN.includes(name));

const TEXT =
  "Ein Café in München, l'été à Besançon, år öppen Ångström, El Niño, ёлка й Київ, ẞ Ő ű ș ț İstanbul ğ Ὀδυσσεύς ή";

describe.each(NORMALIZED)("%s", (name) => {
  test("gives both forms the same terms", async () => {
    const analyzer = await loadAnalyzer(name);
    for (const text of [TEXT, ...Object.keys(languages[name] ?? {})]) {
      const composed = analyzer.terms(text.normalize("NFC"));
      expect(analyzer.terms(text.normalize("NFD")), text).toEqual(composed);
      expect(analyzer.terms(text.normalize("NFC"))).toEqual(composed);
    }
  });

  test("finds words of the other form where they stand", async () => {
    const analyzer = await loadAnalyzer(name);
    const text = "Zzz Ångström zzz йÅngströmй".normalize("NFD");
    const ranges = highlight(analyzer, text, new Set(analyzer.terms("Ångström")));
    expect(ranges.map(([start, end]) => text.slice(start, end).normalize("NFC"))).toEqual(["Ångström"]);
  });

  test("drops stop words and keeps protected words in both forms", async () => {
    const [word, other] = ["émeraudes", "même"];
    const stopWords = [other.normalize("NFD")];
    const analyzer = await loadAnalyzer(name, { stopWords, protectedWords: [word.normalize("NFD")] });
    const composed = analyzer.terms(`${word} ${other}`);
    expect(composed).toHaveLength(1);
    expect(analyzer.terms(`${word} ${other}`.normalize("NFD"))).toEqual(composed);
  });
});

test("english and whitespace take letters as they are written", async () => {
  for (const name of AS_WRITTEN) {
    const { terms } = await loadAnalyzer(name);
    expect(terms("café".normalize("NFD"))).not.toEqual(terms("café".normalize("NFC")));
  }
});

test("each language lower-cases words in Latin letters", async () => {
  for (const name of Object.keys(languages)) {
    const { terms } = await loadAnalyzer(name);
    expect([name, terms("ZEBRA LOCK")]).toEqual([name, terms("zebra lock")]);
  }
});
