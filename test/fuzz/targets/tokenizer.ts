// A tokenizer.json.

import { TextTokenizer } from "../../../src/encode/tokenize/tokenizer.ts";
import { SPECIAL_PIECES, tokenizerJson } from "../../helpers/onnx.ts";
import { outcome, type Target, textOf, WrongAnswer } from "../contract/target.ts";

const TEXTS = ["water gates, über\talles", "", "水門 [SEP] 1234 \u0301x"];

export const target: Target = {
  name: "tokenizer",
  form: "json",
  seeds: () => [
    tokenizerJson([...SPECIAL_PIECES, "water", "gate", "##s", ",", "a", "##b", "水"]),
    JSON.stringify({
      version: "1.0",
      added_tokens: [{ id: 0, content: "<s>", special: true, normalized: false }],
      normalizer: { type: "Sequence", normalizers: [{ type: "NFC" }, { type: "Lowercase" }] },
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: true },
      post_processor: { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0] },
      decoder: { type: "ByteLevel" },
      model: { type: "BPE", vocab: { "<s>": 0, a: 1, "</s>": 2, b: 3, ab: 4 }, merges: ["a b"] },
    }),
  ],
  async run(bytes) {
    const tokenizer = new TextTokenizer(textOf(bytes), "tokenizer.json");
    for (const text of TEXTS) {
      const ids = tokenizer.bare(text);
      const framed = tokenizer.framed(ids, 16);
      if (![...ids, ...framed].every(Number.isSafeInteger)) throw new WrongAnswer("an id is no number");
      const located = await outcome(() => tokenizer.located(text));
      if ("error" in located) continue;
      const { starts } = located.value;
      if (starts.length !== ids.length || starts.some((start) => !(start >= 0 && start <= text.length)))
        throw new WrongAnswer("a piece begins outside of the text");
    }
  },
};
