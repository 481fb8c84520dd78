// sluice/langchain: an index → a LangChain.js vector store or retriever. Needs @langchain/core.

export type { GivenDocument } from "./langchain-documents.ts";
export { SluiceRetriever, type SluiceRetrieverOptions } from "./retriever.ts";
export { SluiceVectorStore, type SluiceVectorStoreOptions, type VectorStoreParts } from "./vector-store.ts";
