// The calls that read an index, wherever it is: in Node (`Sluice`), in a page (`SluiceReader`) or in a worker of the page
// (`WorkerReader`). Code that is written for `Searchable` works with all three.
//
// A call that reads a document is async: a page has to fetch it, or to ask its worker. A fact that is known when an index is open
// is a property.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Fields } from "../documents/document.ts";
import type { Query, QueryTerm } from "../query/ask/query.ts";
import type { Explanation } from "../rank/explain.ts";
import type { KernelInfo } from "../scan/contract/kernel-options.ts";
import type { FieldInfo } from "../store/snapshot/fields.ts";
import type { IndexInfo } from "../store/snapshot/index-info.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { QueryExplanation } from "./explain/explain-query.ts";
import type { Answer } from "./hits/answer.ts";
import type { Highlights } from "./hits/highlights.ts";
import type { DocumentList } from "./list/list-documents.ts";
import type { ExplainOptions, ExplainQueryOptions } from "./options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "./options/list-options.ts";
import type { SearchOptions } from "./options/search-options.ts";
import type { SuggestOptions } from "./options/suggest-options.ts";
import type { Suggestion } from "./suggest/suggest.ts";

/** An index that can be searched: in Node, in a page or in a worker. `FieldsType` is what comes back with a hit. */
export interface Searchable<FieldsType = Fields> {
  /** The number of documents. */
  readonly docs: number;
  /** What computes scores, why it was chosen, and how much memory of a GPU it takes. */
  readonly kernel: KernelInfo;
  /** Whether documents came with their own vectors, so that no encoder turns the text of a query into one. */
  readonly hasOwnVectors: boolean;
  /** Sizes, settings and counts of the index. */
  info(): IndexInfo;
  /** Returns the best documents for a query, best first. */
  search(query: Query, options?: SearchOptions<FieldsType>): Promise<Answer<FieldsType>>;
  /** Answers many queries with the same options. */
  searchAll(queries: Iterable<Query>, options?: SearchOptions<FieldsType>): Promise<Answer<FieldsType>[]>;
  /** Explains why a document scores what it scores. Throws `ERR_SLUICE_NO_DOCUMENT` if no document has the id. */
  explain(query: Query, id: string, options?: ExplainOptions<FieldsType>): Promise<Explanation<FieldsType>>;
  /** Explains a query: its terms, their cells, and which of them the first stage of a plan uses. */
  explainQuery(query: Query, options?: ExplainQueryOptions): Promise<QueryExplanation>;
  /** What a user may want to type: the last word completed, or misspelled words corrected. */
  suggest(text: string, options?: SuggestOptions): Promise<Suggestion[]>;
  /** Where the terms of an answer occur in a document's title and text, to mark them. */
  highlight(terms: Iterable<QueryTerm>, document: Fields | FieldsType): Promise<Highlights>;
  /** Encodes texts into queries. Many at once are faster than one by one. */
  encodeQueries(texts: Iterable<string>, options?: WorkOptions): Promise<Query[]>;
  /** Whether a document has this id. */
  has(id: string): Promise<boolean>;
  /** The ids of all documents, in the order in which they were added. */
  listIds(): Promise<readonly string[]>;
  /**
   * The document as it was given, without id, weights, termFactors and vector. Throws `ERR_SLUICE_NO_DOCUMENT` if no document has
   * the id: `has` asks first.
   */
  document(id: string): Promise<FieldsType>;
  /** Several documents, in the order of their ids. Throws if no document has one of them, and names all of these. */
  documents(ids: Iterable<string>): Promise<FieldsType[]>;
  /** The documents that a filter accepts, a page at a time, in the order in which they were added; and how many there are. */
  list(options?: ListOptions<FieldsType>): Promise<DocumentList<FieldsType>>;
  /**
   * The passages of a document or a file, in the order of its text and as of one commit; the document itself if it was not cut.
   * Throws `ERR_SLUICE_NO_DOCUMENT` if there is neither.
   */
  passages(id: string, options?: PassagesOptions<FieldsType>): Promise<DocumentList<FieldsType>["documents"]>;
  /**
   * The vector of a document, rounded to float16 as the index stores it. Undefined if the index has no vectors. Throws if no
   * document has the id.
   */
  vector(id: string): Promise<Float32Array | undefined>;
  /** The fields of the documents that a filter can use, and their values. */
  fields(): Promise<FieldInfo[]>;
  /** Frees what the index holds. */
  close(): Promise<void>;
  /** `await using index = …` closes the index at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>;
}
