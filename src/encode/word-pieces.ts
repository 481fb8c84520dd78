// Text → the ids of its word pieces, as BERT's uncased tokenizer cuts them, fast: 12 words take about 2 µs. It has no special
// tokens and no limit of length. `WordPiece` of ../analyze does the same with Hugging Face's package, some twenty times
// slower; the tests compare the two.
//
// Between white space, ASCII is cut the fast way: letters and digits are words, a punctuation character is a word. What has
// another character in it goes through BERT's rules: drop control characters, put spaces around Chinese characters,
// lower-case, drop accents, split at white space and punctuation.

import { UsageError } from "../errors.ts";
import { flatCopy } from "../support/flat.ts";

/** The most words in the cache, which is cleared when it is full. Most words of a text occurred before. */
const CACHED_WORDS = 1 << 17;
/** The most characters of a cached word. */
const LONGEST_CACHED = 32;
/** Words of more characters have no pieces. BERT's limit. */
const LONGEST_WORD = 100;

/** What an ASCII character is to the tokenizer. Other characters are OTHER. */
const [OTHER, SPACE, PUNCTUATION, LETTER] = [0, 1, 2, 3];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[ \t\n\r]/.test(character)) return SPACE;
  if (/[A-Za-z0-9]/.test(character)) return LETTER;
  return code > 32 && code < 127 ? PUNCTUATION : OTHER;
});

export class WordPieces {
  /** The piece of every id. */
  readonly pieces: readonly string[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #cache = new Map<string, readonly number[]>();

  /** `pieces` in the order of their ids. Pieces that continue a word begin with ##. */
  constructor(pieces: readonly string[], where = "the vocabulary") {
    this.pieces = pieces;
    this.#ids = new Map(pieces.map((piece, id) => [piece, id]));
    if (this.#ids.size === pieces.length) return;
    const twice = pieces.find((piece, id) => this.#ids.get(piece) !== id)!;
    throw new UsageError(
      `${where}: the piece ${JSON.stringify(twice)} appears twice`,
      undefined,
      "ERR_SLUICE_DAMAGED",
    );
  }

  /** The ids of the pieces of a text, in order. Words that pieces cannot make are left out. */
  ids(text: string): number[] {
    const ids: number[] = [];
    this.addIds(text, ids);
    return ids;
  }

  /** Adds the ids of the pieces of a text to a list, which can be used again: most of the time would go into new lists. */
  addIds(text: string, ids: number[]): void {
    const { length } = text;
    for (let at = 0; at < length; ) {
      let end = at;
      let isAscii = true;
      for (; end < length; end++) {
        const kind = kindAt(text, end);
        if (kind === SPACE) break;
        if (kind === OTHER) isAscii = false;
      }
      if (!isAscii) for (const word of wordsOf(text.slice(at, end))) addAll(ids, this.#idsOf(word));
      else if (end > at) this.#addAscii(text, at, end, ids);
      at = end + 1;
    }
  }

  /** Cuts ASCII without white space at punctuation. */
  #addAscii(text: string, start: number, end: number, ids: number[]): void {
    for (let at = start; at < end; ) {
      let next = at + 1;
      if (kindAt(text, at) === LETTER) while (next < end && kindAt(text, next) === LETTER) next++;
      addAll(ids, this.#cachedIds(text.slice(at, next)));
      at = next;
    }
  }

  #cachedIds(word: string): readonly number[] {
    let ids = this.#cache.get(word);
    if (!ids) {
      ids = this.#idsOf(word.toLowerCase());
      if (this.#cache.size >= CACHED_WORDS) this.#cache.clear();
      if (word.length <= LONGEST_CACHED) this.#cache.set(flatCopy(word), ids);
    }
    return ids;
  }

  /** The pieces of a normalized word: the longest piece that it begins with, then the longest that continues it, … */
  #idsOf(word: string): readonly number[] {
    const characters = Array.from(word);
    if (characters.length > LONGEST_WORD) return [];
    const ids: number[] = [];
    for (let start = 0; start < characters.length; ) {
      let end = characters.length;
      let id: number | undefined;
      for (; end > start && id === undefined; end--) {
        id = this.#ids.get((start > 0 ? "##" : "") + characters.slice(start, end).join(""));
      }
      if (id === undefined) return []; // a character without a piece makes the whole word unknown
      ids.push(id);
      start = end + 1;
    }
    return ids;
  }
}

function addAll(list: number[], more: readonly number[]): void {
  for (let i = 0; i < more.length; i++) list.push(more[i]);
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? KINDS[code] : OTHER;
}

/** Control characters, which are dropped. */
const CONTROL = /[\0\uFFFD\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const CHINESE = /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF]/g;
const ACCENT = /\p{Mn}/gu;
/** A word, or a punctuation character. */
const WORD = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu;

/** The normalized words of a run without tabs, line breaks and spaces of ASCII. */
function wordsOf(run: string): string[] {
  const spaced = run.replace(CONTROL, "").replace(CHINESE, " $& ");
  return spaced.toLowerCase().normalize("NFD").replace(ACCENT, "").match(WORD) ?? [];
}
