import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dataPath, noData } from "../../../test/helpers/data.ts";
import { WordPiece } from "../../analyze/analyzers/wordpiece.ts";
import { readBeirCorpus } from "../../lab/eval/beir-files.ts";
import { WordPieces } from "./word-pieces.ts";

const slow = WordPiece.fromTokenizerJson(
  readFileSync(new URL("../../../models/builtin/tokenizer.json", import.meta.url), "utf8"),
);
const fast = new WordPieces(slow.pieces);

/** Hugging Face's own answer, without the words that it does not know. */
const expected = (text: string) => slow.terms(text).filter((piece) => piece !== "[UNK]");
const found = (text: string) => fast.ids(text).map((id) => fast.pieces[id]);

describe("word pieces are those of Hugging Face's tokenizer", () => {
  test.each([
    "Insomnia means lying awake",
    "the U.S. rate (p<0.05), isn't it? x=1;y_2",
    "naïve Café, ﬁancé; Ångström İstanbul ΟΔΟΣ a'Σ. ß",
    "中文字 and 日本語 かな 한국어",
    "e\u0301tude \u200bzero\u0000width \uFFFD \u00A0nbsp\tend\r\n",
    "💡 idea 👩‍👩‍👧 \ud83d lone",
    "Ⅷ ½ ² ™ — “quoted” … ¿qué?",
    "x".repeat(150),
    "\v\f\x7f\x1b[0m",
    "",
  ])("%j", (text) => {
    expect(found(text)).toEqual(expected(text));
  });

  test("for random texts", () => {
    const character = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(..."abcdeABC019 \t\n.,'-_()é\u0301水Σσßİ\u00a0\u200d’") },
      { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    );
    const word = fc.constantFrom("water", "insomnia", "gates", "running", "Zürich", "don't", "co-operate");
    const text = fc.array(fc.oneof(character, word), { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (text) => {
        expect(found(text)).toEqual(expected(text));
      }),
      { numRuns: 500 },
    );
  });

  test.skipIf(noData)(`for real abstracts ${noData || ""}`, async () => {
    let checked = 0;
    for await (const { text } of readBeirCorpus(dataPath("collections", "nfcorpus"))) {
      expect(found(text as string)).toEqual(expected(text as string));
      if (++checked === 300) break;
    }
  });
});

test("a cache that was full and cleared changes nothing", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const wordOf = (i: number) =>
    [i % 26, (i / 26) % 26, (i / 676) % 26, (i / 17_576) % 26].map((x) => letters[x | 0]).join("");
  const text = Array.from({ length: 70_000 }, (_, i) => wordOf(i)).join(" ");
  const before = fast.ids(text);
  expect(fast.ids(text)).toEqual(before);
  for (let i = 0; i < 70_000; i += 997) expect(found(wordOf(i))).toEqual(expected(wordOf(i)));
});

test("a piece that appears twice is refused", () => {
  expect(() => new WordPieces(["a", "b", "a"], "pieces.txt")).toThrow(
    'pieces.txt: the piece "a" appears twice',
  );
});
