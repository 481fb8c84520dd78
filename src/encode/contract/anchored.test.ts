import { describe, expect, test } from "vitest";
import { SPECIAL_PIECES, tokenizerJson } from "../../../test/helpers/onnx.ts";
import { english } from "../../analyze/analyzers/english.ts";
import { whitespace } from "../../analyze/analyzers/whitespace.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { TextTokenizer } from "../tokenize/tokenizer.ts";
import { computeTermFactors, findWordsInPieces, findWordsInSteps, NO_PIECE } from "./anchored.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789".split("");
const PIECES = [
  ...SPECIAL_PIECES,
  ...LETTERS,
  ...LETTERS.map((letter) => `##${letter}`),
  ...["canal", "##s", "boat", "lock", "the", "##ing", "-", "'", ".", ",", "運", "河", "ς", "##σ", "##ς"],
];
const tokenizer = new TextTokenizer(tokenizerJson([...new Set(PIECES)]), "the test's tokenizer");

/** What BERT's normalizer makes of a text. */
const normalized = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");

describe("where pieces begin", () => {
  test("each piece is what stands at its place, and the ids are those of the whole text", () => {
    const random = mulberry32(7);
    const parts = [
      ...["Canal", "canals", "BOATING", "Café", "ÅNGSTRÖM", "x2", "co-op's", "…", "運河", "Ωmega", "naïve."],
      ...[
        "\u00a0",
        "\u200b",
        "e\u0301te",
        " ",
        "\n",
        "\t ",
        "lock,",
        "ﬁ",
        "İstanbul",
        "ΟΔΟΣ",
        "a\u0300",
        "-",
      ],
    ];
    for (let round = 0; round < 300; round++) {
      const text = Array.from({ length: 12 }, () => parts[Math.floor(random() * parts.length)]).join("");
      const { ids, starts } = tokenizer.located(text);
      expect(ids).toEqual(tokenizer.bare(text));
      expect(starts.length).toBe(ids.length);
      for (const [i, id] of ids.entries()) {
        if (i > 0) expect(starts[i]).toBeGreaterThanOrEqual(starts[i - 1]);
        const piece = tokenizer.terms[id];
        if (piece === "[UNK]") continue;
        const own = piece.replace(/^##(?=.)/u, "");
        expect(normalized(text.slice(starts[i])).startsWith(own), `${piece} in ${JSON.stringify(text)}`).toBe(
          true,
        );
      }
    }
  });

  test("an unknown word is one piece at its beginning", () => {
    const { starts } = tokenizer.located("canal ∑∑ boat");
    expect(starts).toEqual([0, 6, 9]);
  });
});

describe("factors of terms", () => {
  test("a term has the mean of its occurrences, and unread words take the mean of the others", () => {
    const text = "the boat, boating: canals and a boat";
    const { ids, starts } = tokenizer.located(text);
    const pieceOf = (place: number) => starts.findLastIndex((start) => start <= place);
    const exponents = ids.map((_, i) => i / 10 - 0.5);
    const at = (place: number) => Math.exp(exponents[pieceOf(place)]);
    const whole = findWordsInPieces(english, text, starts, { from: 0, kept: ids.length });
    expect(whole.terms).toEqual(["boat", "boat", "canal", "boat"]);
    expect(whole.pieces).toEqual([4, 10, 19, 32].map(pieceOf));
    expect(computeTermFactors(whole, exponents)).toEqual(
      new Map([
        ["boat", (at(4) + at(10) + at(32)) / 3],
        ["canal", at(19)],
      ]),
    );
    const cut = findWordsInPieces(english, text, starts, { from: 0, kept: pieceOf(32) });
    expect(cut.pieces[3]).toBe(NO_PIECE);
    const mean = (at(4) + at(10) + at(19)) / 3;
    expect(computeTermFactors(cut, exponents).get("boat")).toBe((at(4) + at(10) + mean) / 3);
    const none = findWordsInPieces(english, text, starts, { from: 0, kept: 0 });
    expect(computeTermFactors(none, exponents).get("boat")).toBe(1);
  });

  test("found in steps, the words of a long text have the same factors", () => {
    const random = mulberry32(11);
    const words = ["canal", "boats", "locks.", "運河。", "a", "co-op's"];
    const text = Array.from({ length: 8000 }, () => words[Math.floor(random() * words.length)]).join(" ");
    const prefix = "lock: ";
    const kept = 200;
    const { starts } = tokenizer.located(prefix + text, kept + 1);
    const exponents = Float32Array.from({ length: kept }, () => random() - 0.5);
    for (const analyzer of [english, whitespace]) {
      const place = { from: prefix.length, kept };
      const steps = findWordsInSteps(analyzer, text, starts, place);
      let yields = 0;
      let step = steps.next();
      for (; !step.done; step = steps.next()) yields++;
      expect(yields).toBeGreaterThan(2);
      const whole: { terms: string[]; pieces: number[] } = { terms: [], pieces: [] };
      analyzer.eachTerm!(text, (term, start) => {
        const piece = starts.findLastIndex((each) => each <= prefix.length + start);
        whole.terms.push(term);
        whole.pieces.push(piece < kept ? piece : NO_PIECE);
      });
      expect(findWordsInPieces(analyzer, text, starts, place)).toEqual(whole);
      expect(step.value.terms.length).toBeLessThan(kept);
      expect([...computeTermFactors(step.value, exponents)]).toEqual([
        ...computeTermFactors(whole, exponents),
      ]);
    }
  });

  test("a prefix moves the words", () => {
    const [prefix, text] = ["lock: ", "canal boat"];
    const { starts } = tokenizer.located(prefix + text);
    const { pieces } = findWordsInPieces(whitespace, text, starts, { from: prefix.length, kept: 99 });
    expect(pieces.map((piece) => starts[piece])).toEqual([6, 12]);
  });

  test("with exponents of 0 every factor is 1", () => {
    const random = mulberry32(3);
    const words = ["canal", "boat", "lock", "a"];
    const text = Array.from({ length: 200 }, () => words[Math.floor(random() * 4)]).join(" ");
    const { ids, starts } = tokenizer.located(text);
    const found = computeTermFactors(
      findWordsInPieces(english, text, starts, { from: 0, kept: 150 }),
      ids.map(() => 0),
    );
    expect([...found.values()]).toEqual([1, 1, 1]);
  });
});
