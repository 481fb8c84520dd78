// Text → the token ids that a model gets: the ids of the text, cut to the maximum length, between the special tokens.

import { Tokenizer } from "@huggingface/tokenizers";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseJson } from "../../support/files/json.ts";
import { isObject, showValue } from "../../support/options/options.ts";
import { type CharacterRules, findPieceStarts } from "./piece-starts.ts";

/** The most words in the cache of ids, which is cleared when it is full. Most words of a text occurred before. */
const CACHED_WORDS = 1 << 18;
/** The most characters of a cached word. Longer: more memory. */
const LONGEST_CACHED = 32;

/** What stands between white space. */
const RUN = /[^ \t\r\n]+/g;
/** The characters of a run that are tokenized at once. Longer runs are cut: text behind the last id that is read costs time. */
const LONGEST_RUN = 4096;
/** A limit of the characters of a piece. */
const LONGEST_PIECE = 256;

export class TextTokenizer {
  /** The token of every id. */
  readonly terms: readonly string[];
  readonly #where: string;
  readonly #tokenizer: Tokenizer;
  /** The special ids before and after every text. */
  readonly #ends: readonly [readonly number[], readonly number[]];
  /** The ids of words; undefined if the ids of a word may depend on its neighbors. */
  readonly #words: Map<string, readonly number[]> | undefined;
  /** Where the pieces of words begin, from the start of the word. Empty unless `located` is used. */
  readonly #starts = new Map<string, readonly number[]>();
  readonly #rules: CharacterRules;
  /** Where a long run may be cut: before these characters. */
  readonly #boundary: RegExp;
  /** The id of what no piece can make; undefined if the tokenizer has pieces for everything. */
  readonly #unknown: number | undefined;

  /** From the text of a tokenizer.json; `where` names it in an error. */
  constructor(json: string, where: string) {
    this.#where = where;
    const parsed = parseJson(json, where, "ERR_SLUICE_DAMAGED") as TokenizerJson;
    if (!isObject(parsed)) throw damagedTokenizerError(where, "expected a JSON object");
    requireIds(parsed, where);
    requireLengths(parsed.pre_tokenizer, where);
    try {
      this.#tokenizer = new Tokenizer(parsed, {});
      this.#ends = specialEnds(this.#tokenizer);
      const terms: string[] = [];
      for (const [term, id] of this.#tokenizer.get_vocab()) terms[id] = term;
      this.terms = terms;
    } catch (error) {
      throw damagedTokenizerError(where, (error as Error).message);
    }
    if (!this.#ends.flat().every(isId)) throw damagedTokenizerError(where, "a special token has no id");
    if (isWordByWord(parsed)) this.#words = new Map();
    this.#rules = characterRules(parsed);
    this.#boundary = boundaryOf(parsed);
    this.#unknown = unknownId(parsed, this.terms);
  }

  /** The first ids of a text, without special ones: `most` of them or more, if it has so many. All of them by default. */
  bare(text: string, most = Number.POSITIVE_INFINITY): number[] {
    const words = this.#words;
    if (!words) return this.#encodedBeginning(text, most);
    const ids: number[] = [];
    for (const { 0: run } of text.matchAll(RUN)) {
      for (const [word] of cutRun(run, this.#boundary)) {
        for (const id of this.#idsOf(word, words)) ids.push(id);
        if (ids.length >= most) return ids;
      }
    }
    return ids;
  }

  /** The same, with where in the text each begins. Throws if words cannot be cut one by one. */
  located(
    text: string,
    most = Number.POSITIVE_INFINITY,
  ): { readonly ids: number[]; readonly starts: number[] } {
    const words = this.#words;
    if (!words) {
      throw new SluiceError(
        `${this.#where}: this tokenizer does not say where its pieces are`,
        "an anchored encoder needs a tokenizer of BERT: BertNormalizer and BertPreTokenizer",
      );
    }
    const [ids, starts]: [number[], number[]] = [[], []];
    for (const { 0: run, index } of text.matchAll(RUN)) {
      for (const [word, at] of cutRun(run, this.#boundary)) {
        const pieceIds = this.#idsOf(word, words);
        const ownStarts = this.#startsOf(word, pieceIds);
        for (let i = 0; i < pieceIds.length; i++) {
          ids.push(pieceIds[i]);
          starts.push(index + at + ownStarts[i]);
        }
        if (ids.length >= most) return { ids, starts };
      }
    }
    return { ids, starts };
  }

  /** The special ids before every text. */
  get begin(): readonly number[] {
    return this.#ends[0];
  }

  /** How many pieces of a text fit into `longest` ids, beside the special ones. */
  mostPieces(longest: number): number {
    return longest - this.#ends[0].length - this.#ends[1].length;
  }

  /** The ids that a model gets: `bare` between the special ids, cut to `longest` in all. */
  framed(bare: readonly number[], longest: number): number[] {
    const [begin, end] = this.#ends;
    return [...begin, ...bare.slice(0, this.mostPieces(longest)), ...end];
  }

  /**
   * Whether all words of a tokenized text are unknown. Pieces without a letter or a digit are no words. `prefix` is the text that
   * was put before the text, if any: the ids begin with it.
   */
  hasOnlyUnknownWords(ids: readonly number[], prefix = ""): boolean {
    const unknown = this.#unknown;
    if (unknown === undefined || !ids.includes(unknown)) return false;
    const before = prefix === "" ? [] : this.bare(prefix);
    return ids.every((id, i) => id === unknown || id === before[i] || !/[\p{L}\p{N}]/u.test(this.terms[id]));
  }

  #idsOf(word: string, words: Map<string, readonly number[]>): readonly number[] {
    let ids = words.get(word);
    if (!ids) {
      ids = this.#encoded(word);
      if (words.size >= CACHED_WORDS) words.clear();
      if (word.length <= LONGEST_CACHED) words.set(word, ids);
    }
    return ids;
  }

  #startsOf(word: string, ids: readonly number[]): readonly number[] {
    let starts = this.#starts.get(word);
    if (!starts) {
      const pieces = ids.map((id) => this.terms[id]);
      starts = findPieceStarts(word, pieces, this.#rules);
      if (this.#starts.size >= CACHED_WORDS) this.#starts.clear();
      if (word.length <= LONGEST_CACHED) this.#starts.set(word, starts);
    }
    return starts;
  }

  /** The first ids of a text whose words cannot be cut one by one. It is cut at a space, far behind the last id that is wanted. */
  #encodedBeginning(text: string, most: number): number[] {
    const longest = most * LONGEST_PIECE;
    if (text.length > longest) {
      const end = text.lastIndexOf(" ", longest);
      const ids = this.#encoded(text.slice(0, end > 0 ? end : longest));
      if (ids.length > most) return ids;
    }
    return this.#encoded(text);
  }

  #encoded(text: string): number[] {
    let ids: number[];
    try {
      ids = this.#tokenizer.encode(text, { add_special_tokens: false }).ids;
    } catch (error) {
      throw damagedTokenizerError(this.#where, (error as Error).message);
    }
    if (!ids.every(isId)) throw damagedTokenizerError(this.#where, "a piece of a text has no id");
    return ids;
  }
}

function damagedTokenizerError(where: string, why: string): SluiceError {
  return new SluiceError(
    `${where}: no tokenizer.json of Hugging Face: ${why}`,
    undefined,
    "ERR_SLUICE_DAMAGED",
  );
}

/** Ids are positions in a model's table. The largest vocabularies have a quarter of a million. */
const MOST_IDS = 1 << 24;

function isId(id: unknown): boolean {
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < MOST_IDS;
}

/**
 * Throws if an id cannot be a position in a table: the package would make a list as long as the largest id. Which form a
 * vocabulary has depends on its model: a list of tokens for Unigram, and ids by token for the others.
 */
function requireIds({ model, added_tokens }: TokenizerJson, where: string): void {
  const { type, vocab = {} } = model ?? {};
  const isList = Array.isArray(vocab);
  if (isList ? type === "BPE" || type === "WordPiece" : type === "Unigram")
    throw damagedTokenizerError(where, `"vocab" of ${type} is ${showValue(vocab)}`);
  const vocabEntries = isList ? [] : Object.entries(vocab ?? {});
  if (added_tokens !== undefined && !Array.isArray(added_tokens))
    throw damagedTokenizerError(where, `"added_tokens" is ${showValue(added_tokens)}, expected a list`);
  const added = (added_tokens ?? []).map((token) => [token?.content, token?.id] as const);
  for (const [token, id] of [...vocabEntries, ...added])
    if (!isId(id))
      throw damagedTokenizerError(where, `the id of ${JSON.stringify(token)} is ${showValue(id)}`);
}

/** Throws if texts are cut into parts of a length that is not at least 1. The package would cut without end. */
function requireLengths(pre: TokenizerJson["pre_tokenizer"], where: string): void {
  const { type, length, pretokenizers } = pre ?? {};
  if (type === "FixedLength" && !(Number.isSafeInteger(length) && (length as number) > 0))
    throw damagedTokenizerError(
      where,
      `the length of FixedLength is ${showValue(length)}, expected at least 1`,
    );
  if (Array.isArray(pretokenizers)) for (const inner of pretokenizers) requireLengths(inner, where);
}

/** The parts of a tokenizer.json that decide whether words are cut one by one. */
interface TokenizerJson {
  readonly model?: {
    readonly type?: string;
    /** By token: its id. A unigram model has a list of tokens and scores. */
    readonly vocab?: Readonly<Record<string, unknown>> | readonly unknown[];
    readonly unk_token?: string | null;
    /** The same in a unigram model. */
    readonly unk_id?: number | null;
    readonly continuing_subword_prefix?: string;
  };
  readonly normalizer?: {
    readonly type?: string;
    readonly handle_chinese_chars?: boolean;
    readonly lowercase?: boolean;
    readonly strip_accents?: boolean | null;
  } | null;
  readonly pre_tokenizer?: {
    readonly type?: string;
    readonly length?: unknown;
    /** The parts of a sequence. */
    readonly pretokenizers?: readonly TokenizerJson["pre_tokenizer"][];
  } | null;
  readonly added_tokens?: readonly { readonly id?: unknown; readonly content?: string }[];
}

/** Whether each word can be tokenized by itself, as in BERT: white space always ends a word. */
function isWordByWord({ normalizer, pre_tokenizer, added_tokens = [] }: TokenizerJson): boolean {
  return (
    normalizer?.type === "BertNormalizer" &&
    pre_tokenizer?.type === "BertPreTokenizer" &&
    added_tokens.every(({ content }) => content !== undefined && !/\s/.test(content))
  );
}

/** Punctuation of ASCII, as BERT has it. */
const ASCII_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** Characters that are words of their own, in front of which a run can be cut without changing its ids. */
function boundaryOf({ normalizer, added_tokens = [] }: TokenizerJson): RegExp {
  const inTokens = added_tokens.map(({ content = "" }) => content).join("");
  const ascii = [...ASCII_PUNCTUATION].filter((character) => !inTokens.includes(character));
  const codes = ascii.map((character) => `\\u{${character.charCodeAt(0).toString(16)}}`).join("");
  const chinese =
    normalizer?.handle_chinese_chars === false ? "" : "\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF";
  return new RegExp(`(?![\\0-\\x7f])\\p{P}|[${codes}${chinese}]`, "gu");
}

/** The end of a part that was cut off is a word if it has no punctuation. */
const WORD_END = /^[^!-/:-@[-`{-~\p{P}]*$/u;
/** More characters than a word with pieces has. */
const WORD_END_LENGTH = 256;

/**
 * The parts of a run, each with where it begins. A word without a boundary is cut off: with so many characters it has no pieces,
 * and is unknown.
 */
function* cutRun(run: string, boundary: RegExp): Generator<readonly [part: string, at: number]> {
  let at = 0;
  while (run.length - at > LONGEST_RUN) {
    boundary.lastIndex = at + LONGEST_RUN / 2;
    const next = boundary.exec(run)?.index ?? run.length;
    const end = at + LONGEST_RUN;
    const isWord = next > end && WORD_END.test(run.slice(end - WORD_END_LENGTH, end));
    yield [run.slice(at, isWord ? end : next), at];
    at = next;
  }
  if (at < run.length) yield [at === 0 ? run : run.slice(at), at];
}

function characterRules({ model, normalizer }: TokenizerJson): CharacterRules {
  const lowercase = normalizer?.lowercase ?? true;
  return {
    lowercase,
    stripAccents: normalizer?.strip_accents ?? lowercase,
    unknown: model?.unk_token ?? "[UNK]",
    prefix: model?.continuing_subword_prefix ?? "##",
  };
}

function unknownId({ model }: TokenizerJson, terms: readonly string[]): number | undefined {
  const id = model?.unk_id ?? (model?.unk_token == null ? -1 : terms.indexOf(model.unk_token));
  return id >= 0 ? id : undefined;
}

/** The special ids before and after every text, found by encoding a sample. */
function specialEnds(tokenizer: Tokenizer): [number[], number[]] {
  const bare: number[] = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const whole: number[] = tokenizer.encode("a", { add_special_tokens: true }).ids;
  const start = whole.findIndex((_, at) => bare.every((id, i) => whole[at + i] === id));
  return [whole.slice(0, start), whole.slice(start + bare.length)];
}
