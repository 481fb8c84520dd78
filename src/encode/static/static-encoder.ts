// Texts → vectors, by a table with a row for every word piece. It needs no runtime and gives the same bits in Node, in a
// page and in a worker: all sums are made in one order, in float64, and every operation is exact to the last bit by IEEE 754.
//
//   sum      = Σ √count(piece) · row(piece)     over the pieces of the text, by fours, in the order of their first occurrence;
//                                               wasm/int8-table.ts adds
//   passage  = sum / |sum|                      of the first `dims` numbers
//   query    = sum / |sum| · pieces / 12        pieces of the query, repeated ones included, 60,000 at most
//
// BM25 adds up over the words of a query, and a cosine does not. With a query's length in its vector, both parts of a score
// grow alike, and one λ fits short and long queries: .5157 instead of .5104 on the five collections of bench/zero-shot.ts.
// A text without a known piece has the vector 0, so its semantic score is 0.

import { cutText } from "../../analyze/text-pieces.ts";
import { Fingerprint } from "../../support/bytes/hash.ts";
import { type ErrorCode, SluiceError } from "../../support/errors/sluice-error.ts";
import { Turns, waitForTurn } from "../../support/work/turns.ts";
import { TableMemory } from "../../wasm/int8-table.ts";
import { checkEncodeArguments } from "../contract/check-encoder.ts";
import type { Role, StaticDescription } from "../contract/description.ts";
import type { EncoderContract } from "../contract/encoder-contract.ts";
import type { Encoding, WatchedEncodeOptions } from "../contract/encoding.ts";
import { WordPieces } from "../tokenize/word-pieces.ts";
import { packTable, parseTable } from "./table-file.ts";

/** The files of a static encoder. */
interface StaticParts {
  /** sluice.json, parsed. */
  readonly description: unknown;
  /** vectors.table */
  readonly table: Uint8Array;
  /** pieces.txt: a piece a line, in the order of the rows. */
  readonly pieces: string;
}

/** Pieces of a query whose vector has the length 1. Another number would be another λ. */
const UNIT_PIECES = 12;
/** The most pieces of a query that count, so that its vector fits into float16. */
const MOST_PIECES = 60_000;
/** Texts that are encoded before other work may run: about 10 ms of abstracts. */
const SUMMED_AT_ONCE = 64;

/** UTF-16 units of a text whose pieces are counted in turns. A text of this length takes a few milliseconds. */
const LONG_TEXT = 1 << 15;

/** How often a text has each piece, and how many pieces it has. */
interface CountedPieces {
  readonly counts: ReadonlyMap<number, number>;
  readonly length: number;
}

/** An `Encoder` that is a table. */
export class StaticEncoder implements EncoderContract {
  readonly description: StaticDescription;
  /** A hash of the table, the pieces and the dims. */
  readonly fingerprint: string;
  readonly path: string;
  readonly gives = { weights: false, vector: true } as const;
  readonly #tokenizer: WordPieces;
  /** By piece. */
  readonly #scales: Float32Array;
  readonly #memory: TableMemory;
  /** The pieces of the current text. */
  readonly #pieces: number[] = [];
  /** How often each piece occurs in the current text; 0 between texts. */
  readonly #counts: Uint32Array;

  /** `path` names the encoder in errors. `dims` are the description's by default. */
  constructor(path: string, { description, table, pieces }: StaticParts, dims?: number) {
    this.path = path;
    this.description = chooseDescription(description, dims, path);
    this.#tokenizer = new WordPieces(pieces.replace(/\r?\n$/, "").split(/\r?\n/), `${path}: pieces.txt`);
    const { rows, dims: width, scales, values } = parseTable(table, `${path}: vectors.table`);
    if (rows !== this.vocabulary.length) {
      throw damagedEncoderError(
        path,
        `the table has ${rows} rows, but there are ${this.vocabulary.length} pieces`,
      );
    }
    if (this.description.dims > width) {
      throw damagedEncoderError(
        path,
        `the table has ${width} dims, but the description says ${this.description.dims}`,
      );
    }
    this.#counts = new Uint32Array(rows);
    this.#scales = scales.slice(); // a copy, so that the file's bytes can go
    this.#memory = new TableMemory(values, width, this.description.dims, SUMMED_AT_ONCE);
    this.fingerprint = new Fingerprint()
      .add(table.subarray(0, 24)) // the header has the checksum of the rest
      .add(pieces)
      .add(String(this.description.dims))
      .toString();
  }

  /** The space of its vectors: the space of the encoder that it learned from, or one of its own. */
  get space(): string {
    return this.description.space ?? this.fingerprint;
  }

  /** The word pieces, in the order of the rows. */
  get vocabulary(): readonly string[] {
    return this.#tokenizer.pieces;
  }

  /** The vector of a text. That of a passage has the length 1. If no piece of the text is known, it is 0. */
  vectorOf(text: string, role: Role): Float32Array {
    this.#encode(text, role, 0);
    return this.#memory.vectors(1);
  }

  /** Makes a text the vector number `at` of the memory. */
  #encode(text: string, role: Role, at: number): void {
    const [pieces, counts, scales, memory] = [this.#pieces, this.#counts, this.#scales, this.#memory];
    pieces.length = 0;
    this.#tokenizer.addIds(text, pieces);
    for (let i = 0; i < pieces.length; i++) counts[pieces[i]]++;
    let distinct = 0;
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i];
      if (counts[piece] === 0) continue; // a repetition
      memory.take(distinct++, piece, Math.sqrt(counts[piece]) * scales[piece]);
      counts[piece] = 0;
    }
    this.#finish(distinct, pieces.length, role, at);
  }

  /** Makes a long text, whose pieces are counted already, the vector number `at` of the memory. */
  #encodeCounted({ counts, length }: CountedPieces, role: Role, at: number): void {
    let distinct = 0;
    for (const [piece, count] of counts)
      this.#memory.take(distinct++, piece, Math.sqrt(count) * this.#scales[piece]);
    this.#finish(distinct, length, role, at);
  }

  #finish(distinct: number, pieces: number, role: Role, at: number): void {
    const squares = this.#memory.sum(distinct);
    const length = role === "query" ? Math.min(pieces, MOST_PIECES) / UNIT_PIECES : 1;
    this.#memory.scale(squares === 0 ? 0 : length / Math.sqrt(squares), at);
  }

  /** Counts the pieces of a long text. Other work, which may encode texts here, runs wherever it yields. */
  *#countPieces(text: string): Generator<undefined, CountedPieces> {
    const counts = new Map<number, number>(); // in the order of their first occurrence
    let length = 0;
    for (const part of cutText(text)) {
      const pieces = this.#tokenizer.ids(part);
      for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + 1);
      length += pieces.length;
      yield;
    }
    return { counts, length };
  }

  async encode(
    texts: readonly string[],
    role: Role,
    options: WatchedEncodeOptions = {},
  ): Promise<Encoding[]> {
    checkEncodeArguments(texts, role);
    const { dims } = this.description;
    const encodings: Encoding[] = [];
    await this.#encodeInTurns(texts, role, options, (count) => {
      // One array for all of them: many small ones would cost more than what is in them.
      const vectors = this.#memory.vectors(count);
      for (let i = 0; i < count; i++) {
        const encoding = { vector: vectors.subarray(i * dims, (i + 1) * dims) };
        options.onEncoded?.(encodings.length, encoding);
        encodings.push(encoding);
      }
    });
    return encodings;
  }

  /** The vectors of texts as float16 bits, one after another: those of `encode`, rounded as an index stores them. */
  async encodeToHalves(texts: readonly string[], role: Role): Promise<Uint16Array<ArrayBuffer>> {
    checkEncodeArguments(texts, role);
    const { dims } = this.description;
    const halves = new Uint16Array(texts.length * dims);
    let done = 0;
    await this.#encodeInTurns(texts, role, {}, (count) => {
      this.#memory.copyHalves(count, halves, done * dims);
      done += count;
    });
    return halves;
  }

  /** Encodes some texts at a time. After each time `take` is called: the first `count` vectors of the memory are the next ones. */
  async #encodeInTurns(
    texts: readonly string[],
    role: Role,
    { signal, onProgress }: WatchedEncodeOptions,
    take: (count: number) => void,
  ): Promise<void> {
    let done = 0;
    while (done < texts.length) {
      const turns = new Turns(signal);
      const long =
        texts[done].length > LONG_TEXT ? await turns.run(this.#countPieces(texts[done])) : undefined;
      if (long) this.#encodeCounted(long, role, 0);
      let count = long ? 1 : 0;
      while (count < SUMMED_AT_ONCE && done + count < texts.length && (count === 0 || !turns.isDue)) {
        const text = texts[done + count];
        if (text.length > LONG_TEXT) break;
        this.#encode(text, role, count++);
      }
      take(count);
      done += count;
      onProgress?.({ task: "encoding", done, total: texts.length });
      if (done < texts.length) await waitForTurn(); // let other work run, which may abort
      signal?.throwIfAborted();
    }
    signal?.throwIfAborted();
  }

  /** The ids of a text's pieces. */
  tokenIds(text: string): number[] {
    return this.#tokenizer.ids(text);
  }

  /** Undefined: the encoder gives no weights. */
  ownTerms(): undefined {
    return undefined;
  }

  /** The table, cut to the dims of this encoder, and the pieces: all that another machine needs for the same vectors. */
  files(): StaticParts & { readonly table: Uint8Array<ArrayBuffer> } {
    const [{ values }, scales, { dims }] = [this.#memory, this.#scales, this.description];
    const table = packTable({ rows: scales.length, dims, scales, values });
    return { description: this.description, table, pieces: `${this.vocabulary.join("\n")}\n` };
  }

  async close(): Promise<void> {}
}

/** A size of vectors that an encoder offers. Each needs its own λ. */
interface Size {
  readonly dims?: unknown;
  readonly lambda?: unknown;
}

/** The fields of a description, before they are checked. An index records one size; sluice.json lists several. */
interface StaticFields {
  readonly kind?: unknown;
  readonly sizes?: readonly Size[];
  readonly space?: unknown;
}

/** Checks a description, of an index or of sluice.json, and chooses one of its sizes: the wanted one, or the first. */
function chooseDescription(value: unknown, wanted: number | undefined, path: string): StaticDescription {
  const fail = (what: string, code: ErrorCode = "ERR_SLUICE_DAMAGED") =>
    new SluiceError(
      `${path}: ${what}`,
      'a description looks like {"kind": "static", "sizes": [{"dims": 256, "lambda": 12}]}',
      code,
    );
  const { kind, sizes = [value], space } = (value ?? {}) as StaticFields;
  if (kind !== "static") throw fail(`"kind" is ${JSON.stringify(kind)}, expected "static"`);
  if (space !== undefined && typeof space !== "string") throw fail('"space" must be a text');
  if (!Array.isArray(sizes) || sizes.length === 0) throw fail('"sizes" must be a list');
  const offered = (sizes as Size[]).map(({ dims, lambda }) => {
    if (!(Number.isInteger(dims) && (dims as number) > 0)) throw fail('"dims" must be a whole number');
    if (lambda !== undefined && !(typeof lambda === "number" && lambda > 0 && Number.isFinite(lambda)))
      throw fail('"lambda" must be a number above 0');
    return {
      ...{
        kind: "static" as const,
        dims: dims as number,
        ...(lambda !== undefined && { lambda: lambda as number }),
      },
      ...(space !== undefined && { space }),
    } as const;
  });
  const chosen = wanted === undefined ? offered[0] : offered.find(({ dims }) => dims === wanted);
  if (chosen) return chosen;
  const names = offered.map(({ dims }) => dims).join(", ");
  throw fail(`there are no ${wanted} dims, but ${names}`, "ERR_SLUICE_INVALID");
}

function damagedEncoderError(path: string, what: string): SluiceError {
  return new SluiceError(`${path}: ${what}`, "restore the files of the encoder", "ERR_SLUICE_DAMAGED");
}
