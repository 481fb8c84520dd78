// An index → a LangChain vector store that also searches by words, with one score. Vectors come from LangChain's embeddings
// or from the index's own encoder: "static", if nothing else is said.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DocumentInterface } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { maximalMarginalRelevance } from "@langchain/core/utils/math";
import { type MaxMarginalRelevanceSearchOptions, VectorStore } from "@langchain/core/vectorstores";
import { type Filter, type Hit, type OpenOptions, type Query, Sluice, SluiceError } from "../index.ts";
import { type GivenDocument, onMetadata, toLangChain, toSluice } from "./langchain-documents.ts";

export interface SluiceVectorStoreOptions extends OpenOptions {
  /** Where the index is: a folder, or the address of a cluster. By default a temporary folder, which `close` removes. */
  readonly location?: string | undefined;
}

/** The parts of a vector store. */
export interface VectorStoreParts {
  readonly index: Sluice;
  /** A temporary folder that `close` removes. */
  readonly temporary?: string;
}

/** A vector store. Scores are lexical + semantic, which includes λ: higher is better, and there is no upper bound. */
export class SluiceVectorStore extends VectorStore {
  declare FilterType: Filter;
  /** The index behind the vector store: use it to tune λ, explain a hit or optimize. */
  readonly index: Sluice;
  readonly #embeds: boolean;
  readonly #temporary: string | undefined;

  /** Wraps an open index. `SluiceVectorStore.open` opens one for you. */
  constructor(embeddings: EmbeddingsInterface | undefined, { index, temporary }: VectorStoreParts) {
    super(embeddings ?? NO_EMBEDDINGS, {});
    this.index = index;
    this.#embeds = embeddings !== undefined;
    this.#temporary = temporary;
  }

  /** Opens the index at a location. A missing index is created with the first documents. */
  static async open(
    embeddings: EmbeddingsInterface | undefined,
    { location, ...options }: SluiceVectorStoreOptions = {},
  ): Promise<SluiceVectorStore> {
    if (embeddings && (options.encoder ?? "none") !== "none")
      throw new SluiceError("a vector store takes embeddings or an encoder, not both", "leave one out");
    const temporary = location === undefined ? await mkdtemp(join(tmpdir(), "sluice-store-")) : undefined;
    try {
      const opened = location ?? join(temporary!, "index");
      const index = await Sluice.open(opened, embeddings ? { ...options, encoder: "none" } : options);
      return new SluiceVectorStore(embeddings, { index, ...(temporary && { temporary }) });
    } catch (error) {
      if (temporary) await rm(temporary, { recursive: true });
      throw error;
    }
  }

  /** Creates a vector store from texts, with one metadata object for each text or one for all. */
  static override async fromTexts(
    texts: readonly string[],
    metadatas: readonly object[] | object,
    embeddings: EmbeddingsInterface | undefined,
    options: SluiceVectorStoreOptions = {},
  ): Promise<SluiceVectorStore> {
    if (Array.isArray(metadatas) && metadatas.length !== texts.length)
      throw new SluiceError(
        `${texts.length} texts and ${metadatas.length} metadata objects, expected the same number`,
      );
    const documents = texts.map((pageContent, i) => ({
      pageContent,
      metadata: { ...(Array.isArray(metadatas) ? metadatas[i] : metadatas) },
    }));
    return SluiceVectorStore.fromDocuments(documents, embeddings, options);
  }

  static override async fromDocuments(
    documents: readonly DocumentInterface[],
    embeddings: EmbeddingsInterface | undefined,
    options: SluiceVectorStoreOptions = {},
  ): Promise<SluiceVectorStore> {
    const store = await SluiceVectorStore.open(embeddings, options);
    try {
      await store.addDocuments(documents);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  override _vectorstoreType(): string {
    return "sluice";
  }

  /**
   * Adds documents, replaces those with the same id, and commits; searches find them when this resolves. Ids are those in
   * `options`, else the documents' own, else new ones.
   */
  override async addDocuments(
    documents: readonly GivenDocument[],
    options?: { readonly ids?: readonly string[] | undefined },
  ): Promise<string[]> {
    const texts = documents.map(({ pageContent }) => pageContent);
    return this.#add(
      documents,
      this.#embeds ? await this.embeddings.embedDocuments(texts) : undefined,
      options,
    );
  }

  override async addVectors(
    vectors: readonly (readonly number[])[],
    documents: readonly GivenDocument[],
    options?: { readonly ids?: readonly string[] | undefined },
  ): Promise<string[]> {
    if (vectors.length !== documents.length)
      throw new SluiceError(
        `${vectors.length} vectors and ${documents.length} documents, expected the same number`,
      );
    return this.#add(documents, vectors, options);
  }

  /** Deletes documents by id. Ids that no document has are ignored. */
  override async delete(params?: { readonly ids: readonly string[] }): Promise<void> {
    if (!Array.isArray(params?.ids)) throw new SluiceError("delete takes { ids: [ … ] }");
    await this.index.delete(params.ids);
    await this.index.commit();
  }

  override async similaritySearch(query: string, k?: number, filter?: Filter): Promise<DocumentInterface[]> {
    return (await this.similaritySearchWithScore(query, k, filter)).map(([document]) => document);
  }

  override async similaritySearchWithScore(
    query: string,
    k?: number,
    filter?: Filter,
  ): Promise<[DocumentInterface, number][]> {
    return withScores(await this.#search(await this.#withVector(query), k, filter));
  }

  /** Searches by the vector only. */
  override async similaritySearchVectorWithScore(
    vector: readonly number[],
    k: number,
    filter?: Filter,
  ): Promise<[DocumentInterface, number][]> {
    return withScores(await this.#search({ vector }, k, filter));
  }

  /** Returns `k` of the `fetchK` best hits, chosen so that their vectors differ. */
  override async maxMarginalRelevanceSearch(
    query: string,
    { k, fetchK = 20, lambda, filter }: MaxMarginalRelevanceSearchOptions<Filter>,
  ): Promise<DocumentInterface[]> {
    if (this.index.docs === 0) return [];
    const [asked] = this.#embeds ? [await this.#withVector(query)] : await this.index.encodeQueries([query]);
    const vector = typeof asked === "string" ? undefined : asked.vector;
    if (!vector) throw new SluiceError("maximal marginal relevance needs vectors, and this index has none");
    const hits = await this.#search(asked, Math.max(k, fetchK), filter);
    const vectors = await Promise.all(hits.map(async ({ id }) => Array.from((await this.index.vector(id))!)));
    const chosen = maximalMarginalRelevance(Array.from(vector), vectors, lambda, k);
    return chosen.map((i) => toLangChain(hits[i].id, hits[i].document));
  }

  /** Closes the index, and removes a temporary folder. */
  async close(): Promise<void> {
    await this.index.close();
    if (this.#temporary) await rm(this.#temporary, { recursive: true, force: true });
  }

  async #add(
    documents: readonly GivenDocument[],
    vectors: readonly (readonly number[])[] | undefined,
    { ids }: { readonly ids?: readonly string[] | undefined } = {},
  ): Promise<string[]> {
    if (ids && ids.length !== documents.length)
      throw new SluiceError(`${ids.length} ids and ${documents.length} documents, expected the same number`);
    const named = documents.map((document, i) => ids?.[i] ?? document.id ?? randomUUID());
    await this.index.upsert(
      documents.map((document, i) => ({
        ...toSluice(document, named[i]),
        ...(vectors && { vector: vectors[i] }),
      })),
    );
    await this.index.commit();
    return named;
  }

  async #withVector(query: string): Promise<Query> {
    return this.#embeds ? { text: query, vector: await this.embeddings.embedQuery(query) } : query;
  }

  async #search(query: Query, k: number | undefined, filter?: Filter): Promise<readonly Hit[]> {
    // An index without documents does not know the width of its vectors yet.
    if (this.index.docs === 0) return [];
    return (await this.index.search(query, { k, ...(filter && { filter: onMetadata(filter) }) })).hits;
  }
}

function withScores(hits: readonly Hit[]): [DocumentInterface, number][] {
  return hits.map(({ id, document, score }) => [toLangChain(id, document), score]);
}

const refuse = async (): Promise<never> => {
  throw new SluiceError("this vector store has no embeddings", "pass embeddings to SluiceVectorStore.open");
};
const NO_EMBEDDINGS: EmbeddingsInterface = { embedQuery: refuse, embedDocuments: refuse };
