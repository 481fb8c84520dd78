// The words of training texts, for an anchored head: for each text, in order, the terms of the analyzer and the positions of the
// pieces in which their words begin. BM25's statistics are those of the training passages. A batch gets the part that its scores
// need: the terms of its queries.

import { createAnchoredAnalyzer, findWordsInPieces, NO_PIECE } from "../../../encode/contract/anchored.ts";
import type { Role } from "../../../encode/contract/description.ts";
import type { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { ensureCapacity } from "../../../support/numbers/ensure-capacity.ts";
import { BM25_DEFAULTS, idf, termPart } from "../../../weigh/bm25.ts";
import type { BatchWords, WordRows } from "./batch.ts";

interface WordTableOptions {
  readonly maxLength: Readonly<Record<Role, number>>;
  readonly prefix?: { readonly query?: string; readonly passage?: string };
}

export class WordTable {
  readonly #tokenizer: TextTokenizer;
  readonly #options: WordTableOptions;
  readonly #analyzer = createAnchoredAnalyzer("english");
  /** Term → its number. */
  readonly #numbers = new Map<string, number>();
  readonly #words: Readonly<Record<Role, WordLists>> = { query: new WordLists(), passage: new WordLists() };
  /** By term: in how many passages it occurs. */
  readonly #frequencies: number[] = [];
  /** Passages with a word, and the words of all passages. */
  #docs = 0;
  #length = 0;

  constructor(tokenizer: TextTokenizer, options: WordTableOptions) {
    this.#tokenizer = tokenizer;
    this.#options = options;
  }

  /** Adds the next text of a role. */
  add(text: string, role: Role): void {
    const prefix = this.#options.prefix?.[role] ?? "";
    const kept = this.#tokenizer.mostPieces(this.#options.maxLength[role]);
    const { starts } = this.#tokenizer.located(prefix + text);
    const { terms, pieces } = findWordsInPieces(this.#analyzer, text, starts, { from: prefix.length, kept });
    const first = this.#tokenizer.begin.length;
    const numbers = terms.map((term) => this.#numberOf(term));
    const positions = pieces.map((piece) => (piece === NO_PIECE ? NO_PIECE : first + piece));
    this.#words[role].add(numbers, positions);
    if (role === "query" || terms.length === 0) return;
    this.#docs++;
    this.#length += terms.length;
    for (const number of new Set(numbers)) this.#frequencies[number] = (this.#frequencies[number] ?? 0) + 1;
  }

  /** The words of some texts. Only terms of the queries that a passage of the training set has can add to a score. */
  batch(queries: readonly number[], passages: readonly number[]): BatchWords {
    const local = new Map<number, number>();
    const idfs: number[] = [];
    for (const query of queries) {
      for (const term of this.#words.query.at(query).terms) {
        if (local.has(term) || !this.#frequencies[term]) continue;
        local.set(term, local.size);
        idfs.push(idf(this.#docs, this.#frequencies[term]));
      }
    }
    const average = this.#length / Math.max(1, this.#docs);
    return {
      // Graphs need at least one term. A batch without a known one gets a term that no text has.
      idf: Float32Array.from(idfs.length > 0 ? idfs : [0]),
      // Its idf is multiplied later.
      query: this.#rows("query", queries, local, (tf) => tf),
      passage: this.#rows("passage", passages, local, (tf, length) =>
        termPart(tf, length, average, BM25_DEFAULTS),
      ),
    };
  }

  #rows(
    role: Role,
    texts: readonly number[],
    local: ReadonlyMap<number, number>,
    weightOf: (tf: number, length: number) => number,
  ): WordRows {
    const found = texts.map((text) => {
      const { terms, positions } = this.#words[role].at(text);
      const counts = new Map<number, number>();
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      return Array.from(terms, (word, i) => {
        const term = local.get(word);
        const tf = counts.get(word)!;
        // The occurrences of a term have equal shares of its weight: a factor is a mean. Terms of no query only count for the mean.
        const share = term === undefined ? 0 : weightOf(tf, terms.length) / tf;
        return { term: term ?? 0, position: positions[i], share };
      });
    });
    const width = Math.max(1, ...found.map((words) => words.length));
    const size = texts.length * width;
    const [at, terms] = [new Int32Array(size), new Int32Array(size)];
    const [shares, read, means] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
    for (const [row, words] of found.entries()) {
      const readWords = words.filter(({ position }) => position !== NO_PIECE).length;
      if (readWords === 0) means[row * width] = 1; // an unread word has the exponent 0, so the mean is 1
      for (const [i, { term, position, share }] of words.entries()) {
        const to = row * width + i;
        terms[to] = term;
        shares[to] = share;
        if (position === NO_PIECE) continue;
        at[to] = position;
        read[to] = 1;
        means[to] = 1 / readWords;
      }
    }
    return { rows: texts.length, width, at, terms, shares, read, means };
  }

  #numberOf(term: string): number {
    const number = this.#numbers.get(term) ?? this.#numbers.size;
    this.#numbers.set(term, number);
    return number;
  }
}

/** The words of many texts, stored one after the other. */
class WordLists {
  #terms: Uint32Array = new Uint32Array(1 << 12);
  #positions: Int32Array = new Int32Array(1 << 12);
  readonly #ends: number[] = [];

  add(terms: readonly number[], positions: readonly number[]): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + terms.length;
    this.#terms = ensureCapacity(this.#terms, end);
    this.#positions = ensureCapacity(this.#positions, end);
    this.#terms.set(terms, start);
    this.#positions.set(positions, start);
    this.#ends.push(end);
  }

  at(number: number): { readonly terms: Uint32Array; readonly positions: Int32Array } {
    const [start, end] = [number === 0 ? 0 : this.#ends[number - 1], this.#ends[number]];
    return { terms: this.#terms.subarray(start, end), positions: this.#positions.subarray(start, end) };
  }
}
