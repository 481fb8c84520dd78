// sluice/langchain: an index as a LangChain.js vector store, or as a retriever. Needs @langchain/core.

export type { GivenDocument } from "./langchain-documents.ts";
export { SluiceRetriever, type SluiceRetrieverOptions } from "./retriever.ts";
export { type SluiceStoreOptions, SluiceVectorStore, type StoreParts } from "./store.ts";
