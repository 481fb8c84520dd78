// An exported index in a web page: opened by its URL and searched in the browser. It gives the same answers as in Node.

import type { Document, Fields } from "../documents/document.ts";
import type { ExportedFields } from "../documents/field-choice.ts";
import { requireExported } from "../documents/field-choice.ts";
import { checkFilter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import type { Query } from "../query/query.ts";
import { QueryEncoder, type QueryEncoding, type QueryTextEncoder } from "../query/query-encoder.ts";
import { type Answer, answerQueries, docOf } from "../rank/answer.ts";
import { type ExplainOptions, type Explanation, explainDocument } from "../rank/explain.ts";
import {
  checkKernelOptions,
  checkSearchOptions,
  KERNEL_OPTIONS,
  type KernelOptions,
  type SearchOptions,
} from "../rank/search-options.ts";
import { loadForSearch } from "../rank/search-snapshot.ts";
import { type ChosenKernel, chooseKernel, kernelInfo } from "../scan/choose-kernel.ts";
import type { KernelInfo } from "../scan/kernel-options.ts";
import type { EncoderRecord } from "../store/encoder-record.ts";
import { type IndexInfo, infoOf } from "../store/info.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { checkFunction, checkOptions, checkSignal, type KnownOptions } from "../support/options.ts";
import { Turns } from "../support/turns.ts";
import { FetchedDocuments } from "./fetched-documents.ts";
import { exportedEncoder, fetchSections, forgetScanned, snapshotOf } from "./open-export.ts";
import { type Fetch, Site } from "./site.ts";

export interface ReaderOptions extends KernelOptions {
  /** Called with the bytes fetched so far and in total. */
  onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
  /** Aborts opening. */
  signal?: AbortSignal;
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /**
   * Encodes the text of a query with the encoder that the index was built with, in the page or through a service. An
   * index with a static encoder needs no such function: the encoder is in the export. For others, queries need a vector or
   * `lambda: 0` without it. The first query without a known word also
   * encodes a few made-up words, for comparison.
   */
  encode?: (text: string) => Promise<QueryEncoding>;
}

export interface ReaderInfo extends IndexInfo {
  readonly url: string;
  /** Two exports with the same fingerprint have the same content. */
  readonly fingerprint: string;
  /** The exported fields of the documents. */
  readonly documents: ExportedFields;
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
interface Opened {
  readonly snapshot: Snapshot;
  readonly documents: FetchedDocuments;
  readonly kernel: ChosenKernel;
  readonly about: Pick<ReaderInfo, "url" | "fingerprint" | "documents" | "diskBytes">;
  /** Opens the encoder that came with the export, if one did. */
  readonly encoder: (record: EncoderRecord) => Promise<QueryTextEncoder | undefined>;
}

/** An exported index, searched in a page. `DocumentType` and `FieldsType` are those of `Sluice`. */
export class SluiceReader<DocumentType extends Document = Document, FieldsType = Fields<DocumentType>> {
  readonly #opened: Opened;
  readonly #queryEncoder: QueryEncoder<QueryTextEncoder>;
  #closed = false;

  private constructor(opened: Opened, encode: ReaderOptions["encode"]) {
    this.#opened = opened;
    const find = async (record: EncoderRecord) => (await opened.encoder(record)) ?? refuseText(record);
    this.#queryEncoder = new QueryEncoder(find, encode && encoderOf(encode));
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
      const { index, fingerprint } = await site.manifest(signal);
      const kernel = await chooseKernel(options.kernel ?? "wasm", index.settings.dims, options.gpu);
      device = kernel.device;
      const sections = await fetchSections(site, index, { scans: !device, signal, onProgress });
      const snapshot = await snapshotOf(index, sections, site.url);
      await loadForSearch(snapshot, device);
      forgetScanned(sections);
      signal?.throwIfAborted();
      const about = { url: site.url.href, fingerprint, documents: index.documents, diskBytes: index.bytes };
      const documents = new FetchedDocuments(site, sections);
      const encoder = (record: EncoderRecord) => exportedEncoder(record, sections);
      return new SluiceReader<DocumentType>({ snapshot, documents, kernel, about, encoder }, encode);
    } catch (error) {
      site.close();
      device?.close();
      throw error;
    }
  }

  /** The number of documents. */
  get size(): number {
    return this.#snapshot.size;
  }

  /** The kernel that computes scores, why it was chosen, and how much GPU memory it uses. */
  get kernel(): KernelInfo {
    return kernelInfo(this.#opened.kernel);
  }

  /** Returns the best documents for a query, best first. */
  async search(query: Query, options: SearchOptions = {}): Promise<Answer<FieldsType>> {
    return (await this.#searchAll("search", [query], options))[0];
  }

  /** Answers many queries with the same options. */
  async searchAll(queries: readonly Query[], options: SearchOptions = {}): Promise<Answer<FieldsType>[]> {
    return this.#searchAll("searchAll", queries, options);
  }

  /** Explains the score of a document. `lost` needs the text; it is empty if the text was not exported. */
  async explain(query: Query, id: string, options: ExplainOptions = {}): Promise<Explanation<FieldsType>> {
    const documentOf = async (doc: number) => (await this.#opened.documents.fields([doc]))[0];
    const explanation = explainDocument(this.#snapshot, this.#queryEncoder, query, id, options, documentOf);
    return (await explanation) as Explanation<FieldsType>;
  }

  /** The document as it was added, without id, weights and vector. */
  async document(id: string): Promise<FieldsType> {
    return (await this.documents([id]))[0];
  }

  /** Several documents, in the order of their ids. */
  async documents(ids: readonly string[]): Promise<FieldsType[]> {
    const docs = ids.map((id) => docOf(this.#snapshot, id));
    return (await this.#opened.documents.fields(docs)) as FieldsType[];
  }

  /** Sizes, settings and counts of the index. */
  info(): ReaderInfo {
    const { about } = this.#opened;
    return { ...infoOf(this.#snapshot, this.#snapshot.lambda, about.diskBytes), ...about };
  }

  /** Frees everything. Pending calls reject. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queryEncoder.close();
    this.#opened.snapshot.release();
    this.#opened.kernel.device?.close();
  }

  async #searchAll(what: string, queries: readonly Query[], options: SearchOptions) {
    checkSearchOptions(options, what);
    const { signal, lambda = this.#snapshot.lambda } = options;
    signal?.throwIfAborted();
    const snapshot = this.#snapshot;
    const condition = options.filter && checkFilter(options.filter);
    if (condition) requireExported(condition, this.#opened.about.documents);
    const asked = { ...options, condition, lambda };
    const { device } = this.#opened.kernel;
    const resources = { rowBytes: Number.POSITIVE_INFINITY, ...(device && { device }) };
    const turns = new Turns(signal);
    const ranked = await answerQueries(snapshot, this.#queryEncoder, queries, asked, resources, turns);
    const answers = ranked.map(async ({ docs, ...answer }) => {
      const documents = (await this.#opened.documents.fields(docs.map(({ doc }) => doc))) as FieldsType[];
      const hits = docs.map(({ doc, score, lexical, semantic }, i) => {
        return { id: snapshot.idAt(doc), score, lexical, semantic, document: documents[i] };
      });
      return { hits, ...answer };
    });
    return turns.until(Promise.all(answers));
  }

  get #snapshot(): Snapshot {
    if (this.#closed)
      throw new UsageError(`${this.#opened.about.url}: the index was closed`, undefined, "ERR_SLUICE_CLOSED");
    return this.#opened.snapshot;
  }
}

function encoderOf(encode: NonNullable<ReaderOptions["encode"]>): QueryTextEncoder {
  return {
    encode: (texts) => Promise.all(texts.map((text) => encode(text))),
    ownTerms: () => undefined,
    close: async () => {},
  };
}

async function refuseText({ path, description }: EncoderRecord): Promise<never> {
  throw new UsageError(
    `queries to this index need its encoder (${description.kind}, ${path}), and the page does not have it`,
    "open the index with an encode function, give the query its vector or weights, or search with lambda 0",
  );
}
