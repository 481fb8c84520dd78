// Documents → an index in memory: text to terms, terms to weights, weights to rows. The corpus is read once; what
// needs all of it (the vocabulary, the statistics, a spread slicing) is settled at the end, before densifying.

import { resolve } from "node:path";
import type { Analyzer } from "../analyze/analyzer.ts";
import { english } from "../analyze/english.ts";
import { type Counts, emptyTally } from "../densify/counts.ts";
import { Densifier } from "../densify/densify.ts";
import { RowsBuilder } from "../densify/rows.ts";
import { isExtendable, Slicing } from "../densify/slicing.ts";
import { spreadSlicing } from "../densify/teach.ts";
import { TermMatrix } from "../densify/term-matrix.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import { checkedDocuments, checkedVector, type Document, keepAsJson } from "../documents/document.ts";
import { DocumentTable } from "../documents/document-table.ts";
import { BUILTIN } from "../encode/builtin.ts";
import { encodedDocuments } from "../encode/encode-documents.ts";
import { Encoder, type Encoding } from "../encode/encoder.ts";
import { UsageError } from "../errors.ts";
import { flat } from "../support/flat.ts";
import {
  checkFunction,
  checkIterable,
  checkNumber,
  checkObject,
  checkOptions,
  checkThreads,
  type KnownOptions,
  wrong,
} from "../support/options.ts";
import { type OnProgress, PROGRESS_STEP, type Progress } from "../support/progress.ts";
import type { Bag } from "../weigh/bag.ts";
import { BM25_DEFAULTS, type Bm25Parameters, idfs, type Statistics } from "../weigh/bm25.ts";
import { lengthOf, termsOf } from "../weigh/terms.ts";
import { weigher } from "../weigh/weigher.ts";
import type { LexicalModel } from "../weigh/weighting.ts";
import type { IndexData } from "./index-file.ts";
import type { EncoderRecord } from "./model-record.ts";
import { checkModel, givenTerms, type ModelOptions, strategyOf, withDims } from "./new-index.ts";

export interface BuildOptions extends ModelOptions {
  /** Documents that spread slicing looks at, at even distances; at most 20,000 when left out. */
  spreadSample?: number;
  /**
   * Encodes the texts of the documents: a vector, weights of terms, or both, as the model gives them. A name is what
   * `Encoder.open` takes: "builtin", "builtin:vectors" (BM25 for words, vectors for meaning), a folder, or a Hugging Face id.
   */
  encoder?: Encoder | string;
  /** What the encoder said at an earlier time, by document id, so that it need not be asked again. */
  encodings?: ReadonlyMap<string, Encoding>;
  /** Threads that search; 1, the caller's own, when left out. */
  threads?: number;
  /** Stops the work between two documents, or two batches of the encoder: the call fails with the signal's reason. */
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

export const BUILD_OPTIONS: KnownOptions<BuildOptions> = {
  lexical: true,
  analyzer: true,
  vocabulary: true,
  dims: true,
  slicing: true,
  like: true,
  seed: true,
  discard: true,
  bm25: true,
  quantize: true,
  lambda: true,
  spreadSample: true,
  encoder: true,
  encodings: true,
  threads: true,
  signal: true,
  onProgress: true,
};

const BM25_OPTIONS: KnownOptions<Bm25Parameters> = { k1: true, b: true };

/** Dims of a row, at most; `checkModel` refuses the rest. */
const MOST_DIMS = 65_536;

/** @internal Refuses options that cannot be meant, before anything is read. */
export function checkBuildOptions(options: BuildOptions): void {
  const { analyzer, vocabulary, dims, like, seed, discard, bm25, quantize, lambda } = options;
  const { spreadSample, encoder, encodings, threads, onProgress } = options;
  if (analyzer !== undefined && typeof (analyzer as Partial<Analyzer> | null)?.terms !== "function")
    throw wrong("analyzer", "english, whitespace or a WordPiece, as the package exports them", analyzer);
  if (vocabulary !== undefined) {
    checkIterable("vocabulary", "terms", vocabulary);
    if (!Array.isArray(vocabulary) || vocabulary.some((term) => typeof term !== "string"))
      throw wrong("vocabulary", "a list of texts", vocabulary);
  }
  if (dims !== "full") checkNumber("dims", dims, { least: 1, most: MOST_DIMS, isWhole: true });
  if (like !== undefined && !(like instanceof Slicing)) throw wrong("like", "the slicing of an index", like);
  checkNumber("seed", seed, { least: Number.MIN_SAFE_INTEGER, isWhole: true });
  checkNumber("discard", discard, { least: 0, isWhole: true });
  if (bm25 !== undefined) checkOptions(bm25, BM25_OPTIONS, "bm25");
  checkObject("quantize", quantize);
  if (lambda !== undefined && typeof lambda !== "number") throw wrong("lambda", "a number", lambda);
  checkNumber("spreadSample", spreadSample, { least: 1, isWhole: true });
  if (encoder !== undefined && typeof encoder !== "string") checkObject("encoder", encoder);
  checkObject("encodings", encodings);
  checkThreads(threads);
  checkFunction("onProgress", onProgress);
  checkModel(options as ModelOptions);
}

/** @internal Options with the model itself, where they had its name. */
export type WithModel<Options extends { encoder?: unknown }> = Omit<Options, "encoder"> & {
  encoder?: Encoder;
};

/** @internal Does something with the model that options name. Where that fails, a model that was opened for it is closed. */
export async function withModel<Options extends BuildOptions, T>(
  options: Options,
  use: (ready: WithModel<Options>) => Promise<T>,
): Promise<T> {
  const { encoder: named, ...others } = options;
  const encoder = typeof named === "string" ? await Encoder.open(named) : named;
  try {
    return await use({ ...others, ...(encoder && { encoder }) });
  } catch (error) {
    if (encoder !== named) await encoder?.close();
    throw error;
  }
}

/** @internal */
export async function buildIndex(
  documents: Iterable<Document> | AsyncIterable<Document>,
  options: WithModel<BuildOptions>,
): Promise<IndexData> {
  const reader = new CorpusReader(forNewIndex(options));
  for await (const document of encoded(checkedDocuments(documents), options)) {
    options.signal?.throwIfAborted();
    reader.add(document);
    if (reader.docs % PROGRESS_STEP === 0) options.onProgress?.({ stage: "reading", done: reader.docs });
  }
  options.onProgress?.({ stage: "reading", done: reader.docs, total: reader.docs });
  return reader.finish();
}

/** @internal The documents with what an encoder says about them, where there is one. */
export function encoded(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { encoder, encodings, signal, onProgress }: WithModel<BuildOptions>,
): Iterable<Document> | AsyncIterable<Document> {
  if (!encoder) return documents;
  return encodedDocuments(documents, encoder, {
    known: encodings,
    signal,
    onProgress: (done, total) =>
      onProgress?.({ stage: "encoding", done, ...(total !== undefined && { total }) }),
  });
}

/** @internal A model that gives weights decides the vocabulary too. */
export function withEncoder<Options extends WithModel<BuildOptions>>(options: Options): Options {
  const { encoder } = options;
  return encoder?.gives.weights
    ? { ...options, lexical: "weights", vocabulary: encoder.vocabulary }
    : options;
}

/** @internal The options of a new index, with everything that follows from the model and the kernel. */
export function forNewIndex<Options extends WithModel<BuildOptions> & { kernel?: unknown }>(
  options: Options,
): Options {
  const needsSlots = options.encoder?.gives.weights === true || options.kernel === "webgpu";
  return withDims(withEncoder(options), needsSlots);
}

/** @internal The weight of the semantic part in a new index: what is asked for, or what the model suggests. */
export function firstLambda({ lambda, encoder }: WithModel<BuildOptions>): number {
  return lambda ?? encoder?.description.lambda ?? 1;
}

/** @internal */
export function recordOf({ path, fingerprint, description }: Encoder): EncoderRecord {
  return { path: path === BUILTIN ? path : resolve(path), fingerprint, description };
}

class CorpusReader {
  readonly #options: WithModel<BuildOptions>;
  readonly #lexical: Pick<LexicalModel, "kind" | "analyzer">;
  readonly #fixed: Vocabulary | undefined;
  /** Ids of terms in order of arrival, where the vocabulary is not given. */
  readonly #arrived = new Map<string, number>();
  readonly #matrix = new TermMatrix();
  readonly #tally = emptyTally();
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #documents = new DocumentTable();
  readonly #lengths: number[] = [];
  /** Documents with at least one term: the ones BM25 counts. */
  #withTerms = 0;
  readonly #vectors: Float32Array[] = [];

  constructor(options: WithModel<BuildOptions>) {
    checkModel(options);
    this.#options = options;
    this.#lexical = { kind: options.lexical ?? "bm25", analyzer: options.analyzer ?? english };
    const terms = givenTerms(options);
    this.#fixed = options.like?.vocabulary ?? (terms && new Vocabulary(terms));
  }

  get docs(): number {
    return this.#ids.length;
  }

  add(document: Document): void {
    const { id, weights: _, vector, ...shown } = document;
    const earlier = this.#numbers.get(id);
    if (earlier !== undefined) {
      throw new UsageError(
        `the id ${JSON.stringify(id)} comes twice: documents ${earlier + 1} and ${this.docs + 1}`,
      );
    }
    const named = `document ${JSON.stringify(id)}`;
    const semantic = this.#checkedVector(vector, named);
    this.#addTerms(termsOf(document, this.#lexical, named));
    if (semantic) this.#vectors.push(semantic);
    this.#numbers.set(id, this.docs);
    this.#ids.push(id);
    keepAsJson(named, () => this.#documents.add(shown));
  }

  finish(): IndexData {
    const vocabulary = this.#fixed ?? this.#sortedVocabulary();
    const lexical = this.#lexicalModel(vocabulary);
    const importance = lexical.kind === "bm25" ? idfs(lexical.statistics) : undefined;
    const slicing = this.#slicing(vocabulary, lexical);
    const weigh = weigher(lexical);

    const { dims, perSlice } = slicing.settings;
    const rows = new RowsBuilder(dims, perSlice, this.#vectors[0]?.length ?? 0);
    const densifier = new Densifier(slicing);
    for (let doc = 0; doc < this.docs; doc++) {
      const terms = weigh(this.#matrix.at(doc), this.#lengths[doc]);
      const { row, collisions, discarded, weightless } = densifier.densify(terms, importance);
      rows.add(row, this.#vectors[doc]);
      this.#tally.kept += row.slices.length;
      this.#tally.collisions += collisions;
      this.#tally.discarded += discarded;
      this.#tally.weightless += weightless;
      if (row.slices.length === 0) this.#tally.empty++;
      this.#report("densifying", doc + 1);
    }
    return {
      slicing,
      rows: rows.finish(),
      ids: this.#ids,
      documents: this.#documents,
      lexical,
      lambda: firstLambda(this.#options),
      ...(this.#options.encoder && { encoder: recordOf(this.#options.encoder) }),
      counts: this.#tally satisfies Counts,
      ...(this.#options.quantize && { quantize: this.#options.quantize }),
      vocabulary: this.#fixed ? "given" : isExtendable(slicing.settings.strategy) ? "open" : "sealed",
    };
  }

  #addTerms(bag: Bag): void {
    const ids: number[] = [];
    const weights: number[] = [];
    for (const [term, weight] of bag) {
      const id = this.#idOf(term);
      if (id === undefined) {
        this.#tally.unknown++;
      } else {
        ids.push(id);
        weights.push(weight);
      }
    }
    this.#matrix.add(ids, weights);
    this.#lengths.push(lengthOf(bag));
    this.#tally.docs++;
    this.#tally.terms += bag.size;
    if (bag.size > 0) this.#withTerms++;
  }

  #idOf(term: string): number | undefined {
    if (this.#fixed) return this.#fixed.id(term);
    let id = this.#arrived.get(term);
    if (id === undefined) {
      id = this.#arrived.size;
      this.#arrived.set(flat(term), id);
    }
    return id;
  }

  #sortedVocabulary(): Vocabulary {
    const vocabulary = Vocabulary.sorted(this.#arrived.keys());
    this.#matrix.renumber(Uint32Array.from(this.#arrived.keys(), (term) => vocabulary.id(term)!));
    return vocabulary;
  }

  #lexicalModel(vocabulary: Vocabulary): LexicalModel {
    const { kind, analyzer } = this.#lexical;
    if (kind === "weights") return { kind, analyzer };
    const documentFrequencies = new Uint32Array(vocabulary.size);
    this.#matrix.eachId((id) => documentFrequencies[id]++);
    const statistics: Statistics = {
      docs: this.#withTerms,
      length: this.#lengths.reduce((sum, length) => sum + length, 0),
      documentFrequencies,
    };
    return { kind, analyzer, parameters: { ...BM25_DEFAULTS, ...this.#options.bm25 }, statistics };
  }

  #slicing(vocabulary: Vocabulary, lexical: LexicalModel): Slicing {
    const { dims = "full", seed, discard, like, spreadSample: sample, onProgress } = this.#options;
    if (like) return like;
    if (dims === "full") return new Slicing(vocabulary, { strategy: "full" });
    const strategy = strategyOf(this.#options);
    if (strategy !== "spread") {
      const given = { ...(seed !== undefined && { seed }), ...(discard !== undefined && { discard }) };
      return new Slicing(vocabulary, { strategy, dims, ...given });
    }
    const at = (doc: number) => ({ terms: this.#matrix.at(doc), length: this.#lengths[doc] });
    return spreadSlicing(vocabulary, dims, { docs: this.docs, at }, lexical, { sample, onProgress });
  }

  #checkedVector(vector: ArrayLike<number> | undefined, where: string): Float32Array | undefined {
    const width = this.#vectors[0]?.length ?? 0;
    if (this.docs > 0 && (vector?.length ?? 0) !== width) {
      throw new UsageError(
        `${where}: its vector has ${vector?.length ?? 0} dims, those before have ${width}`,
      );
    }
    return vector === undefined ? undefined : checkedVector(vector, `${where}: its vector`);
  }

  #report(stage: Progress["stage"], done: number): void {
    if (done % PROGRESS_STEP === 0 || done === this.docs) {
      this.#options.onProgress?.({ stage, done, total: this.docs });
    }
  }
}
