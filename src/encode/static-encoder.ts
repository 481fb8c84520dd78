// Texts → vectors, by a table with a row for every word piece. It needs no runtime and gives the same bits in Node, in a
// page and in a worker: all sums are made in one order, in float64, and every operation is exact to the last bit by IEEE 754.
//
//   sum      = Σ √count(piece) · row(piece)     over the pieces of the text, by fours, in the order of their first occurrence
//   passage  = sum / |sum|                      of the first `dims` numbers
//   query    = sum / |sum| · pieces / 12        pieces of the query, repeated ones included
//
// BM25 adds up over the words of a query, and a cosine does not. With a query's length in its vector, both parts of a score
// grow alike, and one λ fits short and long queries: .5157 instead of .5104 on the five collections of bench/zero-shot.ts.
// A text without a known piece has the vector 0, so its semantic score is 0.

import { type ErrorCode, UsageError } from "../errors.ts";
import { Fingerprint } from "../support/hash.ts";
import { turn } from "../support/turns.ts";
import type { Role } from "./description.ts";
import type { Encoding, WatchedEncodeOptions } from "./encoding.ts";
import { bytesOfTable, type Int8Table, parseTable } from "./table-file.ts";
import { WordPieces } from "./word-pieces.ts";

/** A static encoder as an index records it: one of the sizes in its sluice.json. */
export interface StaticDescription {
  readonly kind: "static";
  /** Numbers of a vector: the first ones of a row. */
  readonly dims: number;
  /** The default λ of an index with this encoder. */
  readonly lambda?: number;
}

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
/** Texts that are encoded before other work may run: about 10 ms of abstracts. */
const ENCODED_AT_ONCE = 64;

/** An `Encoder` that is a table. */
export class StaticEncoder {
  readonly description: StaticDescription;
  /** A hash of the table, the pieces and the dims. */
  readonly fingerprint: string;
  readonly path: string;
  readonly gives = { weights: false, vector: true } as const;
  readonly #tokenizer: WordPieces;
  readonly #table: Int8Table;
  /** The pieces of the current text. */
  readonly #pieces: number[] = [];
  /** How often each piece occurs in the current text; 0 between texts. */
  readonly #counts: Uint32Array;
  readonly #rows: number[] = [];
  readonly #weights: number[] = [];
  readonly #sum: Float64Array;

  /** `path` names the encoder in errors. `dims` are those of the description when left out. */
  constructor(path: string, { description, table, pieces }: StaticParts, dims?: number) {
    this.path = path;
    this.description = chosenDescription(description, dims, path);
    this.#tokenizer = new WordPieces(pieces.replace(/\r?\n$/, "").split(/\r?\n/), `${path}: pieces.txt`);
    this.#table = parseTable(table, `${path}: vectors.table`);
    const { rows, dims: width } = this.#table;
    if (rows !== this.vocabulary.length) {
      throw damaged(path, `the table has ${rows} rows, but there are ${this.vocabulary.length} pieces`);
    }
    if (this.description.dims > width) {
      throw damaged(path, `the table has ${width} dims, but the description says ${this.description.dims}`);
    }
    this.#counts = new Uint32Array(rows);
    this.#sum = new Float64Array(this.description.dims);
    this.fingerprint = new Fingerprint()
      .add(table.subarray(0, 24)) // the header has the checksum of the rest
      .add(pieces)
      .add(String(this.description.dims))
      .toString();
  }

  /** The word pieces, in the order of the rows. */
  get vocabulary(): readonly string[] {
    return this.#tokenizer.pieces;
  }

  /** The vector of a text. That of a passage has the length 1. If no piece of the text is known, it is 0. */
  vectorOf(text: string, role: Role): Float32Array {
    const vector = new Float32Array(this.description.dims);
    this.#encodeInto(text, role, vector);
    return vector;
  }

  /** Writes the vector of a text over zeros. */
  #encodeInto(text: string, role: Role, vector: Float32Array): void {
    const { dims: width, scales, values } = this.#table;
    const [pieces, counts, sum] = [this.#pieces, this.#counts, this.#sum];
    const { length: dims } = sum;
    pieces.length = 0;
    this.#tokenizer.addIds(text, pieces);
    for (let i = 0; i < pieces.length; i++) counts[pieces[i]]++;
    // Where the rows of the distinct pieces begin, and their weights. The last four may be followed by rows of weight 0.
    const [rows, weights] = [this.#rows, this.#weights];
    let distinct = 0;
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i];
      if (counts[piece] === 0) continue; // a repetition
      rows[distinct] = piece * width;
      weights[distinct++] = Math.sqrt(counts[piece]) * scales[piece];
      counts[piece] = 0;
    }
    for (let i = distinct; i % 4 > 0; i++) rows[i] = weights[i] = 0;
    sum.fill(0);
    // Four rows at a time: half the time of one by one.
    for (let i = 0; i < distinct; i += 4) {
      const [a, b, c, d] = [rows[i], rows[i + 1], rows[i + 2], rows[i + 3]];
      const [w, x, y, z] = [weights[i], weights[i + 1], weights[i + 2], weights[i + 3]];
      for (let j = 0; j < dims; j++) {
        sum[j] += w * values[a + j] + x * values[b + j] + y * values[c + j] + z * values[d + j];
      }
    }
    let squares = 0;
    for (let j = 0; j < dims; j++) squares += sum[j] * sum[j];
    if (squares === 0) return;
    const factor = (role === "query" ? pieces.length / UNIT_PIECES : 1) / Math.sqrt(squares);
    for (let j = 0; j < dims; j++) vector[j] = sum[j] * factor;
  }

  async encode(
    texts: readonly string[],
    role: Role,
    options: WatchedEncodeOptions = {},
  ): Promise<Encoding[]> {
    const { signal, onProgress, onEncoded } = options;
    const { dims } = this.description;
    const encodings: Encoding[] = [];
    while (encodings.length < texts.length) {
      // Many small arrays would cost more than what is in them.
      const vectors = new Float32Array(dims * Math.min(ENCODED_AT_ONCE, texts.length - encodings.length));
      for (let at = 0; at < vectors.length; at += dims) {
        const vector = vectors.subarray(at, at + dims);
        this.#encodeInto(texts[encodings.length], role, vector);
        encodings.push({ vector });
        onEncoded?.(encodings.length - 1, { vector });
      }
      onProgress?.({ done: encodings.length, total: texts.length });
      if (encodings.length < texts.length) await turn(); // let other work run, which may abort
      signal?.throwIfAborted();
    }
    signal?.throwIfAborted();
    return encodings;
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
    const { rows, dims: width, scales, values } = this.#table;
    const { dims } = this.description;
    const cut = new Int8Array(rows * dims);
    for (let row = 0; row < rows; row++) {
      cut.set(values.subarray(row * width, row * width + dims), row * dims);
    }
    const table = bytesOfTable({ rows, dims, scales, values: cut });
    return { description: this.description, table, pieces: `${this.vocabulary.join("\n")}\n` };
  }

  async close(): Promise<void> {}
}

/** A size of vectors that an encoder offers. Each needs its own λ. */
interface Size {
  readonly dims?: unknown;
  readonly lambda?: unknown;
}

/** Checks a description and chooses a size: that of an index, or of those in sluice.json the wanted one or the first. */
function chosenDescription(value: unknown, wanted: number | undefined, path: string): StaticDescription {
  const fail = (what: string, code: ErrorCode = "ERR_SLUICE_DAMAGED") =>
    new UsageError(
      `${path}: ${what}`,
      'a description looks like {"kind": "static", "sizes": [{"dims": 256, "lambda": 12}]}',
      code,
    );
  const { kind, sizes = [value] } = (value ?? {}) as { kind?: unknown; sizes?: readonly Size[] };
  if (kind !== "static") throw fail(`"kind" is ${JSON.stringify(kind)}, expected "static"`);
  if (!Array.isArray(sizes) || sizes.length === 0) throw fail('"sizes" must be a list');
  const offered = (sizes as Size[]).map(({ dims, lambda }) => {
    if (!(Number.isInteger(dims) && (dims as number) > 0)) throw fail('"dims" must be a whole number');
    if (lambda !== undefined && !(typeof lambda === "number" && lambda > 0 && Number.isFinite(lambda)))
      throw fail('"lambda" must be a number above 0');
    return { kind, dims: dims as number, ...(lambda !== undefined && { lambda: lambda as number }) } as const;
  });
  const chosen = wanted === undefined ? offered[0] : offered.find(({ dims }) => dims === wanted);
  if (chosen) return chosen;
  const names = offered.map(({ dims }) => dims).join(", ");
  throw fail(`there are no ${wanted} dims, but ${names}`, "ERR_SLUICE_INVALID");
}

function damaged(path: string, what: string): UsageError {
  return new UsageError(`${path}: ${what}`, "restore the files of the encoder", "ERR_SLUICE_DAMAGED");
}
