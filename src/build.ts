// Documents → an index in memory: text to terms, terms to weights, weights to rows. The corpus is read once; what
// needs all of it (the vocabulary, the statistics, a spread slicing) is settled at the end, before densifying.

import { resolve } from "node:path";
import { type Counts, emptyTally } from "./densify/counts.ts";
import { Densifier, type TermWeights } from "./densify/densify.ts";
import { Slicing, STRATEGIES, type Strategy } from "./densify/slicing.ts";
import { spread } from "./densify/spread.ts";
import { TermMatrix } from "./densify/term-matrix.ts";
import { Vocabulary } from "./densify/vocabulary.ts";
import { checkedVector, type Document, textOf } from "./document.ts";
import { encodedDocuments } from "./encode/documents.ts";
import type { Encoder, Encoding } from "./encode/encoder.ts";
import { UsageError } from "./errors.ts";
import { RowsBuilder } from "./kernel/rows.ts";
import { type Bag, checkedBag, count } from "./lexical/bag.ts";
import { BM25_DEFAULTS, type Bm25Parameters, idfs, type Statistics, termPart } from "./lexical/bm25.ts";
import type { LexicalModel } from "./lexical/model.ts";
import { DocumentTable } from "./store/documents.ts";
import type { EncoderRecord, IndexData } from "./store/index-file.ts";
import type { Analyzer } from "./text/analyzer.ts";
import { english } from "./text/english.ts";
import { flat } from "./text/flat.ts";
import { WordPiece } from "./text/wordpiece.ts";

export interface BuildOptions {
  /** Weigh words by BM25 (the default), or take the weights that come with the documents. */
  lexical?: "bm25" | "weights";
  /** What cuts texts into terms: `english` (the default), `whitespace`, or a WordPiece. */
  analyzer?: Analyzer;
  /** The terms in the order of their ids, when they must not be collected from the documents. */
  vocabulary?: readonly string[];
  /** Slices of a row, 768 when left out, or "full": one for every term, nothing lost. */
  dims?: number | "full";
  slicing?: Exclude<Strategy, "full">;
  /** Documents that spread slicing looks at, at even distances; at most 20,000 when left out. */
  spreadSample?: number;
  /** Instead of all that: the slicing of another index, so that rows of both can be compared. */
  like?: Slicing;
  /** For `random` slicing. */
  seed?: number;
  /** Leading vocabulary ids to throw away, instead of what the usual rule says. */
  discard?: number;
  bm25?: Partial<Bm25Parameters>;
  /** Encodes the texts of the documents: a vector, weights of terms, or both, as the model gives them. */
  encoder?: Encoder;
  /** What the encoder said at an earlier time, by document id, so that it need not be asked again. */
  encodings?: ReadonlyMap<string, Encoding>;
  /** Weight of the semantic part; 1 when left out. */
  lambda?: number;
  onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly stage: "reading" | "encoding" | "slicing" | "densifying";
  readonly done: number;
  /** Unknown while reading. */
  readonly total?: number;
}

/** Documents between two calls of `onProgress`. */
const PROGRESS_STEP = 1000;

/** Documents that spread slicing looks at, at most, and the work it may make: comparing the terms of a document. */
const SPREAD_SAMPLE = 20_000;
const SPREAD_WORK = 1e9;

export async function buildIndex(
  documents: Iterable<Document> | AsyncIterable<Document>,
  options: BuildOptions = {},
): Promise<IndexData> {
  const { encoder } = options;
  const source = encoder
    ? encodedDocuments(documents, encoder, options.encodings ?? new Map(), (done) =>
        options.onProgress?.({ stage: "encoding", done }),
      )
    : documents;
  const reader = new CorpusReader(encoder?.gives.weights ? lexicalBy(encoder, options) : options);
  for await (const document of source) {
    reader.add(document);
    if (reader.docs % PROGRESS_STEP === 0) options.onProgress?.({ stage: "reading", done: reader.docs });
  }
  options.onProgress?.({ stage: "reading", done: reader.docs, total: reader.docs });
  return reader.finish();
}

/** A model that gives weights decides the vocabulary too. */
function lexicalBy(encoder: Encoder, options: BuildOptions): BuildOptions {
  return { ...options, lexical: "weights", vocabulary: encoder.vocabulary };
}

class CorpusReader {
  readonly #options: BuildOptions;
  readonly #analyzer: Analyzer;
  readonly #weighted: boolean;
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

  constructor(options: BuildOptions) {
    this.#options = options;
    this.#analyzer = options.analyzer ?? english;
    this.#weighted = options.lexical === "weights";
    const pieces = this.#analyzer instanceof WordPiece ? this.#analyzer.pieces : undefined;
    const terms = options.vocabulary ?? pieces;
    this.#fixed = options.like?.vocabulary ?? (terms && new Vocabulary(terms));
    checkParameters(options);
  }

  get docs(): number {
    return this.#ids.length;
  }

  add(document: Document): void {
    const { id, weights, vector, ...shown } = document;
    const where = `document ${this.docs + 1}`;
    if (typeof id !== "string" || id === "") throw new UsageError(`${where}: no id; it must be a text`);
    const earlier = this.#numbers.get(id);
    if (earlier !== undefined) {
      throw new UsageError(
        `the id ${JSON.stringify(id)} comes twice: documents ${earlier + 1} and ${this.docs + 1}`,
      );
    }
    const named = `document ${JSON.stringify(id)}`;
    const semantic = this.#checkedVector(vector, named);
    this.#addTerms(
      this.#weighted ? givenWeights(weights, named) : count(this.#analyzer.terms(textOf(document, named))),
    );
    if (semantic) this.#vectors.push(semantic);
    this.#numbers.set(id, this.docs);
    this.#ids.push(id);
    this.#documents.add(shown);
  }

  finish(): IndexData {
    const vocabulary = this.#fixed ?? this.#sortedVocabulary();
    const lexical = this.#lexicalModel(vocabulary);
    const importance = lexical.kind === "bm25" ? idfs(lexical.statistics) : undefined;
    const weightsOf = this.#weigher(lexical);
    const slicing = this.#slicing(vocabulary, weightsOf, importance);

    const { dims, perSlice } = slicing.settings;
    const rows = new RowsBuilder(dims, perSlice, this.#vectors[0]?.length ?? 0);
    const densifier = new Densifier(slicing);
    for (let doc = 0; doc < this.docs; doc++) {
      const { row, collisions, discarded, weightless } = this.#inDocument(doc, () =>
        densifier.densify(weightsOf(doc), importance),
      );
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
      lambda: this.#options.lambda ?? 1,
      ...(this.#options.encoder && { encoder: recordOf(this.#options.encoder) }),
      counts: this.#tally satisfies Counts,
    };
  }

  #addTerms(bag: Bag): void {
    const ids: number[] = [];
    const weights: number[] = [];
    let length = 0;
    for (const [term, weight] of bag) {
      length += weight;
      const id = this.#idOf(term);
      if (id === undefined) {
        this.#tally.unknown++;
      } else {
        ids.push(id);
        weights.push(weight);
      }
    }
    this.#matrix.add(ids, weights);
    this.#lengths.push(length);
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
    if (this.#weighted) return { kind: "weights", analyzer: this.#analyzer };
    const documentFrequencies = new Uint32Array(vocabulary.size);
    this.#matrix.eachId((id) => documentFrequencies[id]++);
    const statistics: Statistics = {
      docs: this.#withTerms,
      length: this.#lengths.reduce((sum, length) => sum + length, 0),
      documentFrequencies,
    };
    const parameters = { ...BM25_DEFAULTS, ...this.#options.bm25 };
    return { kind: "bm25", analyzer: this.#analyzer, parameters, statistics };
  }

  /** The weights of a document's terms: what was given, or BM25's part of the counts. */
  #weigher(lexical: LexicalModel): (doc: number) => TermWeights {
    if (lexical.kind === "weights") return (doc) => this.#matrix.at(doc);
    const { statistics, parameters } = lexical;
    const average = statistics.length / statistics.docs;
    return (doc) => {
      const { ids, weights } = this.#matrix.at(doc);
      const length = this.#lengths[doc];
      return { ids, weights: Array.from(weights, (tf) => termPart(tf, length, average, parameters)) };
    };
  }

  #slicing(
    vocabulary: Vocabulary,
    weightsOf: (doc: number) => TermWeights,
    importance: ArrayLike<number> | undefined,
  ): Slicing {
    const { dims = 768, slicing: strategy = "spread", seed, discard, like } = this.#options;
    if (like) return like;
    if (dims === "full") return new Slicing(vocabulary, { strategy: "full" });
    if (strategy !== "spread") {
      const given = { ...(seed !== undefined && { seed }), ...(discard !== undefined && { discard }) };
      return new Slicing(vocabulary, { strategy, dims, ...given });
    }
    const sample = evenly(this.docs, this.#options.spreadSample ?? this.#affordable(dims));
    const table = spread(vocabulary, dims, mapped(sample, weightsOf), importance, (done, total) =>
      this.#options.onProgress?.({ stage: "slicing", done, total }),
    );
    return new Slicing(vocabulary, { strategy, dims, table });
  }

  /** How many documents spread slicing can look at in reasonable time. */
  #affordable(dims: number): number {
    let work = 0;
    for (let doc = 0; doc < this.docs; doc++) {
      const terms = this.#matrix.at(doc).ids.length;
      work += terms * Math.min(terms, dims);
    }
    const perDoc = Math.max(1, work / Math.max(1, this.docs));
    return Math.max(1, Math.min(SPREAD_SAMPLE, Math.floor(SPREAD_WORK / perDoc)));
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

  /** Says which document it was that could not be densified. */
  #inDocument<T>(doc: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`document ${JSON.stringify(this.#ids[doc])}: ${error.message}`, error.hint);
    }
  }

  #report(stage: Progress["stage"], done: number): void {
    if (done % PROGRESS_STEP === 0 || done === this.docs) {
      this.#options.onProgress?.({ stage, done, total: this.docs });
    }
  }
}

function recordOf({ path, fingerprint, description }: Encoder): EncoderRecord {
  return { path: resolve(path), fingerprint, description };
}

function givenWeights(weights: Document["weights"], where: string): Bag {
  if (!weights)
    throw new UsageError(`${where}: no weights`, 'give each document "weights", or use lexical "bm25"');
  return checkedBag(weights instanceof Map ? weights : Object.entries(weights), where);
}

function checkParameters({ bm25, lambda, lexical, slicing, analyzer, vocabulary, like }: BuildOptions): void {
  const { k1, b } = { ...BM25_DEFAULTS, ...bm25 };
  if (!(k1 >= 0 && Number.isFinite(k1))) throw new UsageError(`k1 must be a number of at least 0, not ${k1}`);
  if (!(b >= 0 && b <= 1)) throw new UsageError(`b must be from 0 to 1, not ${b}`);
  if (lexical !== undefined && lexical !== "bm25" && lexical !== "weights") {
    throw new UsageError(`lexical is "bm25" or "weights", not ${JSON.stringify(lexical)}`);
  }
  if (slicing !== undefined && !STRATEGIES.includes(slicing)) {
    throw new UsageError(`slicing is one of ${STRATEGIES.join(", ")}, not ${JSON.stringify(slicing)}`);
  }
  const terms = like?.vocabulary.terms ?? vocabulary;
  if (
    analyzer instanceof WordPiece &&
    terms &&
    terms !== analyzer.pieces &&
    !isEqual(terms, analyzer.pieces)
  ) {
    throw new UsageError("the vocabulary is not that of the word pieces", "give one of the two");
  }
  checkLambda(lambda ?? 1);
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((term, i) => term === b[i]);
}

/** Far beyond any use, and far from where float32 ends. */
const LARGEST_LAMBDA = 1e6;

export function checkLambda(lambda: number): void {
  if (!(lambda >= 0 && lambda <= LARGEST_LAMBDA)) {
    throw new UsageError(`lambda must be a number from 0 to ${LARGEST_LAMBDA}, not ${lambda}`);
  }
}

/** At most `most` of the numbers below `count`, at even distances. */
function evenly(count: number, most: number): number[] {
  const length = Math.min(count, most);
  return Array.from({ length }, (_, i) => Math.floor((i * count) / length));
}

function* mapped<T, U>(items: Iterable<T>, f: (item: T) => U): Generator<U> {
  for (const item of items) yield f(item);
}
