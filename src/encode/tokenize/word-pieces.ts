// Text → the ids of its word pieces, as BERT's uncased tokenizer cuts them, fast: 12 words take about 2 µs. It has no special
// tokens and no limit of length. `WordPiece` of ../analyze does the same with Hugging Face's package, some twenty times
// slower; the tests compare the two.
//
// Between white space, ASCII is cut the fast way: letters and digits are words, a punctuation character is a word. What has
// another character in it goes through BERT's rules: drop control characters, put spaces around Chinese characters,
// lower-case, drop accents, split at white space and punctuation.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import { hashWord, WordCache } from "./word-cache.ts";

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
  readonly #cache = new WordCache();

  /** `pieces` in the order of their ids. Pieces that continue a word begin with ##. */
  constructor(pieces: readonly string[], where = "the vocabulary") {
    this.pieces = pieces;
    this.#ids = new Map(pieces.map((piece, id) => [piece, id]));
    if (this.#ids.size === pieces.length) return;
    const twice = pieces.find((piece, id) => this.#ids.get(piece) !== id)!;
    throw new SluiceError(
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

  /** Adds the ids of the pieces of a text to a list. Use one list for many texts: making lists would take most of the time. */
  addIds(text: string, ids: number[]): void {
    const { length } = text;
    // Where the run without white space began, and how many ids there were then. One character that is not ASCII sends the
    // whole run through BERT's rules.
    let [run, before] = [0, ids.length];
    for (let at = 0; at < length; ) {
      const kind = kindAt(text, at);
      if (kind === SPACE) {
        run = ++at;
        before = ids.length;
      } else if (kind === OTHER) {
        while (at < length && kindAt(text, at) !== SPACE) at++;
        ids.length = before;
        for (const word of splitWords(text.slice(run, at))) this.#addIdsOf(word, ids);
      } else {
        at = this.#addWord(text, at, ids);
      }
    }
  }

  /** Adds the ids of an ASCII word, or of a punctuation character. Returns where it ends. */
  #addWord(text: string, start: number, ids: number[]): number {
    const cache = this.#cache;
    let hash = hashWord(0, text.charCodeAt(start));
    let end = start + 1;
    if (kindAt(text, start) === LETTER) {
      for (; end < text.length && kindAt(text, end) === LETTER; end++)
        hash = hashWord(hash, text.charCodeAt(end));
    }
    if (cache.addIds(text, start, end, hash, ids)) return end;
    const before = ids.length;
    this.#addIdsOf(text.slice(start, end).toLowerCase(), ids);
    cache.keep(text, start, end, hash, ids, before);
    return end;
  }

  /** Adds the pieces of a normalized word: the longest piece that it begins with, then the longest that continues it, … */
  #addIdsOf(word: string, ids: number[]): void {
    const ends = characterEnds(word);
    if (ends.length > LONGEST_WORD) return;
    const before = ids.length;
    for (let start = 0; start < word.length; ) {
      let id: number | undefined;
      let end = 0;
      for (let i = ends.length - 1; i >= 0 && ends[i] > start && id === undefined; i--) {
        end = ends[i];
        id = this.#ids.get(start > 0 ? `##${word.slice(start, end)}` : word.slice(0, end));
      }
      if (id === undefined) {
        ids.length = before; // a character without a piece makes the whole word unknown
        return;
      }
      ids.push(id);
      start = end;
    }
  }
}

/** Where the characters of a word end. One outside the Basic Multilingual Plane takes two places. */
function characterEnds(word: string): number[] {
  const ends: number[] = [];
  let end = 0;
  for (const character of word) {
    end += character.length;
    ends.push(end);
  }
  return ends;
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
function splitWords(run: string): string[] {
  const spaced = run.replace(CONTROL, "").replace(CHINESE, " $& ");
  return spaced.toLowerCase().normalize("NFD").replace(ACCENT, "").match(WORD) ?? [];
}
