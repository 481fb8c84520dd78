// The index as a user has it in hand: built from documents or opened from a folder, searched, explained, saved.

import { type BuildOptions, buildIndex, checkLambda } from "./build.ts";
import type { Counts } from "./densify/counts.ts";
import { Densifier } from "./densify/densify.ts";
import { type RevertedTerm, revert } from "./densify/revert.ts";
import type { Settings, Slicing } from "./densify/slicing.ts";
import { type Document, textOf } from "./document.ts";
import { type EncodeOptions, Encoder } from "./encode/encoder.ts";
import { UsageError } from "./errors.ts";
import { FLOAT16 } from "./kernel/float16.ts";
import { type Row, rowAt } from "./kernel/rows.ts";
import { scalar } from "./kernel/scalar.ts";
import { type EncodedQuery, type Query, QueryEncoder, type QueryTerm } from "./query.ts";
import { explainScore, type ScoreParts } from "./search/explain.ts";
import type { Plan } from "./search/plan.ts";
import { type SearchStats, search } from "./search/search.ts";
import type { Fields } from "./store/documents.ts";
import { type IndexData, indexExists, readIndex, writeIndex, writeIndexFile } from "./store/index-file.ts";

export interface SearchOptions {
  /** How many hits; 10 when left out. */
  k?: number;
  /** How to search; exact when left out. */
  plan?: Plan;
  /** Weight of the semantic part, instead of the index's own. */
  lambda?: number;
  /** Ids that must not be among the hits; others take their places. */
  exclude?: Iterable<string>;
}

export interface Hit {
  readonly id: string;
  /** lexical + semantic. */
  readonly score: number;
  readonly lexical: number;
  /** λ included. */
  readonly semantic: number;
  /** The document as it was given, without id, weights and vector. */
  readonly document: Fields;
}

export interface Answer {
  readonly hits: Hit[];
  /** What became of each term of the query. */
  readonly terms: readonly QueryTerm[];
  readonly stats: SearchStats;
}

export interface Explanation extends ScoreParts {
  readonly id: string;
  readonly lambda: number;
  readonly document: Fields;
  readonly terms: readonly QueryTerm[];
  /** Missed terms that the document's text does hold: the slice went to a heavier term of the document. */
  readonly lost: readonly string[];
}

export interface IndexInfo {
  readonly docs: number;
  readonly settings: Settings;
  readonly lexical: "bm25" | "weights";
  readonly analyzer: string;
  readonly bm25?: { readonly k1: number; readonly b: number; readonly averageLength: number };
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: Counts;
  /** Terms that share their cell with another: only where cells are hashed. */
  readonly sharedCells: number;
  /** Bytes of the rows in memory: slices, indices, values, starts, semantic part. */
  readonly rowBytes: number;
}

const EMPTY_ROW: Row = {
  slices: new Uint32Array(0),
  indices: new Uint16Array(0),
  values: new Float32Array(0),
};

export class Sluice {
  readonly #data: IndexData;
  readonly #numbers: Map<string, number>;
  readonly #queries: QueryEncoder;
  #encoder: Encoder | undefined;

  /** Not for direct use: an index comes from `build` or `open`. */
  constructor(data: IndexData, encoder?: Encoder) {
    this.#data = data;
    this.#numbers = new Map(data.ids.map((id, doc) => [id, doc]));
    this.#queries = new QueryEncoder(data.lexical, new Densifier(data.slicing), data.rows.semanticDims);
    if (encoder) this.#attach(encoder);
  }

  /** Indexes documents in memory. */
  static async build(
    documents: Iterable<Document> | AsyncIterable<Document>,
    options?: BuildOptions,
  ): Promise<Sluice> {
    return new Sluice(await buildIndex(documents, options), options?.encoder);
  }

  /**
   * Opens what `save` wrote: a folder, or a file that `saveFile` wrote. An index whose documents a model encoded opens
   * that model when the first text is asked, unless another place for it is given here.
   */
  static async open(path: string, options: { encoder?: Encoder } = {}): Promise<Sluice> {
    return new Sluice(await readIndex(path), options.encoder);
  }

  /** Whether a folder holds an index, readable or not. */
  static async exists(folder: string): Promise<boolean> {
    return indexExists(folder);
  }

  /** Writes the index into a folder, whole or not at all; an index that is there is replaced. */
  async save(folder: string): Promise<void> {
    await writeIndex(folder, this.#data);
  }

  /** Writes the index into a file of its own. */
  async saveFile(path: string): Promise<void> {
    await writeIndexFile(path, this.#data);
  }

  /** Lets go of the model that encodes queries, if one is open. */
  async close(): Promise<void> {
    await this.#encoder?.close();
    this.#encoder = undefined;
  }

  get size(): number {
    return this.#data.ids.length;
  }

  /** How rows of this index were densified: a query must agree. */
  get settings(): Settings {
    return this.#data.slicing.settings;
  }

  /** Where each term of this index goes. */
  get slicing(): Slicing {
    return this.#data.slicing;
  }

  /** The ids of all documents, in document order. */
  get ids(): readonly string[] {
    return this.#data.ids;
  }

  async search(query: Query, options: SearchOptions = {}): Promise<Answer> {
    const { k = 10, plan = { kind: "exact" }, lambda = this.#data.lambda } = options;
    if (!Number.isInteger(k) || k < 1)
      throw new UsageError(`k must be a whole number of at least 1, not ${k}`);
    checkLambda(lambda);
    const { row, vector, terms } = await this.#encoded(query, lambda);
    if (typeof options.exclude === "string") throw new UsageError("exclude is a list of ids, not one text");
    const excluded = new Set<number>();
    for (const id of options.exclude ?? []) {
      const doc = this.#numbers.get(id);
      if (doc !== undefined) excluded.add(doc);
    }
    const request = { row, ...(vector && { vector }), lambda, k, plan, excluded };
    const { docs, stats } = await search(this.#data.rows, request);
    const { ids, documents } = this.#data;
    // Documents are parsed when looked at: a run over a thousand hits needs only their ids.
    const hits = docs.map(({ doc, score, lexical, semantic }) => ({
      id: ids[doc],
      score,
      lexical,
      semantic,
      get document() {
        return documents.at(doc);
      },
    }));
    return { hits, terms, stats };
  }

  /** Why a document scores what it scores. */
  async explain(
    query: Query,
    id: string,
    { lambda = this.#data.lambda }: { lambda?: number } = {},
  ): Promise<Explanation> {
    checkLambda(lambda);
    const doc = this.#doc(id);
    const { row, vector, terms } = await this.#encoded(query, lambda);
    const parts = explainScore(this.#data.slicing, this.#data.rows, doc, row, vector, lambda);
    const document = this.#data.documents.at(doc);
    return { id, lambda, document, terms, lost: this.#lost(parts, document), ...parts };
  }

  /** Texts as queries that are encoded already: many at once are encoded faster than one by one. */
  async encodeQueries(texts: readonly string[], options: EncodeOptions = {}): Promise<Query[]> {
    const encoder = await this.#openEncoder();
    if (!encoder) return [...texts];
    const encodings = await encoder.encode(texts, "query", options);
    return texts.map((text, i) => ({ text, ...encodings[i] }));
  }

  /** Both parts of every document's score, by document number, λ left out of the semantic one: for tuning λ. */
  async scoreParts(query: Query): Promise<{ lexical: Float64Array; semantic: Float64Array }> {
    const { row, vector } = await this.#encoded(query, 1);
    const { rows } = this.#data;
    const [lexical, semantic] = [new Float64Array(rows.docs), new Float64Array(rows.docs)];
    await scalar.gip(row, rows, lexical);
    if (vector) await scalar.gip({ ...EMPTY_ROW, semantic: vector }, rows, semantic);
    return { lexical, semantic };
  }

  /** The same index with another weight of the semantic part, to be saved or searched. */
  withLambda(lambda: number): Sluice {
    checkLambda(lambda);
    return new Sluice({ ...this.#data, lambda }, this.#encoder);
  }

  /** A document's row as the bag of words it stands for, heaviest first; with θ, only what exceeds it. */
  revert(id: string, theta?: number): RevertedTerm[] {
    return revert(this.#data.slicing, rowAt(this.#data.rows, this.#doc(id)), theta);
  }

  /** A document's row and vector, for use as a query against an index with the same settings. */
  queryOf(id: string): Query {
    const { rows } = this.#data;
    const doc = this.#doc(id);
    const semantic = rows.semantic.subarray(doc * rows.semanticDims, (doc + 1) * rows.semanticDims);
    return {
      row: rowAt(rows, doc),
      settings: this.settings,
      ...(rows.semanticDims > 0 && { vector: Float32Array.from(semantic, (bits) => FLOAT16[bits]) }),
    };
  }

  /** The document as it was given, without id, weights and vector. */
  document(id: string): Fields {
    return this.#data.documents.at(this.#doc(id));
  }

  info(): IndexInfo {
    const { slicing, rows, lexical, lambda, counts } = this.#data;
    const arrays = [rows.starts, rows.slices, rows.indices, rows.values, rows.semantic];
    return {
      docs: this.size,
      settings: slicing.settings,
      lexical: lexical.kind,
      analyzer: lexical.analyzer.name,
      ...(lexical.kind === "bm25" && {
        bm25: {
          ...lexical.parameters,
          averageLength: lexical.statistics.length / Math.max(1, lexical.statistics.docs),
        },
      }),
      semanticDims: rows.semanticDims,
      lambda,
      counts,
      sharedCells: slicing.sharedCells,
      rowBytes: arrays.reduce((sum, array) => sum + array.byteLength, 0),
    };
  }

  async #encoded(query: Query, lambda: number): Promise<EncodedQuery> {
    const encoded = this.#queries.encode(await this.#asked(query, lambda));
    const text = typeof query === "string" ? query : query.text;
    if (!this.#encoder?.gives.weights || text === undefined) return encoded;
    const { vocabulary } = this.#encoder;
    const held = new Set(this.#encoder.tokenIds(text, "query").map((id) => vocabulary[id]));
    const marked = (term: QueryTerm): QueryTerm => (held.has(term.term) ? term : { ...term, expanded: true });
    return { ...encoded, terms: encoded.terms.map(marked) };
  }

  /** The query with what the index's model says about its text, where it has one. */
  async #asked(query: Query, lambda: number): Promise<Query> {
    const asked = typeof query === "string" ? { text: query } : query;
    const { semanticDims } = this.#data.rows;
    const record = this.#data.encoder;
    const lacksVector = semanticDims > 0 && lambda > 0 && !asked.vector;
    const lacksWeights =
      record !== undefined && record.description.kind !== "dense" && !asked.weights && !asked.row;
    if (!lacksVector && !lacksWeights) return asked;
    const encoder = asked.text === undefined ? undefined : await this.#openEncoder();
    if (encoder) {
      const [encoding] = await encoder.encode([asked.text!], "query");
      return { ...encoding, ...asked };
    }
    if (!lacksVector) return asked;
    throw new UsageError(
      "the index has a semantic part and the query has no vector",
      "give the query a vector, build the index with an encoder, or set lambda to 0",
    );
  }

  async #openEncoder(): Promise<Encoder | undefined> {
    const record = this.#data.encoder;
    if (!this.#encoder && record) {
      this.#attach(await Encoder.open(record.path, { description: record.description }));
    }
    return this.#encoder;
  }

  #attach(encoder: Encoder): void {
    const { encoder: record } = this.#data;
    if (!record || record.fingerprint !== encoder.fingerprint) {
      throw new UsageError(
        record
          ? `${encoder.path}: model ${encoder.fingerprint}, but the documents were encoded with ${record.fingerprint}`
          : `${encoder.path}: the documents of this index were not encoded with a model`,
        "give the model the index was built with, or build the index again",
      );
    }
    this.#encoder = encoder;
  }

  #lost({ missed }: ScoreParts, document: Fields): string[] {
    const { lexical } = this.#data;
    if (lexical.kind !== "bm25") return [];
    const held = new Set(lexical.analyzer.terms(textOf(document as Document, "the document")));
    return missed.map(({ term }) => term).filter((term) => held.has(term));
  }

  #doc(id: string): number {
    const doc = this.#numbers.get(id);
    if (doc === undefined) throw new UsageError(`no document has the id ${JSON.stringify(id)}`);
    return doc;
  }
}
