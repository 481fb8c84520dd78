// Text → BERT word pieces, by Hugging Face's tokenizer. The vocabulary is fixed: learned sparse encoders (uniCOIL, SPLADE,
// DeLADE) and the paper's slicing use the ids of the pieces.

import { Tokenizer } from "@huggingface/tokenizers";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { checkTextList } from "../../support/options/options.ts";
import type { Analyzer } from "../contract/analyzer.ts";
import { checkTextToAnalyze } from "../contract/check-text-to-analyze.ts";

export interface WordPieceOptions {
  readonly lowercase?: boolean | undefined;
  /** Whether accents are removed. By default they are if the text is lower-cased. */
  readonly stripAccents?: boolean | undefined;
  /** Whether each Chinese character is a word. */
  readonly splitChinese?: boolean | undefined;
  /** Whether control characters are removed. */
  readonly cleanText?: boolean | undefined;
  /** Words with more characters become `unknown`. */
  readonly longestWord?: number | undefined;
  /** Pieces that continue a word begin with this. */
  readonly prefix?: string | undefined;
  readonly unknown?: string | undefined;
}

/** Cuts texts into word pieces. A word outside the vocabulary becomes [UNK]. [CLS] and [SEP] are not added. */
export class WordPiece implements Analyzer {
  readonly name = "wordpiece";
  /** The piece of every id. */
  readonly pieces: readonly string[];
  readonly options: Required<Omit<WordPieceOptions, "stripAccents">> & Pick<WordPieceOptions, "stripAccents">;
  readonly #tokenizer: Tokenizer;

  constructor(pieces: readonly string[], options: WordPieceOptions = {}) {
    checkTextList("pieces", "word pieces", pieces);
    this.pieces = pieces;
    this.options = { ...BERT_UNCASED, ...options };
    if (!pieces.includes(this.options.unknown)) {
      throw new SluiceError(
        `the vocabulary of ${pieces.length} pieces lacks ${this.options.unknown}`,
        "give a BERT vocab.txt (one piece a line) or a tokenizer.json with a WordPiece model",
      );
    }
    const config = {
      normalizer: {
        type: "BertNormalizer",
        clean_text: this.options.cleanText,
        handle_chinese_chars: this.options.splitChinese,
        strip_accents: this.options.stripAccents ?? null,
        lowercase: this.options.lowercase,
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      post_processor: null,
      decoder: null,
      added_tokens: [],
      model: {
        type: "WordPiece",
        unk_token: this.options.unknown,
        continuing_subword_prefix: this.options.prefix,
        max_input_chars_per_word: this.options.longestWord,
        vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      },
    };
    this.#tokenizer = new Tokenizer(config, {});
  }

  /** From the text of a vocab.txt: one piece a line; the line number, from 0, is the id. */
  static fromVocabulary(text: string, options?: WordPieceOptions): WordPiece {
    return new WordPiece(text.replace(/\r?\n$/, "").split(/\r?\n/), options);
  }

  /** From the text of a Hugging Face tokenizer.json. */
  static fromTokenizerJson(text: string): WordPiece {
    const { model, normalizer, pre_tokenizer } = parsedTokenizer(text);
    // Old files leave the type out. Then a WordPiece model is recognized by its prefix.
    if (model?.type !== "WordPiece" && !model?.continuing_subword_prefix) {
      throw new SluiceError(`the tokenizer's model is ${model?.type ?? "missing"}, expected WordPiece`);
    }
    if (normalizer?.type !== "BertNormalizer" || pre_tokenizer?.type !== "BertPreTokenizer") {
      throw new SluiceError(
        `the tokenizer prepares text by ${normalizer?.type ?? "nothing"} and ${pre_tokenizer?.type ?? "nothing"}, ` +
          "expected BertNormalizer and BertPreTokenizer",
      );
    }
    const pieces: string[] = [];
    for (const [piece, id] of Object.entries(model.vocab)) pieces[id] = piece;
    for (let id = 0; id < pieces.length; id++) pieces[id] ??= `[missing${id}]`;
    return new WordPiece(pieces, {
      lowercase: normalizer.lowercase ?? true,
      splitChinese: normalizer.handle_chinese_chars ?? true,
      cleanText: normalizer.clean_text ?? true,
      ...(typeof normalizer.strip_accents === "boolean" && { stripAccents: normalizer.strip_accents }),
      ...(model.max_input_chars_per_word && { longestWord: model.max_input_chars_per_word }),
      ...(model.continuing_subword_prefix && { prefix: model.continuing_subword_prefix }),
      ...(model.unk_token && { unknown: model.unk_token }),
    });
  }

  terms(text: string): string[] {
    checkTextToAnalyze(text);
    return this.#tokenizer.tokenize(text, { add_special_tokens: false });
  }

  eachTerm(text: string, emit: (term: string, start: number, end: number) => void): void {
    checkTextToAnalyze(text);
    for (const { 0: word, index } of text.matchAll(WORD)) {
      const [first] = this.terms(word);
      if (first !== undefined && first !== this.options.unknown) emit(first, index, index + word.length);
    }
  }
}

/** A word of BERT, before it is cut into pieces: split at white space, and around punctuation and Chinese characters. */
const WORD = /\p{Script=Han}|[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~\p{Script=Han}]+/gu;

const BERT_UNCASED = {
  lowercase: true,
  splitChinese: true,
  cleanText: true,
  longestWord: 100,
  prefix: "##",
  unknown: "[UNK]",
} as const;

/** The parts of a tokenizer.json that define word pieces. */
interface TokenizerJson {
  readonly model?: {
    readonly type?: string;
    readonly vocab: Record<string, number>;
    readonly continuing_subword_prefix?: string;
    readonly unk_token?: string;
    readonly max_input_chars_per_word?: number;
  };
  readonly normalizer?: {
    readonly type?: string;
    readonly lowercase?: boolean;
    readonly strip_accents?: boolean | null;
    readonly handle_chinese_chars?: boolean;
    readonly clean_text?: boolean;
  } | null;
  readonly pre_tokenizer?: { readonly type?: string } | null;
}

function parsedTokenizer(text: string): TokenizerJson {
  try {
    return JSON.parse(text) as TokenizerJson;
  } catch (error) {
    throw new SluiceError(`the tokenizer is not valid JSON: ${(error as Error).message}`);
  }
}
