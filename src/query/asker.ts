// A question as a user asks it → the row and the vector it is searched with, by the index's own model where it has one.

import { Densifier } from "../densify/densify.ts";
import type { EncodeOptions, Encoder } from "../encode/encoder.ts";
import { type ErrorCode, UsageError } from "../errors.ts";
import type { EncoderRecord } from "../store/model-record.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { Turns } from "../support/turns.ts";
import { type EncodedQuery, type Query, QueryEncoder, type QueryTerm } from "./query.ts";

/** What encodes questions: an `Encoder`, or what a page has in its place. */
export interface QuestionModel {
  encode(texts: readonly string[], role: "query", options?: EncodeOptions): Promise<QuestionEncoding[]>;
  /** The terms a text holds itself, where the model weighs terms: all others are its own idea. */
  ownTerms(text: string, role: "query"): ReadonlySet<string> | undefined;
  close(): Promise<void>;
}

/** What a model says about the text of a question. */
export type QuestionEncoding = Pick<Exclude<Query, string>, "weights" | "vector">;

export interface AskedQuery extends EncodedQuery {
  /** Whether it has neither text nor anything else to look for. */
  readonly isEmpty: boolean;
  /** Whether its vector is the index's own model's, not the caller's. */
  readonly isByModel: boolean;
}

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
  async encoded(snapshot: Snapshot, query: Query, lambda: number): Promise<AskedQuery> {
    return (await this.encodedAll(snapshot, [query], lambda))[0];
  }

  /** Many queries; the texts that the index's model must encode are encoded together. */
  async encodedAll(
    snapshot: Snapshot,
    queries: readonly Query[],
    lambda: number,
    turns = new Turns(),
  ): Promise<AskedQuery[]> {
    const asked = queries.map((query) => (typeof query === "string" ? { text: query } : query));
    const bare = asked.filter((query) => lacks(snapshot, query, lambda));
    const encodings = bare.length > 0 ? await this.#encodings(snapshot.encoder, bare, turns) : undefined;
    const encoder = this.#queriesOf(snapshot);
    const all: AskedQuery[] = [];
    for (const query of asked) {
      const encoding = encodings?.get(query);
      const encoded = encoder.encode(encoding ? { ...encoding, ...query } : query);
      const isByModel = encoding?.vector !== undefined && !query.vector;
      all.push({ ...this.#marked(encoded, query.text), isEmpty: isEmpty(query), isByModel });
      if (turns.isDue) await turns.next();
    }
    return all;
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

  /** Marks the terms that the model added. */
  #marked(encoded: EncodedQuery, text: string | undefined): EncodedQuery {
    const held = text === undefined ? undefined : this.#encoder?.ownTerms(text, "query");
    if (!held) return encoded;
    const marked = (term: QueryTerm): QueryTerm => (held.has(term.term) ? term : { ...term, expanded: true });
    return { ...encoded, terms: encoded.terms.map(marked) };
  }

  /** What the index's model says about the texts of queries. */
  async #encodings(
    record: EncoderRecord | undefined,
    queries: readonly QueryParts[],
    turns: Turns,
  ): Promise<Map<QueryParts, QuestionEncoding>> {
    const texts = queries.map(({ text = "" }) => text);
    const encoder = texts.every(isBlank) ? undefined : await turns.until(this.open(record));
    if (!encoder || texts.some(isBlank)) {
      throw new UsageError(
        "the index has a semantic part and the query has no vector",
        "give the query a vector, build the index with an encoder, or set lambda to 0",
      );
    }
    const { signal } = turns;
    const encodings = await turns.until(encoder.encode(texts, "query", { ...(signal && { signal }) }));
    return new Map(queries.map((query, i) => [query, encodings[i]]));
  }
}

type QueryParts = Exclude<Query, string>;

/** Whether a query needs something that only the index's model can say. */
function lacks({ semanticDims, encoder }: Snapshot, query: QueryParts, lambda: number): boolean {
  if (isEmpty(query)) return false;
  if (semanticDims > 0 && lambda > 0 && !query.vector) return true;
  const isWeighed = encoder !== undefined && encoder.description.kind !== "dense";
  return isWeighed && !query.weights && !query.row && !isBlank(query.text);
}

/** Whether there is nothing to look for. */
function isEmpty({ text, weights, row, vector }: QueryParts): boolean {
  return isBlank(text) && !weights && !row && !vector;
}

function isBlank(text = ""): boolean {
  return text.trim() === "";
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
