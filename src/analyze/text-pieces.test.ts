import fc from "fast-check";
import { expect, test } from "vitest";
import { LANGUAGE_NAMES, SCRIPT_NAMES } from "./contract/analyzer-names.ts";
import { loadAnalyzer } from "./load-analyzer.ts";
import { termPositions, termsInPieces } from "./term-positions.ts";
import { cutText, PIECE_LENGTH } from "./text-pieces.ts";

const bits = [
  ..."abzE9 \n\r\t.,'-_:\"’#️⃣\u200d\u0301\u00a0",
  ...[
    "the ",
    "e-mail ",
    "l'école ",
    "3.14 ",
    "H₂O ",
    "東京",
    "タワー",
    "。",
    "ก็การ",
    " 한국어",
    "👩‍🚀",
    "🇩🇪",
    'ש"ס ',
    "نهرٌ ",
  ],
];
/** A text that is longer than a piece, most of it the same. */
const texts = fc
  .array(fc.array(fc.constantFrom(...bits), { maxLength: 12 }), { minLength: 3, maxLength: 5 })
  .map((parts) => parts.map((part) => part.join("") + " of x".repeat(PIECE_LENGTH / 5 - 2)).join(""));

test("pieces together are the text", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect([...cutText(text)].join("") === text).toBe(true);
    }),
    { numRuns: 50 },
  );
  expect([...cutText("")]).toEqual([""]);
  expect([...cutText("x".repeat(3 * PIECE_LENGTH))]).toHaveLength(1);
  expect([...cutText("воды ".repeat(PIECE_LENGTH))].length).toBeGreaterThan(3);
});

test("the terms of pieces are the terms of the text, with the same positions, in every language", async () => {
  const names = ["whitespace", ...SCRIPT_NAMES, ...LANGUAGE_NAMES] as const;
  for (const name of names) {
    const analyzer = await loadAnalyzer(name);
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = [...termsInPieces(analyzer, text, true)];
        expect(pieces.length).toBeGreaterThan(1);
        const found = pieces.flatMap(({ terms, positions }) =>
          terms.map((term, i) => ({ term, position: positions![i] })),
        );
        expect(found).toEqual(termPositions(analyzer, text));
        expect([...termsInPieces(analyzer, text, false)].flatMap(({ terms }) => terms)).toEqual(
          analyzer.terms(text),
        );
      }),
      { numRuns: 6 },
    );
  }
});

test("english is cut between Chinese characters, too, each of which is a term", async () => {
  const analyzer = await loadAnalyzer("english");
  const parts = ["運河", "の", "水\u0301", "閘", "タ", "a", "，", "𠮷", "1"];
  const chinese = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 9 })
    .map((bits) => bits.join(""));
  fc.assert(
    fc.property(chinese, (bits) => {
      const unit = `${bits}水門`;
      const text = unit.repeat(Math.ceil((3 * PIECE_LENGTH) / unit.length));
      const pieces = [...termsInPieces(analyzer, text, true)];
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.flatMap(({ terms }) => terms).join(" ") === analyzer.terms(text).join(" ")).toBe(true);
      const places = pieces.flatMap(({ positions }) => [...positions!]);
      expect(
        places.join() ===
          termPositions(analyzer, text)
            .map(({ position }) => position)
            .join(),
      ).toBe(true);
    }),
    { numRuns: 10 },
  );
});

test("an analyzer of a user's own gets the whole text", () => {
  const own = { name: "own", terms: (text: string) => [`${text.length}`] };
  const text = "a ".repeat(2 * PIECE_LENGTH);
  expect([...termsInPieces(own, text, true)]).toEqual([{ terms: [`${text.length}`], positions: [0] }]);
});
