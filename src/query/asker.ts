// Queries as users give them → the rows and vectors that are searched with. If the index has an encoder, it encodes the
// texts.

import { Densifier } from "../densify/densify.ts";
import type { EncodeOptions, Encoder } from "../encode/encoder.ts";
import { type ErrorCode, UsageError } from "../errors.ts";
import type { EncoderRecord } from "../store/model-record.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { Turns } from "../support/turns.ts";
import { type EncodedQuery, type Query, QueryEncoder, type QueryTerm } from "./query.ts";

/** What encodes the texts of queries: an `Encoder`, or a browser's own version of one. */
export interface QuestionModel {
  encode(texts: readonly string[], role: "query", options?: EncodeOptions): Promise<QuestionEncoding[]>;
  /** The terms that a text contains, if the encoder gives weights. All other terms with a weight were added by the model. */
  ownTerms(text: string, role: "query"): ReadonlySet<string> | undefined;
  close(): Promise<void>;
}

/** What an encoder gives for the text of a query. */
export type QuestionEncoding = Pick<Exclude<Query, string>, "weights" | "vector">;

export interface AskedQuery extends EncodedQuery {
  /** Whether it has neither a text nor anything else to search for. */
  readonly isEmpty: boolean;
  /** Whether the index's encoder made its vector, not the caller. */
  readonly isByModel: boolean;
}

/** @internal Encodes queries for the snapshots of an index. It opens the index's encoder when a query first needs it. */
export class Asker<Model extends QuestionModel> {
  readonly #find: (record: EncoderRecord) => Promise<Model>;
  #encoder: Model | undefined;
  /** Whether the encoder was opened here: one that was given stays its owner's. */
  #isOwned = false;
  /** The query encoder of the last snapshot. */
  #queries: { readonly snapshot: Snapshot; readonly encoder: QueryEncoder } | undefined;

  /** `find` opens the encoder of the documents. It is not called if `encoder` is given. */
  constructor(find: (record: EncoderRecord) => Promise<Model>, encoder?: Model) {
    this.#find = find;
    this.#encoder = encoder;
  }

  /** The query with its terms weighed and densified, and what happened to each term. */
  async encoded(snapshot: Snapshot, query: Query, lambda: number): Promise<AskedQuery> {
    return (await this.encodedAll(snapshot, [query], lambda))[0];
  }

  /** The same for many queries. Texts that need the index's encoder are encoded together. */
  async encodedAll(
    snapshot: Snapshot,
    queries: readonly Query[],
    lambda: number,
    turns = new Turns(),
  ): Promise<AskedQuery[]> {
    const asked = queries.map((query) => (typeof query === "string" ? { text: query } : query));
    const bare = asked.filter((query) => needsEncoder(snapshot, query, lambda));
    const encodings = bare.length > 0 ? await this.#encodeTexts(snapshot.encoder, bare, turns) : undefined;
    const encoder = this.#queriesOf(snapshot);
    const all: AskedQuery[] = [];
    for (const query of asked) {
      const encoding = encodings?.get(query);
      const encoded = encoder.encode(encoding ? { ...encoding, ...query } : query);
      const isByModel = encoding?.vector !== undefined && !query.vector;
      const { row, vector, terms } = this.#markExpanded(encoded, query.text);
      all.push({ row, ...(vector && { vector }), terms, isEmpty: isEmpty(query), isByModel });
      if (turns.isDue) await turns.next();
    }
    return all;
  }

  /** Encodes texts, and returns them as queries. Many at once are faster than one by one. */
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

  /** The encoder of the documents. Opens it if it is not open. */
  async open(record: EncoderRecord | undefined): Promise<Model | undefined> {
    if (!this.#encoder && record) {
      this.#encoder = await this.#find(record);
      this.#isOwned = true;
    }
    return this.#encoder;
  }

  /** The encoder, if it is open. */
  get opened(): Model | undefined {
    return this.#encoder;
  }

  /** Uses this encoder. `isOwned` says that `close` is to close it. */
  attach(encoder: Model, isOwned: boolean): void {
    this.#encoder = encoder;
    this.#isOwned = isOwned;
  }

  async close(): Promise<void> {
    if (this.#isOwned) await this.#encoder?.close();
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

  /** Marks the terms that the model added to the query. */
  #markExpanded(encoded: EncodedQuery, text: string | undefined): EncodedQuery {
    const held = text === undefined ? undefined : this.#encoder?.ownTerms(text, "query");
    if (!held) return encoded;
    const marked = (term: QueryTerm): QueryTerm => (held.has(term.term) ? term : { ...term, expanded: true });
    return { ...encoded, terms: encoded.terms.map(marked) };
  }

  /** Encodes the texts of queries with the index's encoder. */
  async #encodeTexts(
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

/** Whether a query needs a vector or weights that only the index's encoder can give. */
function needsEncoder({ semanticDims, encoder }: Snapshot, query: QueryParts, lambda: number): boolean {
  if (isEmpty(query)) return false;
  if (semanticDims > 0 && lambda > 0 && !query.vector) return true;
  const isWeighed = encoder !== undefined && !["dense", "static"].includes(encoder.description.kind);
  return isWeighed && !query.weights && !query.row && !isBlank(query.text);
}

/** Whether there is nothing to search for. */
function isEmpty({ text, weights, row, vector }: QueryParts): boolean {
  return isBlank(text) && !weights && !row && !vector;
}

function isBlank(text = ""): boolean {
  return text.trim() === "";
}

/** @internal Throws if the encoder is not the one that encoded the documents. */
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
