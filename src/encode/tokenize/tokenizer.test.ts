import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dataPath, noData } from "../../../test/helpers/data.ts";
import { SPECIAL_PIECES, tokenizerJson } from "../../../test/helpers/onnx.ts";
import { readBeirCorpus } from "../../lab/eval/beir-files.ts";
import { TextTokenizer } from "./tokenizer.ts";

const PIECES = [
  ...SPECIAL_PIECES,
  "water",
  "gate",
  "##s",
  "##water",
  "é",
  "e",
  "a",
  "b",
  "##b",
  "ß",
  "σ",
  "ς",
  "水",
  ".",
];

/** Hugging Face's own answer. */
const plain = (json: string) => {
  const tokenizer = new Tokenizer(JSON.parse(json), {});
  return (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
};

describe("a text's tokens", () => {
  test("are cut to the longest allowed, between the special ones", () => {
    const tokenizer = new TextTokenizer(tokenizerJson(PIECES), "t");
    const bare = tokenizer.bare("Water gates\twater");
    expect(bare.map((id) => tokenizer.terms[id])).toEqual(["water", "gate", "##s", "water"]);
    expect(tokenizer.framed(bare, 5).map((id) => tokenizer.terms[id])).toEqual([
      "[CLS]",
      "water",
      "gate",
      "##s",
      "[SEP]",
    ]);
    expect(tokenizer.framed([], 5).length).toBe(2);
  });

  test("are the same at the beginning if only so many are asked for, however long the text", () => {
    const json = tokenizerJson(PIECES);
    const tokenizer = new TextTokenizer(json, "t");
    const whole = plain(json);
    const texts = [
      "water gates ".repeat(2000),
      "水".repeat(9000),
      "water.gates-ab,".repeat(1500),
      "a/b-".repeat(3000),
      `${"x".repeat(9000)} water gate`,
      `water ${"😀".repeat(5000)}.gate`,
      `${"[MASK]".repeat(2000)}water`,
      "water",
      "",
    ];
    for (const text of texts) {
      const expected = whole(text);
      for (const most of [1, 7, 254]) {
        const ids = tokenizer.bare(text, most);
        expect(ids.slice(0, most), text.slice(0, 20)).toEqual(expected.slice(0, most));
        expect(ids.length).toBeLessThan(most + 4100);
        const { ids: located, starts } = tokenizer.located(text, most);
        expect(located).toEqual(ids);
        expect(starts).toEqual(tokenizer.located(text).starts.slice(0, starts.length));
      }
      expect(tokenizer.bare(text)).toEqual(expected);
    }
  });

  test("behind the last that is read cost nothing", () => {
    const tokenizer = new TextTokenizer(tokenizerJson(PIECES), "t");
    for (const each of ["水", "a", "😀", "water "]) {
      const ids = tokenizer.bare(each.repeat(1_000_000), 254);
      expect(ids.length).toBeLessThan(5000);
    }
  });

  test("word by word they are the same as at once, whatever the text", () => {
    const json = tokenizerJson(PIECES);
    const [tokenizer, whole] = [new TextTokenizer(json, "t"), plain(json)];
    const bit = fc.constantFrom(
      "water",
      "gates",
      "Σ",
      "ΟΔΟΣ",
      "é",
      "e\u0301",
      "\u0301",
      "水",
      ".",
      "[CLS]",
      "[MASK]",
      " ",
      "\n",
      "\u00a0",
      "\u200b",
      "\u0000",
      "ß",
      "İ",
    );
    const text = fc.array(fc.oneof(bit, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 12 });
    fc.assert(
      fc.property(text, (bits) => {
        const joined = bits.join("");
        expect(tokenizer.bare(joined)).toEqual(whole(joined));
      }),
      { numRuns: 1000 },
    );
  });

  test("what is no tokenizer is refused", () => {
    expect(() => new TextTokenizer("{", "t.json")).toThrow("t.json: not valid JSON");
    for (const json of ["{}", "null", "[]"])
      expect(() => new TextTokenizer(json, "t.json")).toThrow("t.json: no tokenizer.json of Hugging Face");
  });
});

describe("an id that is no position in a table is refused", () => {
  const changed = (change: (json: { model: { vocab: object }; added_tokens: object[] }) => void) => {
    const json = JSON.parse(tokenizerJson(PIECES));
    change(json);
    return () => new TextTokenizer(JSON.stringify(json), "t.json");
  };

  test.each([2 ** 31, -1, 0.5, "7", null])("in the vocabulary: %j", (id) => {
    const made = changed(({ model }) => Object.assign(model.vocab, { gate: id }));
    expect(made).toThrow('t.json: no tokenizer.json of Hugging Face: the id of "gate" is');
  });

  test.each([
    ["BPE", [2 ** 31]],
    ["WordPiece", [2 ** 31]],
    ["Unigram", { length: 2 ** 24 - 1 }],
    ["Unigram", "text"],
  ])("in a vocabulary of %s that is none of it: %j", (type, vocab) => {
    const made = changed(({ model }) => Object.assign(model, { type, vocab, merges: [] }));
    expect(made).toThrow(`t.json: no tokenizer.json of Hugging Face: "vocab" of ${type} is`);
  });

  test.each(["text", 7, null, true])("in a vocabulary that is %j", (vocab) => {
    const made = changed(({ model }) => Object.assign(model, { vocab }));
    expect(made).toThrow("t.json: no tokenizer.json of Hugging Face: ");
  });

  test("among the added tokens", () => {
    const made = changed(({ added_tokens: added }) => added.push({ id: 2 ** 40, content: "<x>" }));
    expect(made).toThrow('the id of "<x>" is');
    const other = changed((json) => Object.assign(json, { added_tokens: {} }));
    expect(other).toThrow('"added_tokens" is');
  });

  test("of a special token that the vocabulary lacks", () => {
    const json = {
      version: "1.0",
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: true },
      post_processor: { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0] },
      decoder: { type: "ByteLevel" },
      model: { type: "BPE", vocab: { a: 1, b: 3, Ġ: 4, Ġa: 5 }, merges: ["Ġ a"] },
    };
    const made = () => new TextTokenizer(JSON.stringify(json), "t.json");
    expect(made).toThrow("t.json: no tokenizer.json of Hugging Face: a special token has no id");
    Object.assign(json.model.vocab, { "<s>": 0, "</s>": 2 });
    expect(made().framed([5], 8)).toEqual([0, 5, 2]);
  });
});

test.each([0, -1, 0.5, "0", null])("parts of a fixed length are at least 1 long, not %j", (length) => {
  const json = JSON.parse(tokenizerJson(PIECES));
  const fixed = { type: "FixedLength", length };
  const made = (pre_tokenizer: object) => () =>
    new TextTokenizer(JSON.stringify({ ...json, pre_tokenizer }), "t.json");
  const sequence = { type: "Sequence", pretokenizers: [{ type: "Whitespace" }, fixed] };
  for (const pre of [fixed, sequence]) expect(made(pre)).toThrow("the length of FixedLength is");
  expect(made({ type: "FixedLength", length: 2 })().bare("ab").length).toBeGreaterThan(0);
});

test.skipIf(noData)(`BERT's tokens of a collection${noData ? `: ${noData}` : ""}`, async () => {
  const json = readFileSync(dataPath("models", "minilm-l6-v2", "tokenizer.json"), "utf8");
  const [tokenizer, whole] = [new TextTokenizer(json, "t"), plain(json)];
  let count = 0;
  for await (const { text } of readBeirCorpus(dataPath("collections", "nfcorpus"))) {
    expect(tokenizer.bare(text!)).toEqual(whole(text!));
    if (++count === 500) break;
  }
});
