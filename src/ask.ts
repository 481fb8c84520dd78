// A question as a user asks it → the row and the vector it is searched with, by the index's own model where it has one.

import { Densifier } from "./densify/densify.ts";
import { type EncodeOptions, Encoder } from "./encode/encoder.ts";
import { UsageError } from "./errors.ts";
import { type EncodedQuery, type Query, QueryEncoder, type QueryTerm } from "./query.ts";
import type { EncoderRecord } from "./store/model-record.ts";
import type { Snapshot } from "./store/snapshot.ts";

export class Asker {
  #encoder: Encoder | undefined;
  /** For the snapshot that was asked last. */
  #queries: { readonly snapshot: Snapshot; readonly encoder: QueryEncoder } | undefined;

  constructor(encoder?: Encoder) {
    this.#encoder = encoder;
  }

  /** The query with its terms weighed and densified, and what became of each. */
  async encoded(snapshot: Snapshot, query: Query, lambda: number): Promise<EncodedQuery> {
    const encoded = this.#queriesOf(snapshot).encode(await this.#asked(snapshot, query, lambda));
    const text = typeof query === "string" ? query : query.text;
    if (!this.#encoder?.gives.weights || text === undefined) return encoded;
    const { vocabulary } = this.#encoder;
    const held = new Set(this.#encoder.tokenIds(text, "query").map((id) => vocabulary[id]));
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
  async open(record: EncoderRecord | undefined): Promise<Encoder | undefined> {
    if (!this.#encoder && record) {
      this.#encoder = await Encoder.open(record.path, { description: record.description });
      requireEncoder(this.#encoder, record);
    }
    return this.#encoder;
  }

  /** The model, where it is open. */
  get opened(): Encoder | undefined {
    return this.#encoder;
  }

  attach(encoder: Encoder): void {
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

/** Refuses a model other than the one the documents were encoded with. */
export function requireEncoder(encoder: Encoder, record: EncoderRecord | undefined): void {
  if (record?.fingerprint === encoder.fingerprint) return;
  throw new UsageError(
    record
      ? `${encoder.path}: model ${encoder.fingerprint}, but the documents were encoded with ${record.fingerprint}`
      : `${encoder.path}: the documents of this index were not encoded with a model`,
    "give the model the index was built with, or build the index again",
  );
}
