// Text → the token ids that a model gets: the ids of the text, cut to the maximum length, between the special tokens.

import { Tokenizer } from "@huggingface/tokenizers";
import { UsageError } from "../errors.ts";
import { parseJson } from "../read/lines.ts";

/** The most words in the cache of ids, which is cleared when it is full. Most words of a text occurred before. */
const CACHED_WORDS = 1 << 18;
/** The most characters of a cached word. Longer: more memory. */
const LONGEST_CACHED = 32;

export class TextTokenizer {
  /** The token of every id. */
  readonly terms: readonly string[];
  readonly #tokenizer: Tokenizer;
  /** The special ids before and after every text. */
  readonly #ends: readonly [readonly number[], readonly number[]];
  /** The ids of words; undefined if the ids of a word may depend on its neighbors. */
  readonly #words: Map<string, readonly number[]> | undefined;

  /** From the text of a tokenizer.json; `where` names it in an error. */
  constructor(json: string, where: string) {
    const parsed = parseJson(json, where, "ERR_SLUICE_DAMAGED") as TokenizerJson;
    try {
      this.#tokenizer = new Tokenizer(parsed, {});
      this.#ends = specialEnds(this.#tokenizer);
    } catch (error) {
      throw new UsageError(
        `${where}: no tokenizer.json of Hugging Face: ${(error as Error).message}`,
        undefined,
        "ERR_SLUICE_DAMAGED",
      );
    }
    const terms: string[] = [];
    for (const [term, id] of this.#tokenizer.get_vocab()) terms[id] = term;
    this.terms = terms;
    if (isWordByWord(parsed)) this.#words = new Map();
  }

  /** All ids of a text, without special ones. */
  bare(text: string): number[] {
    const words = this.#words;
    if (!words) return this.#encoded(text);
    const ids: number[] = [];
    for (const word of text.split(/[ \t\r\n]+/)) {
      if (word === "") continue;
      let own = words.get(word);
      if (!own) {
        own = this.#encoded(word);
        if (words.size >= CACHED_WORDS) words.clear();
        if (word.length <= LONGEST_CACHED) words.set(word, own);
      }
      for (const id of own) ids.push(id);
    }
    return ids;
  }

  /** The ids that a model gets: `bare` between the special ids, cut to `longest` in all. */
  framed(bare: readonly number[], longest: number): number[] {
    const [begin, end] = this.#ends;
    return [...begin, ...bare.slice(0, longest - begin.length - end.length), ...end];
  }

  #encoded(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }
}

/** The parts of a tokenizer.json that decide whether words are cut one by one. */
interface TokenizerJson {
  readonly normalizer?: { readonly type?: string } | null;
  readonly pre_tokenizer?: { readonly type?: string } | null;
  readonly added_tokens?: readonly { readonly content?: string }[];
}

/** Whether each word can be tokenized by itself, as in BERT: white space always ends a word. */
function isWordByWord({ normalizer, pre_tokenizer, added_tokens = [] }: TokenizerJson): boolean {
  return (
    normalizer?.type === "BertNormalizer" &&
    pre_tokenizer?.type === "BertPreTokenizer" &&
    added_tokens.every(({ content }) => content !== undefined && !/\s/.test(content))
  );
}

/** The special ids before and after every text, found by encoding a sample. */
function specialEnds(tokenizer: Tokenizer): [number[], number[]] {
  const bare: number[] = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const whole: number[] = tokenizer.encode("a", { add_special_tokens: true }).ids;
  const start = whole.findIndex((_, at) => bare.every((id, i) => whole[at + i] === id));
  return [whole.slice(0, start), whole.slice(start + bare.length)];
}
