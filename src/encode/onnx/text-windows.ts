// Texts → windows of tokenized texts. The texts of a window are sorted by length together. While the graph runs on another
// thread, the next window is tokenized.

import { Turns } from "../../support/work/turns.ts";
import { createAnchoredAnalyzer, findWordsInSteps } from "../contract/anchored.ts";
import type { EncoderDescription, Role } from "../contract/description.ts";
import type { TextTokenizer } from "../tokenize/tokenizer.ts";
import type { TokenizedText } from "./graph-outputs.ts";

/** Texts that are tokenized before other work may run: about 50 ms. */
const TOKENIZED_AT_ONCE = 256;

interface WindowOptions {
  /** The most texts of a window. */
  readonly size: number;
  /** Whether the next window is tokenized before it is asked for. */
  readonly readsAhead: boolean;
  readonly signal?: AbortSignal | undefined;
}

export class TextWindows {
  readonly #tokenizer: TextTokenizer;
  readonly #description: EncoderDescription;

  constructor(tokenizer: TextTokenizer, description: EncoderDescription) {
    this.#tokenizer = tokenizer;
    this.#description = description;
  }

  /** The token ids of prefix and text, cut to the maximum length, between the special tokens. */
  tokenIds(text: string, role: Role): number[] {
    const { maxLength, prefix } = this.#description;
    return this.#firstIds((prefix?.[role] ?? "") + text, maxLength[role]);
  }

  #firstIds(text: string, longest: number): number[] {
    const tokenizer = this.#tokenizer;
    return tokenizer.framed(tokenizer.bare(text, tokenizer.mostPieces(longest)), longest);
  }

  /** The windows in order, each with the position of its first text. */
  async *list(
    texts: readonly string[],
    role: Role,
    { size, readsAhead, signal }: WindowOptions,
  ): AsyncGenerator<[start: number, tokenized: readonly TokenizedText[]]> {
    const tokenize = (start: number) =>
      deferError(this.#tokenize(texts.slice(start, start + size), role, signal));
    let next = readsAhead ? tokenize(0) : undefined;
    for (let start = 0; start < texts.length; start += size) {
      const tokenized = await (next ?? tokenize(start));
      if (readsAhead) next = tokenize(start + size);
      yield [start, tokenized];
    }
  }

  async #tokenize(
    texts: readonly string[],
    role: Role,
    signal: AbortSignal | undefined,
  ): Promise<TokenizedText[]> {
    const tokenized: TokenizedText[] = [];
    const turns = new Turns(signal);
    for (const [i, text] of texts.entries()) {
      if (i > 0 && i % TOKENIZED_AT_ONCE === 0) await turns.next();
      const found = turns.run(this.#tokenizeInSteps(text, role));
      tokenized.push(found instanceof Promise ? await found : found);
    }
    return tokenized;
  }

  /** Yields while it finds the words of a long text. */
  *#tokenizeInSteps(text: string, role: Role): Generator<undefined, TokenizedText> {
    const description = this.#description;
    const prefix = description.prefix?.[role] ?? "";
    const longest = description.maxLength[role];
    const kept = this.#tokenizer.mostPieces(longest);
    const isUnknown = (ids: readonly number[]) =>
      this.#tokenizer.hasOnlyUnknownWords(ids.slice(0, kept), prefix);
    if (description.kind !== "anchored") {
      const ids = this.#tokenizer.bare(prefix + text, kept);
      return { ids: this.#tokenizer.framed(ids, longest), isUnknown: isUnknown(ids) };
    }
    const { ids, starts } = this.#tokenizer.located(prefix + text, kept + 1); // one more: words from there on are not read
    const place = { from: prefix.length, kept };
    return {
      ids: this.#tokenizer.framed(ids, longest),
      isUnknown: isUnknown(ids),
      words: yield* findWordsInSteps(createAnchoredAnalyzer(description.analyzer), text, starts, place),
      firstPiece: this.#tokenizer.begin.length,
    };
  }
}

/** Returns the promise, and lets it fail before anybody waits for it: otherwise Node would end the process. */
export function deferError<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
