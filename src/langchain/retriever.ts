// An index → a LangChain retriever. It searches by words, meaning or both, and returns LangChain documents.

import type { DocumentInterface } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import type { Searchable, SearchOptions } from "../index.ts";
import { toLangChain } from "./langchain-documents.ts";

export interface SluiceRetrieverOptions extends BaseRetrieverInput, SearchOptions {
  /** The index: a `Sluice`, or a page's reader. You close it yourself. */
  readonly index: Searchable;
  /** Adds score, lexical, semantic and, if there are any, boost and rerank to the metadata of each document. */
  readonly withScores?: boolean | undefined;
}

/** Retrieves from an index that needs no vectors from LangChain. The filter uses the index's own field names. */
export class SluiceRetriever extends BaseRetriever {
  static override lc_name(): string {
    return "SluiceRetriever";
  }

  lc_namespace = ["sluice", "retrievers"];
  readonly #index: Searchable;
  readonly #options: SearchOptions;
  readonly #withScores: boolean;

  constructor(options: SluiceRetrieverOptions) {
    const { callbacks, tags, metadata, verbose, index, withScores = false, ...search } = options;
    super({ callbacks, tags, metadata, verbose });
    this.#index = index;
    this.#withScores = withScores;
    const { exclude } = search;
    // Every call searches with the same ids, and some lists can be read only once.
    const isList = typeof exclude === "object" && exclude !== null && Symbol.iterator in exclude;
    this.#options = isList ? { ...search, exclude: [...exclude] } : search;
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const { hits } = await this.#index.search(query, this.#options);
    return hits.map(({ id, document, score, lexical, semantic, boost, rerank, snippets, highlights }) => {
      const found = toLangChain(id, document);
      if (this.#withScores)
        Object.assign(found.metadata, {
          score,
          lexical,
          semantic,
          ...(boost !== undefined && { boost }),
          ...(rerank && { rerank }),
        });
      if (snippets) Object.assign(found.metadata, { snippets });
      if (highlights) Object.assign(found.metadata, { highlights });
      return found;
    });
  }
}
