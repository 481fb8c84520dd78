// A teacher that scores with an encoder, with BM25, or with both. Every text of the data is encoded once; batches are then
// scored from memory. BM25 plus a good dense encoder is hard to beat without training.

import type { Role } from "../../../encode/contract/description.ts";
import type { Encoder, Encoding } from "../../../encode/encoder.ts";
import { encodeWithCache } from "../../../encode/encoding-cache.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { OnProgress, Progress } from "../../../support/options/progress.ts";
import { bm25Rows, type LexicalRows } from "./bm25-rows.ts";
import { addProducts, SparseRows } from "./sparse-rows.ts";
import type { Teacher } from "./teacher.ts";

export interface EncoderTeacherOptions {
  readonly encoder?: Encoder;
  readonly bm25: boolean;
  /** Weight of the vectors. */
  readonly lambda: number;
  readonly scale: number;
  /** A folder that keeps the encodings for later runs. */
  readonly keep?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
}

/** Texts that are encoded and kept together. Each batch is a file of its own in `keep`. */
const KEPT_TEXTS = 4096;

type RoleVectors = Readonly<Record<Role, Float32Array>>;

export class EncoderTeacher implements Teacher {
  readonly fingerprint: string;
  readonly #lexical: LexicalRows | undefined;
  readonly #vectors: RoleVectors | undefined;
  readonly #dims: number;
  readonly #options: EncoderTeacherOptions;

  private constructor(
    options: EncoderTeacherOptions,
    lexical: LexicalRows | undefined,
    vectors: RoleVectors | undefined,
    dims: number,
  ) {
    const { encoder, bm25, lambda, scale } = options;
    this.fingerprint = JSON.stringify([encoder?.fingerprint ?? null, bm25, lambda, scale]);
    this.#options = options;
    this.#lexical = lexical;
    this.#vectors = vectors;
    this.#dims = dims;
  }

  /** Encodes all texts, or reads the kept encodings. The encoder is not needed afterwards. */
  static async open(
    texts: Readonly<Record<Role, readonly string[]>>,
    options: EncoderTeacherOptions,
  ): Promise<EncoderTeacher> {
    const { encoder, bm25 } = options;
    if (encoder?.gives.weights && bm25) {
      throw new SluiceError(
        `${encoder.path}: this encoder gives weights of terms, so BM25 cannot be added`,
        'set "teacher.bm25" to false',
      );
    }
    if (encoder?.gives.termFactors) {
      throw new SluiceError(
        `${encoder.path}: an anchored encoder cannot be a teacher`,
        'describe its vectors alone ("teacher.description"), and set "teacher.bm25" to true',
      );
    }
    const collected = encoder && new Collected(encoder);
    if (encoder) {
      await encodeAll(encoder, texts, "query", options, collected!);
      await encodeAll(encoder, texts, "passage", options, collected!);
    }
    const lexical = bm25 ? bm25Rows(texts) : collected?.lexical;
    return new EncoderTeacher(options, lexical, collected?.vectors(), collected?.dims ?? 0);
  }

  async computeScores(queries: readonly number[], passages: readonly number[]): Promise<Float32Array> {
    const { lambda, scale } = this.#options;
    const computeScores = new Float32Array(queries.length * passages.length);
    if (this.#vectors) this.#addVectors(queries, passages, lambda, computeScores);
    if (this.#lexical)
      addProducts(this.#lexical.queries, queries, this.#lexical.passages, passages, computeScores);
    return scale === 1 ? computeScores : computeScores.map((score) => score * scale);
  }

  async close(): Promise<void> {}

  #addVectors(
    queries: readonly number[],
    passages: readonly number[],
    lambda: number,
    into: Float32Array,
  ): void {
    const dims = this.#dims;
    const { query, passage } = this.#vectors!;
    queries.forEach((q, row) => {
      const asking = query.subarray(q * dims, (q + 1) * dims);
      passages.forEach((p, column) => {
        let sum = 0;
        for (let i = 0, at = p * dims; i < dims; i++, at++) sum += asking[i] * passage[at];
        into[row * passages.length + column] += lambda * sum;
      });
    });
  }
}

/** Collects encodings in arrays. */
class Collected {
  /** Dimensions of the vectors; 0 without vectors. */
  dims = 0;
  readonly lexical: LexicalRows | undefined;
  readonly #idOf: ReadonlyMap<string, number>;
  readonly #vectors: Record<Role, Float32Array[]> = { query: [], passage: [] };

  constructor(encoder: Encoder) {
    if (encoder.gives.weights) this.lexical = { queries: new SparseRows(), passages: new SparseRows() };
    this.#idOf = new Map(encoder.vocabulary.map((term, id) => [term, id]));
  }

  add(role: Role, { weights, vector }: Encoding): void {
    if (vector) {
      this.dims = vector.length;
      this.#vectors[role].push(vector);
    }
    if (!weights) return;
    const rows = role === "query" ? this.lexical!.queries : this.lexical!.passages;
    rows.add(
      Array.from(weights.keys(), (term) => this.#idOf.get(term)!),
      [...weights.values()],
    );
  }

  vectors(): RoleVectors | undefined {
    if (this.dims === 0) return undefined;
    return { query: joinedVectors(this.#vectors.query), passage: joinedVectors(this.#vectors.passage) };
  }
}

/** Encodes the texts of a role. Progress counts the texts of both roles, queries first. */
async function encodeAll(
  encoder: Encoder,
  allTexts: Readonly<Record<Role, readonly string[]>>,
  role: Role,
  { keep, onProgress, signal }: EncoderTeacherOptions,
  into: Collected,
): Promise<void> {
  const texts = allTexts[role];
  const before = role === "query" ? 0 : allTexts.query.length;
  const total = allTexts.query.length + allTexts.passage.length;
  for (let start = 0; start < texts.length; start += KEPT_TEXTS) {
    signal?.throwIfAborted();
    const batch = texts.slice(start, start + KEPT_TEXTS);
    const options = {
      onProgress: ({ task, done }: Progress) => onProgress?.({ task, done: before + start + done, total }),
    };
    const named = batch.map((text, i) => ({ id: String(start + i), text }));
    const encodings = keep
      ? (await encodeWithCache(encoder, named, role, keep, `teacher-${start / KEPT_TEXTS}`, options))
          .encodings
      : await encoder.encode(batch, role, options);
    for (const encoding of encodings) into.add(role, encoding);
    onProgress?.({ task: "encoding", done: before + start + batch.length, total });
  }
}

function joinedVectors(vectors: Float32Array[]): Float32Array {
  const dims = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * dims);
  for (const [i, vector] of vectors.entries()) all.set(vector, i * dims);
  vectors.length = 0; // free the parts: large sets do not fit in memory twice
  return all;
}
