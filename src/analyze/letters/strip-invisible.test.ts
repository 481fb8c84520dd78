import { expect, test } from "vitest";
import { english } from "../analyzers/english.ts";
import { universal } from "../analyzers/universal.ts";
import type { AnalyzerName } from "../contract/analyzer-names.ts";
import { highlight } from "../highlight.ts";
import { loadAnalyzer } from "../load-analyzer.ts";
import { termPositions } from "../term-positions.ts";

const INVISIBLE = ["\u00ad", "\u200e", "\u200f", "\ufeff", "\u2060", "\u200c", "\u200d", "\u202c"];

test.each(["universal", "german", "french", "russian", "turkish", "chinese", "thai"] as const)(
  "%s finds words with invisible characters by what is seen",
  async (name) => {
    const analyzer = await loadAnalyzer(name as AnalyzerName);
    for (const mark of INVISIBLE) {
      for (const word of ["watermill", "york", "канал"]) {
        const within = `${word.slice(0, 3)}${mark}${word.slice(3)}${mark}`;
        expect(analyzer.terms(`a ${within} b`)).toEqual(analyzer.terms(`a ${word} b`));
        const emitted: string[] = [];
        analyzer.eachTerm!(within, (term) => emitted.push(term));
        expect(emitted).toEqual(analyzer.terms(word));
      }
    }
  },
);

test("a stop word with an invisible character is a stop word", () => {
  expect(universal.terms("the\u200e th\u00ade canal")).toEqual(["canal"]);
});

test("pairs of characters are those of the text without them", () => {
  expect(universal.terms("東\u2060京都")).toEqual(universal.terms("東京都"));
});

test("the whole word is marked, and positions are counted as without them", () => {
  expect(highlight(universal, "a water\u00admill here", new Set(universal.terms("watermill")))).toEqual([
    [2, 12],
  ]);
  expect(highlight(universal, "\u200eyork\u200e here", new Set(["york"]))).toEqual([[1, 6]]);
  expect(termPositions(universal, "new york\u200e hotel")).toEqual(
    termPositions(universal, "new york hotel"),
  );
});

test("joiners stay where they carry meaning", () => {
  expect(universal.terms("می\u200cخواهم")).not.toEqual(universal.terms("میخواهم"));
  expect(universal.terms("क्\u200dष")).not.toEqual(universal.terms("क्ष"));
  expect(universal.terms("👩\u200d💻")).toEqual(["👩\u200d💻"]);
});

test("english stays as Lucene has it", async () => {
  expect(english.terms("soft\u00adhyphen")).toEqual(["soft\u00adhyphen"]);
  const withOptions = await loadAnalyzer("english", { stopWords: [] });
  expect(withOptions.terms("soft\u00adhyphen")).toEqual(["soft\u00adhyphen"]);
});
