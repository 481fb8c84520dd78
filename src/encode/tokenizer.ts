// Text → the token ids a model sees: those of the text, cut to the longest allowed, between the special tokens.

import { Tokenizer } from "@huggingface/tokenizers";
import { UsageError } from "../errors.ts";
import { parseJson } from "../files/lines.ts";

export class TextTokenizer {
  /** The token of every id. */
  readonly terms: readonly string[];
  readonly #tokenizer: Tokenizer;
  /** Ids that every text begins and ends with. */
  readonly #ends: readonly [readonly number[], readonly number[]];

  /** From the text of a tokenizer.json; `where` names it in an error. */
  constructor(json: string, where: string) {
    const parsed = parseJson(json, where);
    try {
      this.#tokenizer = new Tokenizer(parsed as object, {});
      this.#ends = specialEnds(this.#tokenizer);
    } catch (error) {
      throw new UsageError(`${where}: no tokenizer.json of Hugging Face: ${(error as Error).message}`);
    }
    const terms: string[] = [];
    for (const [term, id] of this.#tokenizer.get_vocab()) terms[id] = term;
    this.terms = terms;
  }

  /** The ids of a text, all of them, without special ones. */
  bare(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /** Bare ids as a model sees them: at most `longest`, special ones included. */
  framed(bare: readonly number[], longest: number): number[] {
    const [begin, end] = this.#ends;
    return [...begin, ...bare.slice(0, longest - begin.length - end.length), ...end];
  }
}

/** What stands in front of a text and behind it: seen on a text that has something in between. */
function specialEnds(tokenizer: Tokenizer): [number[], number[]] {
  const bare: number[] = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const whole: number[] = tokenizer.encode("a", { add_special_tokens: true }).ids;
  const start = whole.findIndex((_, at) => bare.every((id, i) => whole[at + i] === id));
  return [whole.slice(0, start), whole.slice(start + bare.length)];
}
