// A LangChain vector store that searches by words and by meaning, with one score. Needs @langchain/core.
import { Document } from "@langchain/core/documents";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { SluiceVectorStore } from "sluice/langchain";

const documents = [
  new Document({ pageContent: "The Panama canal has locks", metadata: { year: 1914 } }),
  new Document({ pageContent: "The Suez canal has none", metadata: { year: 1869 } }),
  new Document({ pageContent: "The Bauhaus was a school", metadata: { year: 1919 } }),
];
// Use any LangChain embeddings; or undefined, and the index encodes by itself, with `static` or the option { encoder }. With
// { encoder: "none" } it searches by words alone.
const store = await SluiceVectorStore.fromDocuments(documents, new FakeEmbeddings(), {
  location: "./canal-store",
  overwrite: true,
});

for (const [document, score] of await store.similaritySearchWithScore("canal locks", 2)) {
  console.log(score.toFixed(2), document.pageContent);
}
const retriever = store.asRetriever({ k: 3, filter: { year: { lt: 1900 } } });
for (const { pageContent } of await retriever.invoke("canal")) console.log("before 1900:", pageContent);
await store.close();
