// A question as a user asks it → the row and the vector it is searched with, by the index's own model where it has one.

import { Densifier } from "./densify/densify.ts";
import type { EncodeOptions, Encoder } from "./encode/encoder.ts";
import { type ErrorCode, UsageError } from "./errors.ts";
import { type EncodedQuery, type Query, QueryEncoder, type QueryTerm } from "./query.ts";
import type { EncoderRecord } from "./store/model-record.ts";
import type { Snapshot } from "./store/snapshot.ts";

/** What encodes questions: an `Encoder`, or what a page has in its place. */
export interface QuestionModel {
  encode(texts: readonly string[], role: "query", options?: EncodeOptions): Promise<QuestionEncoding[]>;
  /** The terms a text holds itself, where the model weighs terms: all others are its own idea. */
  ownTerms(text: string, role: "query"): ReadonlySet<string> | undefined;
  close(): Promise<void>;
}

/** What a model says about the text of a question. */
export type QuestionEncoding = Pick<Exclude<Query, string>, "weights" | "vector">;

/** @internal */
export class Asker<Model extends QuestionModel> {
  readonly #find: (record: EncoderRecord) => Promise<Model>;
  #encoder: Model | undefined;
  /** For the snapshot that was asked last. */
  #queries: { readonly snapshot: Snapshot; readonly encoder: QueryEncoder } | undefined;

  /** `find` opens the model that encoded the documents, unless one is given. */
  constructor(find: (record: EncoderRecord) => Promise<Model>, encoder?: Model) {
    this.#find = find;
    this.#encoder = encoder;
  }

  /** The query with its terms weighed and densified, and what became of each. */
  async encoded(snapshot: Snapshot, query: Query, lambda: number): Promise<EncodedQuery> {
    const encoded = this.#queriesOf(snapshot).encode(await this.#asked(snapshot, query, lambda));
    const text = typeof query === "string" ? query : query.text;
    const held = text === undefined ? undefined : this.#encoder?.ownTerms(text, "query");
    if (!held) return encoded;
    const marked = (term: QueryTerm): QueryTerm => (held.has(term.term) ? term : { ...term, expanded: true });
    return { ...encoded, terms: encoded.terms.map(marked) };
  }

  /** Texts as queries that are encoded already: many at once are encoded faster than one by one. */
  async encodeQueries(
    snapshot: Snapshot,
    texts: readonly string[],
    options: EncodeOptions,
  ): Promise<Query[]> {
    const encoder = await this.open(snapshot.encoder);
    if (!encoder) return [...texts];
    const encodings = await encoder.encode(texts, "query", options);
    return texts.map((text, i) => ({ text, ...encodings[i] }));
  }

  /** The model that encoded the documents; opened from where it was, unless another place was given. */
  async open(record: EncoderRecord | undefined): Promise<Model | undefined> {
    if (!this.#encoder && record) this.#encoder = await this.#find(record);
    return this.#encoder;
  }

  /** The model, where it is open. */
  get opened(): Model | undefined {
    return this.#encoder;
  }

  attach(encoder: Model): void {
    this.#encoder = encoder;
  }

  async close(): Promise<void> {
    await this.#encoder?.close();
    this.#encoder = undefined;
  }

  #queriesOf(snapshot: Snapshot): QueryEncoder {
    if (this.#queries?.snapshot !== snapshot) {
      const { lexical, slicing, semanticDims } = snapshot;
      const encoder = new QueryEncoder(lexical, new Densifier(slicing), semanticDims);
      this.#queries = { snapshot, encoder };
    }
    return this.#queries.encoder;
  }

  /** The query with what the index's model says about its text, where it has one. */
  async #asked({ semanticDims, encoder: record }: Snapshot, query: Query, lambda: number): Promise<Query> {
    const asked = typeof query === "string" ? { text: query } : query;
    const lacksVector = semanticDims > 0 && lambda > 0 && !asked.vector;
    const lacksWeights =
      record !== undefined && record.description.kind !== "dense" && !asked.weights && !asked.row;
    if (!lacksVector && !lacksWeights) return asked;
    const encoder = asked.text === undefined ? undefined : await this.open(record);
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
}

/** @internal Refuses a model other than the one the documents were encoded with. */
export function requireEncoder(encoder: Encoder, record: EncoderRecord | undefined, code?: ErrorCode): void {
  if (record?.fingerprint === encoder.fingerprint) return;
  throw new UsageError(
    record
      ? `${encoder.path}: model ${encoder.fingerprint}, but the documents were encoded with ${record.fingerprint}`
      : `${encoder.path}: the documents of this index were not encoded with a model`,
    "give the model the index was built with, or build the index again",
    code,
  );
}
