import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { golden } from "../../test/helpers/golden.ts";
import { compareBytes } from "../support/bytes/byte-order.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { english } from "./analyzers/english.ts";
import { whitespace } from "./analyzers/whitespace.ts";
import { WordPiece } from "./analyzers/wordpiece.ts";
import type { Analyzer } from "./contract/analyzer.ts";
import { highlight } from "./highlight.ts";
import { loadAnalyzer } from "./load-analyzer.ts";
import { eachWord } from "./words/word-boundaries.ts";

const words = (text: string) => {
  const found: string[] = [];
  eachWord(text, (start, end) => found.push(text.slice(start, end)));
  return found;
};

/**
 * Where we differ from Lucene, and why. Lucene uses Unicode 12.1: later 〆 became Han, and ★ stopped being a picture. And
 * Lucene's grammar joins Hebrew letters over one double quote, but not over a second.
 */
const KNOWN_DIFFERENCES = new Map([
  ['דו"ח א" "א א\' ש"ס"ט', ['דו"ח', "א", "א", "א'", 'ש"ס"ט']],
  ["々〆〇ヶ 〱 ゝゞヽヾ", ["々", "〆", "〇", "ヶ", "〱", "ゝ", "ゞ", "ヽヾ"]],
  ["☺ ☹ ✓ ✔ ★ → ∞ ™ ®", ["☺", "☹", "✔", "™", "®"]],
]);

describe("english", () => {
  const { cases } = golden("lucene-english.json");

  test(`${cases.length} texts come out as from Lucene's EnglishAnalyzer`, () => {
    for (const { text, tokens } of cases)
      expect(english.terms(text)).toEqual(KNOWN_DIFFERENCES.get(text) ?? tokens);
  });

  test("the known differences are still among the texts, and still differences", () => {
    for (const [text, ours] of KNOWN_DIFFERENCES) {
      expect(cases.find((each: { text: string }) => each.text === text).tokens).not.toEqual(ours);
    }
  });
});

test("words cover the text in order, are never empty, and never too long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 600 }), (text) => {
      let last = 0;
      eachWord(text, (start, end) => {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end - start).toBeLessThanOrEqual(255);
        last = end;
      });
      expect(last).toBeLessThanOrEqual(text.length);
    }),
  );
});

test("words of ASCII are cut as those of other letters and digits, which need all rules", () => {
  const character = fc.constantFrom(
    ..."abzAZ019",
    ..." \n-+.,;:'\"()_$@~",
    "é",
    "\u0301",
    "\u200d",
    "א",
    "ァ",
  );
  const beyondAscii = (text: string) =>
    text
      .replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x61 + 0x430))
      .replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x41 + 0x410))
      .replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0x660));
  const ranges = (text: string) => {
    const found: number[][] = [];
    eachWord(text, (...range) => found.push(range));
    return found;
  };
  const text = fc.array(fc.oneof(character, fc.constant("a".repeat(254))), { maxLength: 40 });
  fc.assert(
    fc.property(text, (characters) => {
      expect(ranges(characters.join(""))).toEqual(ranges(beyondAscii(characters.join(""))));
    }),
    { numRuns: 2000 },
  );
});

test("words of spaced scripts are those of Intl.Segmenter", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "word" });
  const alphabet = "abcXYZ019 .,'’:;_-!?éßяλ\u0301\u00ad\t\n";
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 60 }), (text) => {
      const segments = Array.from(segmenter.segment(text), ({ segment }) => segment);
      expect(words(text)).toEqual(segments.filter((segment) => /[\p{L}\p{N}]/u.test(segment)));
    }),
    { numRuns: 200 },
  );
});

test("lone surrogates and a million characters are no trouble", () => {
  expect(words("\ud83d x \udc00y")).toEqual(["x", "y"]);
  expect(words("a".repeat(1_000_000))).toHaveLength(Math.ceil(1_000_000 / 255));
});

test("whitespace cuts at white space and nowhere else", () => {
  expect(whitespace.terms("  It's a\ttest,\n##ing ")).toEqual(["It's", "a", "test,", "##ing"]);
  expect(whitespace.terms("")).toEqual([]);
  for (let unit = 0; unit < 65_536; unit++) {
    const text = `a${String.fromCharCode(unit)}b`;
    expect(whitespace.terms(text), `U+${unit.toString(16)}`).toEqual(text.split(/\s+/));
  }
});

describe("word pieces", () => {
  const pieces = ["[PAD]", "[UNK]", "un", "##aff", "##able", "bau", "##haus", "!", "cafe", "日"];
  const vocabulary = pieces.join("\n");

  test("longest piece first, lower case, accents off, punctuation and ideographs apart", () => {
    const wordPiece = WordPiece.fromVocabulary(`${vocabulary}\n`);
    expect(wordPiece.terms("Unaffable BAUHAUS! café日 xyz")).toEqual([
      ...["un", "##aff", "##able", "bau", "##haus", "!", "cafe", "日", "[UNK]"],
    ]);
    expect(wordPiece.terms("")).toEqual([]);
    expect(wordPiece.terms("x".repeat(200))).toEqual(["[UNK]"]);
  });

  test("a tokenizer.json gives the same", () => {
    const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
    const json = JSON.stringify({
      normalizer: { type: "BertNormalizer", lowercase: true },
      pre_tokenizer: { type: "BertPreTokenizer" },
      model: { type: "WordPiece", vocab, continuing_subword_prefix: "##", unk_token: "[UNK]" },
    });
    const wordPiece = WordPiece.fromTokenizerJson(json);
    expect(wordPiece.pieces).toEqual(pieces);
    expect(wordPiece.terms("unaffable")).toEqual(["un", "##aff", "##able"]);
  });

  test("a tokenizer.json decides about case, accents and lengths; what cannot be followed is refused", () => {
    const json = (normalizer: object | null, extra = {}) =>
      JSON.stringify({
        normalizer,
        pre_tokenizer: { type: "BertPreTokenizer" },
        model: { type: "WordPiece", vocab: { "[UNK]": 0, Café: 1, cafe: 2, café: 3 }, ...extra },
      });
    const cut = (text: string) => WordPiece.fromTokenizerJson(text).terms("Café");
    expect(cut(json({ type: "BertNormalizer", lowercase: true }))).toEqual(["cafe"]);
    expect(cut(json({ type: "BertNormalizer", lowercase: true, strip_accents: false }))).toEqual(["café"]);
    expect(cut(json({ type: "BertNormalizer", lowercase: false, strip_accents: false }))).toEqual(["Café"]);
    expect(cut(json({ type: "BertNormalizer", lowercase: true }, { max_input_chars_per_word: 3 }))).toEqual([
      "[UNK]",
    ]);
    expect(() => cut(json(null))).toThrow("prepares text by nothing");
    expect(() => cut("{")).toThrow("not valid JSON");
  });

  test("Windows line ends are taken off", () => {
    expect(WordPiece.fromVocabulary(pieces.join("\r\n")).pieces).toEqual(pieces);
  });

  test("what is no word-piece vocabulary is refused", () => {
    expect(() => WordPiece.fromVocabulary("just\nwords")).toThrow(SluiceError);
    expect(() => WordPiece.fromTokenizerJson('{"model":{"type":"BPE","vocab":{}}}')).toThrow(
      "BPE, expected WordPiece",
    );
  });
});

describe("where terms stand", () => {
  const located = (analyzer: Analyzer, text: string) => {
    const found: [string, string][] = [];
    analyzer.eachTerm?.(text, (term, start, end) => found.push([term, text.slice(start, end)]));
    return found;
  };

  test("they are the analyzer's terms, in order, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.lorem()), (text) => {
        for (const analyzer of [english, whitespace])
          expect(located(analyzer, text).map(([term]) => term)).toEqual(analyzer.terms(text));
      }),
    );
  });

  test("word pieces come once a word, with the first", () => {
    const pieces = WordPiece.fromVocabulary(
      ["[UNK]", "un", "##aff", "##able", "bau", "##haus", "!", "$", "5", "cafe", "日"].join("\n"),
    );
    expect(located(pieces, "Unaffable BAUHAUS! café日 xyz $5")).toEqual([
      ...[
        ["un", "Unaffable"],
        ["bau", "BAUHAUS"],
        ["!", "!"],
        ["cafe", "café"],
        ["日", "日"],
        ["$", "$"],
        ["5", "5"],
      ],
    ]);
    const words = fc.constantFrom(
      "un",
      "unaffable",
      "bauhaus",
      "café",
      "日日",
      "!",
      "$5",
      " ",
      "x",
      ",",
      "\t",
    );
    fc.assert(
      fc.property(fc.array(words), (parts) => {
        const text = parts.join("");
        const firsts = pieces.terms(text).filter((term) => !term.startsWith("##") && term !== "[UNK]");
        expect(located(pieces, text).map(([term]) => term)).toEqual(firsts);
      }),
    );
  });

  test("words that became one of the terms are found, in whatever form; others are not", () => {
    const text = "Gates: the gate's GATED 🚪 community, gating 門";
    const marked = highlight(english, text, new Set(english.terms("gate 門"))).map(([from, to]) =>
      text.slice(from, to),
    );
    expect(marked).toEqual(["Gates", "gate's", "GATED", "gating", "門"]);
    expect(highlight(english, text, new Set())).toEqual([]);
    const own: Analyzer = { name: "whitespace", terms: (text) => text.toLowerCase().match(/[a-z]/g) ?? [] };
    expect(highlight(own, "xy  Zx q", new Set(["x"]))).toEqual([
      [0, 2],
      [4, 6],
    ]);
  });
});

test("byte order is that of UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareBytes(a, b))).toBe(expected);
    }),
  );
});

test("an analyzer whose name is written in capitals is named", async () => {
  await expect(loadAnalyzer("German")).rejects.toMatchObject({ hint: 'did you mean "german"?' });
  await expect(loadAnalyzer("klingon" as never)).rejects.toMatchObject({
    hint: expect.stringMatching(/^one of arabic/),
  });
});
