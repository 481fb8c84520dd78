import fc from "fast-check";
import { expect, test } from "vitest";
import { english } from "./analyzers/english.ts";
import { loadAnalyzer } from "./load-analyzer.ts";
import { termPositions } from "./term-positions.ts";
import { eachWord } from "./words/word-boundaries.ts";

const shown = (analyzer: typeof english, text: string) =>
  termPositions(analyzer, text).map(({ term, position }) => `${term} ${position}`);

test("positions count the words that are dropped, too", () => {
  expect(shown(english, "The state of the art")).toEqual(["state 1", "art 4"]);
});

test("terms of one word have positions by where they begin", async () => {
  const universal = await loadAnalyzer("universal");
  expect(shown(universal, "an e-mail now")).toEqual(["e 1", "mail 2", "email 1", "now 3"]);
  expect(shown(universal, "東京の塔")).toEqual(["東 0", "東京 0", "京 1", "京の 1", "の塔 2", "塔 3"]);
});

test("an analyzer of a user's own counts its terms", () => {
  const own = { name: "own", terms: (text: string) => text.split(/\W+/) };
  expect(shown(own, "The state of")).toEqual(["The 0", "state 1", "of 2"]);
});

test("the terms are those of the analyzer, and positions are ranks of where they begin", async () => {
  const analyzers = await Promise.all(["english", "universal", "korean"].map((name) => loadAnalyzer(name)));
  const unit = fc.constantFrom(..."東京タワー한국어 e-mail the Gate l'école ");
  const text = fc.oneof(fc.string({ unit }), fc.lorem());
  fc.assert(
    fc.property(text, (given) => {
      for (const analyzer of analyzers) {
        const starts = new Set<number>();
        eachWord(given, (start) => starts.add(start));
        const found: [string, number][] = [];
        analyzer.eachTerm!(given, (term, start) => {
          starts.add(start);
          found.push([term, start]);
        });
        const rank = [...starts].sort((a, b) => a - b);
        const expected = found.map(([term, start]) => ({ term, position: rank.indexOf(start) }));
        expect(termPositions(analyzer, given)).toEqual(expected);
      }
    }),
  );
});
