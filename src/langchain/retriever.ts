// An index → a LangChain retriever. It searches by words, meaning or both, and returns LangChain documents.

import type { DocumentInterface } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import type { SearchOptions, Sluice } from "../index.ts";
import { toLangChain } from "./langchain-documents.ts";

export interface SluiceRetrieverOptions
  extends BaseRetrieverInput,
    Pick<
      SearchOptions,
      "k" | "plan" | "lambda" | "filter" | "boosts" | "fieldWeights" | "exclude" | "minScore"
    > {
  /** The index. You close it yourself. */
  readonly index: Sluice;
  /** Adds score, lexical, semantic and, if there is one, boost to the metadata of each document. */
  readonly withScores?: boolean | undefined;
}

/** Retrieves from an index that needs no vectors from LangChain. The filter uses the index's own field names. */
export class SluiceRetriever extends BaseRetriever {
  static override lc_name(): string {
    return "SluiceRetriever";
  }

  lc_namespace = ["sluice", "retrievers"];
  readonly #index: Sluice;
  readonly #options: SearchOptions;
  readonly #withScores: boolean;

  constructor(options: SluiceRetrieverOptions) {
    const {
      index,
      k,
      plan,
      lambda,
      filter,
      boosts,
      fieldWeights,
      exclude,
      minScore,
      withScores = false,
      ...fields
    } = options;
    super(fields);
    this.#index = index;
    this.#withScores = withScores;
    this.#options = { k, plan, lambda, filter, boosts, fieldWeights, exclude, minScore };
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const { hits } = await this.#index.search(query, this.#options);
    return hits.map(({ id, document, score, lexical, semantic, boost }) => {
      const found = toLangChain(id, document);
      if (this.#withScores)
        Object.assign(found.metadata, { score, lexical, semantic, ...(boost !== undefined && { boost }) });
      return found;
    });
  }
}
