// An exported index in a web page: opened by its URL and searched in the browser. It gives the same answers as in Node.

import type { Settings } from "../densify/slicing.ts";
import type { Fields } from "../documents/document.ts";
import type { ExportedFields } from "../documents/field-choice.ts";
import { requireExported } from "../documents/field-choice.ts";
import { checkFilter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import { Asker, type QuestionEncoding, type QuestionModel } from "../query/asker.ts";
import { checkQuery, type Query } from "../query/query.ts";
import {
  type Answer,
  checkExplainOptions,
  checkKernelOptions,
  checkSearchOptions,
  type Explanation,
  explained,
  KERNEL_OPTIONS,
  type KernelOptions,
  numberOf,
  rankAll,
  type SearchOptions,
} from "../rank/answer.ts";
import { type ChosenKernel, chooseKernel, kernelInfo } from "../rank/choose-kernel.ts";
import type { KernelInfo } from "../rank/kernel-options.ts";
import { loadForSearch } from "../rank/search-snapshot.ts";
import { type IndexInfo, infoOf } from "../store/info.ts";
import type { EncoderRecord } from "../store/model-record.ts";
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
  encode?: (text: string) => Promise<QuestionEncoding>;
}

export interface ReaderInfo extends IndexInfo {
  readonly url: string;
  /** Two exports with the same fingerprint have the same content. */
  readonly fingerprint: string;
  /** The exported fields of the documents. */
  readonly documents: ExportedFields;
}

const READER_OPTIONS: KnownOptions<ReaderOptions> = {
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
  readonly encoder: (record: EncoderRecord) => Promise<QuestionModel | undefined>;
}

export class SluiceReader {
  readonly #opened: Opened;
  readonly #asker: Asker<QuestionModel>;
  #closed = false;

  private constructor(opened: Opened, encode: ReaderOptions["encode"]) {
    this.#opened = opened;
    const find = async (record: EncoderRecord) => (await opened.encoder(record)) ?? refuseText(record);
    this.#asker = new Asker(find, encode && encoderOf(encode));
  }

  /**
   * Opens an export by the URL of its folder. Everything that searches need is fetched and checked now. Documents are
   * fetched when they are hits, and the data for filters with the first filter.
   */
  static async open(url: string | URL, options: ReaderOptions = {}): Promise<SluiceReader> {
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
      return new SluiceReader({ snapshot, documents, kernel, about, encoder }, encode);
    } catch (error) {
      site.close();
      device?.close();
      throw error;
    }
  }

  get size(): number {
    return this.#snapshot.size;
  }

  /** How the rows of this index were densified. Queries are densified in the same way. */
  get settings(): Settings {
    return this.#snapshot.settings;
  }

  /** The kernel that computes scores, why it was chosen, and how much GPU memory it uses. */
  get kernel(): KernelInfo {
    return kernelInfo(this.#opened.kernel);
  }

  async search(query: Query, options: SearchOptions = {}): Promise<Answer> {
    return (await this.#searchAll([query], options, "search"))[0];
  }

  /** Searches many queries with the same options. */
  async searchAll(queries: readonly Query[], options: SearchOptions = {}): Promise<Answer[]> {
    return this.#searchAll(queries, options, "searchAll");
  }

  /** Explains the score of a document. `lost` needs the text; it is empty if the text was not exported. */
  async explain(query: Query, id: string, options: { lambda?: number } = {}): Promise<Explanation> {
    checkQuery(query);
    checkExplainOptions(options);
    const { lambda = this.#snapshot.lambda } = options;
    const number = numberOf(this.#snapshot, id);
    const encoded = await this.#asker.encoded(this.#snapshot, query, lambda);
    return explained(this.#snapshot, encoded, number, lambda, await this.document(id));
  }

  /** The document as it was added, without id, weights and vector. */
  async document(id: string): Promise<Fields> {
    return (await this.documents([id]))[0];
  }

  /** Several documents, in the order of their ids. */
  async documents(ids: readonly string[]): Promise<Fields[]> {
    return this.#opened.documents.fields(ids.map((id) => numberOf(this.#snapshot, id)));
  }

  info(): ReaderInfo {
    const { about } = this.#opened;
    return { ...infoOf(this.#snapshot, this.#snapshot.lambda, about.diskBytes), ...about };
  }

  /** Frees everything. Pending calls reject. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#asker.close();
    this.#opened.snapshot.release();
    this.#opened.kernel.device?.close();
  }

  async #searchAll(queries: readonly Query[], options: SearchOptions, what: string): Promise<Answer[]> {
    checkSearchOptions(options, what);
    const { signal, lambda = this.#snapshot.lambda } = options;
    signal?.throwIfAborted();
    const snapshot = this.#snapshot;
    if (options.filter) requireExported(checkFilter(options.filter), this.#opened.about.documents);
    const { device } = this.#opened.kernel;
    const means = { rowBytes: Number.POSITIVE_INFINITY, ...(device && { device }) };
    const turns = new Turns(signal);
    const ranked = await rankAll(snapshot, this.#asker, queries, { ...options, lambda }, means, turns);
    const answers = ranked.map(async ({ docs, ...answer }) => {
      const documents = await this.#opened.documents.fields(docs.map(({ doc }) => doc));
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

function encoderOf(encode: NonNullable<ReaderOptions["encode"]>): QuestionModel {
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
