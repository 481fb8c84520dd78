// Text → BERT word pieces, by Hugging Face's tokenizer. Its vocabulary is fixed: the ids of the pieces are what the
// learned sparse models (uniCOIL, SPLADE, DeLADE) and the paper's slicing refer to.

import { Tokenizer } from "@huggingface/tokenizers";
import { UsageError } from "../errors.ts";
import type { Analyzer } from "./analyzer.ts";

export interface WordPieceOptions {
  lowercase?: boolean;
  /** Pieces that continue a word begin with this. */
  prefix?: string;
  unknown?: string;
}

/** Cuts texts into word pieces. Pieces outside the vocabulary come out as [UNK]; [CLS] and [SEP] are not added. */
export class WordPiece implements Analyzer {
  readonly name = "wordpiece";
  /** The piece of every id. */
  readonly pieces: readonly string[];
  readonly options: Required<WordPieceOptions>;
  readonly #tokenizer: Tokenizer;

  constructor(pieces: readonly string[], options: WordPieceOptions = {}) {
    this.pieces = pieces;
    this.options = { lowercase: true, prefix: "##", unknown: "[UNK]", ...options };
    if (!pieces.includes(this.options.unknown)) {
      throw new UsageError(
        `the vocabulary of ${pieces.length} pieces lacks ${this.options.unknown}`,
        "give a BERT vocab.txt (one piece a line) or a tokenizer.json with a WordPiece model",
      );
    }
    const config = {
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
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
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      },
    };
    this.#tokenizer = new Tokenizer(config, {});
  }

  /** From the text of a vocab.txt: one piece a line, the line number is the id. */
  static fromVocabulary(text: string, options?: WordPieceOptions): WordPiece {
    return new WordPiece(text.replace(/\r?\n$/, "").split(/\r?\n/), options);
  }

  /** From the text of a Hugging Face tokenizer.json. */
  static fromTokenizerJson(text: string): WordPiece {
    const { model, normalizer } = JSON.parse(text) as {
      model?: {
        type?: string;
        vocab: Record<string, number>;
        continuing_subword_prefix?: string;
        unk_token?: string;
      };
      normalizer?: { lowercase?: boolean };
    };
    // Old files leave the type out; a WordPiece model is then known by its prefix.
    if (model?.type !== "WordPiece" && !model?.continuing_subword_prefix) {
      throw new UsageError(`the tokenizer's model is ${model?.type ?? "missing"}, expected WordPiece`);
    }
    const pieces: string[] = [];
    for (const [piece, id] of Object.entries(model.vocab)) pieces[id] = piece;
    for (let id = 0; id < pieces.length; id++) pieces[id] ??= `[missing${id}]`;
    return new WordPiece(pieces, {
      lowercase: normalizer?.lowercase ?? true,
      ...(model.continuing_subword_prefix && { prefix: model.continuing_subword_prefix }),
      ...(model.unk_token && { unknown: model.unk_token }),
    });
  }

  terms(text: string): string[] {
    return this.#tokenizer.tokenize(text, { add_special_tokens: false });
  }
}
