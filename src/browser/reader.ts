// An exported index in a web page: opened by its URL and searched in the browser. It gives the same answers as in Node.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Document, Fields } from "../documents/document.ts";
import type { EncoderRecord } from "../encode/encoder-record.ts";
import { IndexEncoder } from "../open/index-encoder.ts";
import type { Query, QueryTerm } from "../query/ask/query.ts";
import { type QueryEncoding, QueryPreparer, type QueryTextEncoder } from "../query/prepare/query-preparer.ts";
import type { ScoredDoc } from "../rank/best-documents.ts";
import type { Explanation } from "../rank/explain.ts";
import { type ChosenKernel, chooseKernel, kernelInfo } from "../scan/choose-kernel.ts";
import {
  checkKernelOptions,
  KERNEL_OPTIONS,
  type KernelInfo,
  type KernelOptions,
} from "../scan/contract/kernel-options.ts";
import type { SearchResources } from "../scan/search-resources.ts";
import { explainDocument, explainQueryFor } from "../search/explain/explain-calls.ts";
import type { QueryExplanation } from "../search/explain/explain-query.ts";
import type { Answer, Hit } from "../search/hits/answer.ts";
import { type Highlights, highlightDocument } from "../search/hits/highlights.ts";
import type { SearchedIndex } from "../search/hits/searched-index.ts";
import { type DocumentList, type ListedIndex, listDocuments } from "../search/list/list-documents.ts";
import { listPassages } from "../search/list/list-passages.ts";
import type { ExplainOptions, ExplainQueryOptions } from "../search/options/explain-options.ts";
import type { ListOptions, PassagesOptions } from "../search/options/list-options.ts";
import { requireOpenScorer } from "../search/options/rerank-options.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { SuggestOptions } from "../search/options/suggest-options.ts";
import { loadForSearch } from "../search/ranking/searched-segment.ts";
import { searchIndex } from "../search/search.ts";
import type { Searchable } from "../search/searchable.ts";
import { type Suggestion, suggestFor } from "../search/suggest/suggest.ts";
import { describeFields, type FieldInfo } from "../store/snapshot/fields.ts";
import { describeIndex, type IndexInfo } from "../store/snapshot/index-info.ts";
import { requireDoc, requireDocs } from "../store/snapshot/require-doc.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { ExportedFields } from "../store/web/exported-fields.ts";
import { requireExported } from "../store/web/exported-fields.ts";
import { closedError } from "../support/errors/index-errors.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import {
  checkFunction,
  checkId,
  checkIds,
  checkOptions,
  checkSignal,
  checkTexts,
  type KnownOptions,
  readList,
  requireIterable,
} from "../support/options/options.ts";
import type { OnProgress } from "../support/options/progress.ts";
import { checkWorkOptions, type WorkOptions } from "../support/options/work-options.ts";
import { FetchedDocuments } from "./fetched-documents.ts";
import { createExportSnapshot, fetchSections, forgetScanned, openExportEncoder } from "./open-export.ts";
import { type Fetch, Site } from "./site.ts";

export interface ReaderOptions extends KernelOptions {
  /** Called with the bytes that are fetched so far and in total: the task `fetching`. */
  readonly onProgress?: OnProgress | undefined;
  /** Aborts opening. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Encodes the text of a query with the encoder that the index was built with, in the page or through a service. An index with
   * a static encoder needs no such function: the encoder is in the export. If it is missing for another index, queries need what
   * the encoder would give them. With `lambda: 0` they need no vector. The first query without a known word also encodes a few
   * made-up words, for comparison.
   */
  readonly encode?: ((text: string) => Promise<QueryEncoding>) | undefined;
}

export interface ReaderInfo extends IndexInfo {
  readonly url: string;
  /** Two exports with the same fingerprint have the same content. */
  readonly fingerprint: string;
  /** The exported fields of the documents. */
  readonly exportedFields: ExportedFields;
}

/** The names of the options of `SluiceReader.open`. */
export const READER_OPTIONS: KnownOptions<ReaderOptions> = {
  ...KERNEL_OPTIONS,
  onProgress: true,
  signal: true,
  fetch: true,
  encode: true,
};

function checkReaderOptions(options: ReaderOptions): void {
  checkOptions(options, READER_OPTIONS, "open");
  checkKernelOptions(options);
  checkSignal(options.signal);
  for (const name of ["onProgress", "fetch", "encode"] as const) checkFunction(name, options[name]);
}

/** The parts of an open export. */
interface OpenExport {
  readonly snapshot: Snapshot;
  readonly documents: FetchedDocuments;
  readonly kernel: ChosenKernel;
  readonly about: Pick<ReaderInfo, "url" | "fingerprint" | "exportedFields" | "diskBytes">;
  /** Opens the encoder that came with the export, if one did. */
  readonly encoder: (record: EncoderRecord) => Promise<QueryTextEncoder | undefined>;
}

/**
 * An exported index, searched in a page. `DocumentType` and `FieldsType` are those of `Sluice`. `Searchable` documents its calls;
 * a call has a comment here only if it does something else in a page.
 */
export class SluiceReader<DocumentType extends Document = Document, FieldsType = Fields<DocumentType>>
  implements Searchable<FieldsType>
{
  readonly #opened: OpenExport;
  readonly #encoder: IndexEncoder<QueryTextEncoder>;
  readonly #preparer: QueryPreparer;
  #isClosed = false;

  private constructor(opened: OpenExport, encode: ReaderOptions["encode"]) {
    this.#opened = opened;
    const open = async (record: EncoderRecord) => (await opened.encoder(record)) ?? refuseText(record);
    this.#encoder = new IndexEncoder(open, encode && encoderOf(encode));
    this.#preparer = new QueryPreparer(this.#encoder);
  }

  /**
   * Opens an export by the URL of its folder. Everything that searches need is fetched and checked now. Documents are
   * fetched when they are hits, and the data for filters with the first filter.
   */
  static async open<DocumentType extends Document = Document>(
    url: string | URL,
    options: ReaderOptions = {},
  ): Promise<SluiceReader<DocumentType>> {
    checkReaderOptions(options);
    const { signal, onProgress, encode } = options;
    signal?.throwIfAborted();
    const site = new Site(url, options.fetch);
    let device: ChosenKernel["device"];
    try {
      const { index, fingerprint } = await site.fetchManifest(signal);
      const kernel = await chooseKernel(options.kernel ?? "wasm", index.settings.dims, options.gpu);
      device = kernel.device;
      const fetched = await fetchSections(site, index, { scans: !device, signal, onProgress });
      const { sections } = fetched;
      const snapshot = await createExportSnapshot(index, fetched, site.url);
      await loadForSearch(snapshot, device);
      forgetScanned(sections);
      signal?.throwIfAborted();
      const about = {
        url: site.url.href,
        fingerprint,
        exportedFields: index.documents,
        diskBytes: index.bytes,
      };
      const documents = new FetchedDocuments(site, sections);
      const encoder = (record: EncoderRecord) => openExportEncoder(record, sections);
      return new SluiceReader<DocumentType>({ snapshot, documents, kernel, about, encoder }, encode);
    } catch (error) {
      site.close();
      device?.close();
      throw error;
    }
  }

  get docs(): number {
    return this.#snapshot.docs;
  }

  get kernel(): KernelInfo {
    return kernelInfo(this.#opened.kernel);
  }

  get hasOwnVectors(): boolean {
    return this.#snapshot.hasOwnVectors;
  }

  async search(query: Query, options: SearchOptions<FieldsType> = {}): Promise<Answer<FieldsType>> {
    return (await this.#search([query], options, "search"))[0];
  }

  async searchAll(
    queries: Iterable<Query>,
    options: SearchOptions<FieldsType> = {},
  ): Promise<Answer<FieldsType>[]> {
    return this.#search(readList("queries", "queries", queries), options, "searchAll");
  }

  /** Explains the score of a document. `lost` needs the text; it is empty if the text was not exported. */
  async explain(
    query: Query,
    id: string,
    options: ExplainOptions<FieldsType> = {},
  ): Promise<Explanation<FieldsType>> {
    return (await explainDocument(this.#index, query, id, options)) as Explanation<FieldsType>;
  }

  async explainQuery(query: Query, options: ExplainQueryOptions = {}): Promise<QueryExplanation> {
    return explainQueryFor(this.#index, query, options);
  }

  /** What a user may want to type. Without the texts of documents in the export it shows terms, which may be stems. */
  async suggest(text: string, options: SuggestOptions = {}): Promise<Suggestion[]> {
    return suggestFor(this.#index, text, options);
  }

  async highlight(terms: Iterable<QueryTerm>, document: Fields | FieldsType): Promise<Highlights> {
    return highlightDocument(this.#snapshot.weighting, terms, document as Fields);
  }

  /** Encodes texts into queries, with the encoder of the export or with `encode`. */
  async encodeQueries(texts: Iterable<string>, options: WorkOptions = {}): Promise<Query[]> {
    checkWorkOptions("encodeQueries", options);
    return this.#preparer.encodeQueries(this.#snapshot, checkTexts("texts", texts), options);
  }

  async has(id: string): Promise<boolean> {
    checkId(id);
    return this.#snapshot.docOf(id) !== undefined;
  }

  async document(id: string): Promise<FieldsType> {
    checkId(id);
    return (await this.documents([id]))[0];
  }

  async documents(ids: Iterable<string>): Promise<FieldsType[]> {
    requireIterable("ids", "ids", ids);
    const docNumbers = requireDocs(this.#snapshot, checkIds("ids", ids));
    return (await this.#opened.documents.fetchFields(docNumbers)) as FieldsType[];
  }

  async list(options: ListOptions<FieldsType> = {}): Promise<DocumentList<FieldsType>> {
    return (await listDocuments(this.#index, options)) as DocumentList<FieldsType>;
  }

  async passages(
    id: string,
    options: PassagesOptions<FieldsType> = {},
  ): Promise<DocumentList<FieldsType>["documents"]> {
    checkId(id);
    return (await listPassages(
      this.#index,
      id,
      options as PassagesOptions,
    )) as DocumentList<FieldsType>["documents"];
  }

  async vector(id: string): Promise<Float32Array | undefined> {
    checkId(id);
    return this.#snapshot.readVector(requireDoc(this.#snapshot, id));
  }

  async listIds(): Promise<readonly string[]> {
    return this.#snapshot.ids;
  }

  /** The exported fields that a filter can use, and their values. */
  async fields(): Promise<FieldInfo[]> {
    return describeFields(this.#snapshot);
  }

  info(): ReaderInfo {
    const { about } = this.#opened;
    return { ...describeIndex(this.#snapshot, about.diskBytes), ...about };
  }

  /** Frees everything. Pending calls reject. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#encoder.close();
    this.#opened.snapshot.release();
    this.#opened.kernel.device?.close();
  }

  /** `await using index = await SluiceReader.open(…)` closes the index at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #search(queries: readonly Query[], options: SearchOptions<FieldsType>, callName: string) {
    return searchIndex<FieldsType>(this.#index, queries, options as SearchOptions, callName);
  }

  /** The export, as all calls that read it take it. */
  get #index(): SearchedIndex & ListedIndex {
    const { documents, about, kernel } = this.#opened;
    const { device } = kernel;
    const resources: SearchResources = { maxRowBytes: Number.POSITIVE_INFINITY, pool: undefined, device };
    return {
      snapshot: this.#snapshot,
      preparer: this.#preparer,
      resources: {
        takeSearchResources: () => resources,
        openCrossEncoder: async (model) => requireOpenScorer(model),
      },
      checkCondition: (condition) => requireExported(condition, about.exportedFields),
      fieldsOf: (docNumbers) => documents.fetchFields(docNumbers),
      createHits: (snapshot, rankings, turns) =>
        turns.raceAbort(Promise.all(rankings.map((ranked) => fetchHits(snapshot, documents, ranked)))),
    };
  }

  get #snapshot(): Snapshot {
    if (this.#isClosed) throw closedError(this.#opened.about.url);
    return this.#opened.snapshot;
  }
}

async function fetchHits(
  snapshot: Snapshot,
  documents: FetchedDocuments,
  ranked: readonly ScoredDoc[],
): Promise<Hit[]> {
  const fields = await documents.fetchFields(ranked.map(({ doc }) => doc));
  return ranked.map(({ doc, ...score }, i) => {
    return { id: snapshot.idAt(doc), ...score, document: fields[i] };
  });
}

function encoderOf(encode: NonNullable<ReaderOptions["encode"]>): QueryTextEncoder {
  return {
    path: "the page's own encoder",
    encode: (texts) => Promise.all(texts.map((text) => encode(text))),
    ownTerms: () => undefined,
    close: async () => {},
  };
}

async function refuseText({ path, description }: EncoderRecord): Promise<never> {
  throw new SluiceError(
    `queries to this index need its encoder (${description.kind}, ${path}), and the page does not have it`,
    `open the index with an encode function, ${insteadOfEncode(description)}`,
  );
}

/** What a query does without an encoder, as the rest of a hint. */
function insteadOfEncode(description: EncoderRecord["description"]): string {
  if (description.kind === "dense") return "give the query its vector, or search with lambda 0";
  if (description.kind === "anchored")
    return "or give the query termFactors ({} for BM25's weights), and its vector or lambda 0";
  const hasVectors = "semantic" in description && description.semantic;
  return `or give the query its weights${hasVectors ? ", and its vector or lambda 0" : ""}`;
}
