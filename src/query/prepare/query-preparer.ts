// Queries as users give them → prepared queries, which searches can use: each with a row, a vector if the index has vectors,
// and what happened to its terms. If the index has an encoder, it encodes the texts.

import { Densifier } from "../../densify/densify.ts";
import { checkVector } from "../../documents/document.ts";
import { checkEncodings, type NeededParts } from "../../encode/contract/check-encoder.ts";
import { partsGivenBy } from "../../encode/contract/encoding.ts";
import type { Encoder } from "../../encode/encoder.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { rejectOnAbort, Turns } from "../../support/work/turns.ts";
import type { PlainQuery, Query, QueryParts, QueryTerm } from "../ask/query.ts";
import { expandWords } from "../words/expand-words.ts";
import type { Alternatives } from "../words/expansion.ts";
import type { Speller } from "../words/speller.ts";
import { beginningRules, type WordRules } from "../words/word-options.ts";
import { type DensifiedQuery, QueryDensifier } from "./query-densifier.ts";

/** What encodes the texts of queries: an `Encoder`, or a browser's own version of one. */
export interface QueryTextEncoder {
  encode(texts: readonly string[], role: "query", options?: WorkOptions): Promise<QueryEncoding[]>;
  /** The terms that a text contains, if the encoder gives weights. It added all other terms with a weight. */
  ownTerms(text: string, role: "query"): ReadonlySet<string> | undefined;
  close(): Promise<void>;
  /** What errors name. */
  readonly path: string;
  /** Which parts it returns; unknown for a page's own function. */
  readonly gives?: Encoder["gives"];
  /** The encoder of queries, if it is another one. */
  readonly queries?: Pick<Encoder, "gives">;
}

/** What an encoder gives for the text of a query. */
export type QueryEncoding = Pick<QueryParts, "weights" | "termFactors" | "vector">;

/** A query that is ready to be searched with. */
export interface PreparedQuery extends DensifiedQuery {
  /** Whether it has neither a text nor anything else to search for. */
  readonly isEmpty: boolean;
  /** Whether the index's encoder made its vector, not the caller. */
  readonly hasEncodedVector: boolean;
  /** Whether only the words of the query can be searched, although the index has vectors and λ is above 0. */
  readonly isWordsOnly: boolean;
}

/** The encoder of an index, as queries need it. Its owner opens it and closes it. */
interface EncoderOfQueries {
  /** The encoder, if it is open. */
  readonly opened: QueryTextEncoder | undefined;
  /** Opens the encoder that the index records, unless it is open. */
  openFor(record: EncoderRecord | undefined): Promise<QueryTextEncoder | undefined>;
}

/** @internal Prepares queries for the snapshots of an index. The index's encoder is opened when a query first needs it. */
export class QueryPreparer {
  readonly #encoder: EncoderOfQueries;
  /** The densifier of the last snapshot. */
  #last: { readonly snapshot: Snapshot; readonly densifier: QueryDensifier } | undefined;

  constructor(encoder: EncoderOfQueries) {
    this.#encoder = encoder;
  }

  /** Prepares one query. */
  async prepare(
    snapshot: Snapshot,
    query: PlainQuery,
    lambda: number,
    turns = new Turns(),
    rules?: WordRules,
  ): Promise<PreparedQuery> {
    return (await this.prepareAll(snapshot, [query], lambda, turns, rules))[0];
  }

  /** Prepares many queries. Texts that need the index's encoder are encoded together. `rules` complete and correct words. */
  async prepareAll(
    snapshot: Snapshot,
    queries: readonly PlainQuery[],
    lambda: number,
    turns = new Turns(),
    rules?: WordRules,
  ): Promise<PreparedQuery[]> {
    const canEncode = snapshot.encoder !== undefined || this.#encoder.opened !== undefined;
    const bare = canEncode ? queries.filter((query) => needsEncoder(snapshot, query, lambda)) : [];
    const encodings = bare.length > 0 ? await this.#encodeTexts(snapshot, bare, lambda, turns) : undefined;
    const densifier = this.#densifierOf(snapshot);
    const prepared: PreparedQuery[] = [];
    for (const query of queries) {
      const encoding = encodings?.get(query);
      const densified = densifier.densify(encoding ? { ...encoding, ...query } : query, rules);
      const hasEncodedVector = encoding?.vector !== undefined && !query.vector;
      const { row, vector, terms, fieldTerms, cutNotices } = this.#markExpanded(densified, query.text);
      const isWordsOnly = !canEncode && needsEncoder(snapshot, query, lambda);
      prepared.push({
        row,
        vector,
        terms,
        fieldTerms,
        cutNotices,
        isEmpty: isEmpty(query),
        hasEncodedVector,
        isWordsOnly,
      });
      if (turns.isDue) await turns.next();
    }
    return prepared;
  }

  /** Encodes texts, and returns them as queries. Many at once are faster than one by one. */
  async encodeQueries(snapshot: Snapshot, texts: readonly string[], options: WorkOptions): Promise<Query[]> {
    const encoder = await this.#encoder.openFor(snapshot.encoder);
    if (!encoder) return [...texts];
    const needed = neededParts(snapshot, encoder, snapshot.semanticDims > 0);
    const { signal } = options;
    const encoding = encoder.encode(texts, "query", options);
    const given = await (signal ? rejectOnAbort(encoding, signal) : encoding);
    const encodings = checkEncodings(given, texts.length, encoder.path, needed);
    return texts.map((text, i) => ({ text, ...encodings[i] }));
  }

  /** What completes and corrects the words of queries to a snapshot. */
  spellerOf(snapshot: Snapshot): Speller {
    return this.#densifierOf(snapshot).speller;
  }

  /** What the words of texts are corrected to, and the last word of the first one completed to. */
  findAlternatives(
    snapshot: Snapshot,
    [typed = "", ...others]: readonly string[],
    rules: WordRules,
  ): Alternatives {
    const speller = this.spellerOf(snapshot);
    const finished = { ...rules, completesLast: false };
    return new Map([
      ...others.flatMap((text) => [...expandWords(speller, text, finished).alternatives]),
      ...expandWords(speller, typed, rules).alternatives,
    ]);
  }

  /** All terms that the last word of a text may be the beginning of, the most frequent first. */
  findCompletions(snapshot: Snapshot, text: string): Alternatives {
    const rules = beginningRules(undefined, Number.POSITIVE_INFINITY);
    return expandWords(this.spellerOf(snapshot), text, rules).alternatives;
  }

  #densifierOf(snapshot: Snapshot): QueryDensifier {
    if (this.#last?.snapshot !== snapshot) {
      const { weighting, slicing, semanticDims } = snapshot;
      const densifier = new QueryDensifier(weighting, new Densifier(slicing), semanticDims);
      this.#last = { snapshot, densifier };
    }
    return this.#last.densifier;
  }

  /** Marks the terms that the encoder added to the query. */
  #markExpanded(query: DensifiedQuery, text: string | undefined): DensifiedQuery {
    const held = text === undefined ? undefined : this.#encoder.opened?.ownTerms(text, "query");
    if (!held) return query;
    const marked = (term: QueryTerm): QueryTerm =>
      held.has(term.term) || term.from !== undefined ? term : { ...term, expanded: true };
    return { ...query, terms: query.terms.map(marked) };
  }

  /** Encodes the texts of queries with the index's encoder. */
  async #encodeTexts(
    snapshot: Snapshot,
    queries: readonly QueryParts[],
    lambda: number,
    turns: Turns,
  ): Promise<Map<QueryParts, QueryEncoding>> {
    const texts = queries.map(({ text = "" }) => text);
    const encoder = texts.every(isBlank)
      ? undefined
      : await turns.raceAbort(this.#encoder.openFor(snapshot.encoder));
    if (!encoder || texts.some(isBlank)) {
      throw new SluiceError(
        "the index has a semantic part and the query has no vector",
        "give the query a text or a vector, or set lambda to 0",
      );
    }
    const { signal } = turns;
    const given = await turns.raceAbort(encoder.encode(texts, "query", { ...(signal && { signal }) }));
    const needed = neededParts(snapshot, encoder, snapshot.semanticDims > 0 && lambda > 0);
    const encodings = checkEncodings(given, texts.length, encoder.path, needed);
    for (const { vector } of encodings)
      if (vector !== undefined) checkVector(vector, "the vector that the encoder gives the query");
    return new Map(queries.map((query, i) => [query, encodings[i]]));
  }
}

/** Whether a query needs a vector, weights or factors that only the index's encoder can give. */
function needsEncoder({ semanticDims, encoder }: Snapshot, query: QueryParts, lambda: number): boolean {
  if (isEmpty(query)) return false;
  if (semanticDims > 0 && lambda > 0 && !query.vector) return true;
  if (encoder === undefined) return false;
  const { weights, termFactors } = partsGivenBy(encoder.description.kind);
  const ownWeights = query.weights ?? query.row ?? (termFactors ? query.termFactors : undefined);
  return (weights || termFactors === true) && !ownWeights && !isBlank(query.text);
}

/** What the encodings of queries must have. */
function neededParts(
  { encoder: record }: Snapshot,
  { gives, queries }: QueryTextEncoder,
  needsVector: boolean,
): NeededParts {
  if (gives) {
    const both = (part: "weights" | "termFactors") =>
      gives[part] === true && (queries === undefined || queries.gives[part] === true);
    return { weights: both("weights"), termFactors: both("termFactors"), vector: needsVector };
  }
  const { weights, termFactors = false } = partsGivenBy(record?.description.kind ?? "dense");
  return { weights, termFactors, vector: needsVector };
}

/** Whether there is nothing to search for. */
function isEmpty({ text, weights, row, vector }: QueryParts): boolean {
  return isBlank(text) && !weights && !row && !vector;
}

function isBlank(text = ""): boolean {
  return text.trim() === "";
}
