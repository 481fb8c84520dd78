// Queries as users give them → the rows and vectors that are searched with. If the index has an encoder, it encodes the
// texts.

import { Densifier } from "../densify/densify.ts";
import type { EncodeOptions } from "../encode/encoder.ts";
import { UsageError } from "../errors.ts";
import type { EncoderRecord } from "../store/encoder-record.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { Turns } from "../support/turns.ts";
import { type EncodedQuery, type Query, QueryDensifier, type QueryTerm } from "./query.ts";

/** What encodes the texts of queries: an `Encoder`, or a browser's own version of one. */
export interface QueryTextEncoder {
  encode(texts: readonly string[], role: "query", options?: EncodeOptions): Promise<QueryEncoding[]>;
  /** The terms that a text contains, if the encoder gives weights. All other terms with a weight were added by the model. */
  ownTerms(text: string, role: "query"): ReadonlySet<string> | undefined;
  close(): Promise<void>;
}

/** What an encoder gives for the text of a query. */
export type QueryEncoding = Pick<Exclude<Query, string>, "weights" | "vector">;

export interface AskedQuery extends EncodedQuery {
  /** Whether it has neither a text nor anything else to search for. */
  readonly isEmpty: boolean;
  /** Whether the index's encoder made its vector, not the caller. */
  readonly isByModel: boolean;
  /** Set if only the words of the query can be searched, although the index has vectors and λ is above 0. */
  readonly notice?: string;
}

/** The notice of an answer by words only. */
const WORDS_ONLY =
  "answered by words only: the documents came with vectors of your own, and the index has no encoder for the text of a " +
  'query; give the query a vector ({ "text": …, "vector": … }) to search by meaning as well, or set lambda to 0';

/** @internal Encodes queries for the snapshots of an index. It opens the index's encoder when a query first needs it. */
export class QueryEncoder<EncoderType extends QueryTextEncoder> {
  readonly #find: (record: EncoderRecord) => Promise<EncoderType>;
  #encoder: EncoderType | undefined;
  /** Whether `close` closes the encoder. One that a caller gave stays the caller's. */
  #isOwned: boolean;
  /** The densifier of the last snapshot. */
  #last: { readonly snapshot: Snapshot; readonly densifier: QueryDensifier } | undefined;

  /** `find` opens the encoder of the documents. It is not called if `encoder` is given. */
  constructor(find: (record: EncoderRecord) => Promise<EncoderType>, encoder?: EncoderType, isOwned = false) {
    this.#find = find;
    this.#encoder = encoder;
    this.#isOwned = isOwned;
  }

  /** The query with its terms weighed and densified, and what happened to each term. */
  async encoded(snapshot: Snapshot, query: Query, lambda: number, turns = new Turns()): Promise<AskedQuery> {
    return (await this.encodedAll(snapshot, [query], lambda, turns))[0];
  }

  /** The same for many queries. Texts that need the index's encoder are encoded together. */
  async encodedAll(
    snapshot: Snapshot,
    queries: readonly Query[],
    lambda: number,
    turns = new Turns(),
  ): Promise<AskedQuery[]> {
    const asked = queries.map((query) => (typeof query === "string" ? { text: query } : query));
    const canEncode = snapshot.encoder !== undefined || this.#encoder !== undefined;
    const bare = canEncode ? asked.filter((query) => needsEncoder(snapshot, query, lambda)) : [];
    const encodings = bare.length > 0 ? await this.#encodeTexts(snapshot.encoder, bare, turns) : undefined;
    const densifier = this.#densifierOf(snapshot);
    const all: AskedQuery[] = [];
    for (const query of asked) {
      const encoding = encodings?.get(query);
      const encoded = densifier.encode(encoding ? { ...encoding, ...query } : query);
      const isByModel = encoding?.vector !== undefined && !query.vector;
      const { row, vector, terms } = this.#markExpanded(encoded, query.text);
      const isWordsOnly = !canEncode && needsEncoder(snapshot, query, lambda);
      all.push({
        ...{ row, ...(vector && { vector }), terms, isEmpty: isEmpty(query), isByModel },
        ...(isWordsOnly && { notice: WORDS_ONLY }),
      });
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
  async open(record: EncoderRecord | undefined): Promise<EncoderType | undefined> {
    if (!this.#encoder && record) {
      this.#encoder = await this.#find(record);
      this.#isOwned = true;
    }
    return this.#encoder;
  }

  async close(): Promise<void> {
    if (this.#isOwned) await this.#encoder?.close();
    this.#encoder = undefined;
  }

  #densifierOf(snapshot: Snapshot): QueryDensifier {
    if (this.#last?.snapshot !== snapshot) {
      const { weighting, slicing, semanticDims } = snapshot;
      const densifier = new QueryDensifier(weighting, new Densifier(slicing), semanticDims);
      this.#last = { snapshot, densifier };
    }
    return this.#last.densifier;
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
  ): Promise<Map<QueryParts, QueryEncoding>> {
    const texts = queries.map(({ text = "" }) => text);
    const encoder = texts.every(isBlank) ? undefined : await turns.until(this.open(record));
    if (!encoder || texts.some(isBlank)) {
      throw new UsageError(
        "the index has a semantic part and the query has no vector",
        "give the query a text or a vector, or set lambda to 0",
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
