// sluice/langchain: an index → a LangChain.js vector store or retriever. Needs @langchain/core.

export type { GivenDocument } from "./langchain-documents.ts";
export { SluiceRetriever, type SluiceRetrieverOptions } from "./retriever.ts";
export { type SluiceStoreOptions, SluiceVectorStore, type StoreParts } from "./store.ts";
