// Any index as a LangChain retriever: what it finds by words, meaning or both, as LangChain's documents.

import type { DocumentInterface } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import type { SearchOptions, Sluice } from "../index.ts";
import { toLangChain } from "./langchain-documents.ts";

export interface SluiceRetrieverOptions
  extends BaseRetrieverInput,
    Pick<SearchOptions, "k" | "filter" | "lambda" | "plan" | "minScore"> {
  /** The index; it stays the caller's, to be closed by it. */
  index: Sluice;
  /** Puts score, lexical and semantic into the metadata of what is found. */
  withScores?: boolean;
}

/** Retrieves from an index that weighs words, or encodes with a model of its own. Its filter is on the index's fields. */
export class SluiceRetriever extends BaseRetriever {
  static override lc_name(): string {
    return "SluiceRetriever";
  }

  lc_namespace = ["sluice", "retrievers"];
  readonly #index: Sluice;
  readonly #options: SearchOptions;
  readonly #withScores: boolean;

  constructor(options: SluiceRetrieverOptions) {
    const { index, k = 4, filter, lambda, plan, minScore, withScores = false, ...fields } = options;
    super(fields);
    this.#index = index;
    this.#withScores = withScores;
    this.#options = {
      k,
      ...(filter && { filter }),
      ...(lambda !== undefined && { lambda }),
      ...(plan && { plan }),
      ...(minScore !== undefined && { minScore }),
    };
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const { hits } = await this.#index.search(query, this.#options);
    return hits.map(({ id, document, score, lexical, semantic }) => {
      const found = toLangChain(id, document);
      if (this.#withScores) Object.assign(found.metadata, { score, lexical, semantic });
      return found;
    });
  }
}
