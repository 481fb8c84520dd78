// Sluice through its public API, with rows of a given width, or "full": a slot for every term, so nothing is lost.

import { whitespace } from "../../../src/analyze/index.ts";
import { type Document, type OpenOptions, type SearchOptions, Sluice } from "../../../src/index.ts";
import { documentBytes } from "../../support/document-bytes.ts";
import { measureFolderBytes } from "../../support/folder-bytes.ts";
import type { Corpus, EmbeddedQuery } from "../contract/dataset.ts";
import type { Adapter, Way } from "../contract/engine.ts";

export function sluice(dims: number | "full"): Adapter {
  return {
    async build(corpus, { folder }) {
      await buildIn(folder, readDocuments(corpus), { analyzer: whitespace, dims, lambda: corpus.lambda });
    },

    async open({ lambda }, { folder }) {
      const index = await Sluice.open(folder, { encoder: "none" });
      const ask = async (query: Partial<EmbeddedQuery>, options: SearchOptions) =>
        (await index.search(query, options)).hits.map(({ id }) => Number(id));
      const hybrid: Way[] = [
        {
          kind: "hybrid",
          name: "plan exact",
          exact: true,
          forms: { sum: (query, k) => ask(query, { k, lambda, plan: { kind: "exact" } }) },
        },
        {
          kind: "hybrid",
          name: "default plan",
          exact: false,
          forms: { sum: (query, k) => ask(query, { k, lambda }) },
        },
      ];
      if (dims !== "full") return { ways: hybrid, close: () => index.close() };
      return {
        ways: [
          {
            kind: "lexical",
            name: "",
            exact: true,
            forms: { bm25: ({ text }, k) => ask({ text }, { k, lambda: 0 }) },
          },
          {
            kind: "dense",
            name: "plan exact",
            exact: true,
            forms: { ip: ({ vector }, k) => ask({ vector }, { k, lambda, plan: { kind: "exact" } }) },
          },
          {
            kind: "dense",
            name: "default plan",
            exact: false,
            forms: { ip: ({ vector }, k) => ask({ vector }, { k, lambda }) },
          },
          ...hybrid,
        ],
        close: () => index.close(),
      };
    },

    async sizes(corpus, { folder }) {
      const lexical = async function* () {
        for await (const { vector: _, ...document } of readDocuments(corpus)) yield document;
      };
      await buildIn(folder, lexical(), { analyzer: whitespace, dims });
      const bytes = await measureFolderBytes(folder);
      const stored = documentBytes(folder);
      return { "BM25, full": bytes - stored, "BM25, full, with documents": bytes };
    },
  };
}

/** Builds an index of the documents in a folder. */
async function buildIn(
  folder: string,
  readDocuments: AsyncIterable<Document>,
  options: OpenOptions,
): Promise<void> {
  const index = await Sluice.open(folder, { encoder: "none", ...options });
  await index.add(readDocuments);
  await index.commit();
  await index.close();
}

async function* readDocuments(corpus: Corpus): AsyncGenerator<Document> {
  for await (const { id, text, year, cat, vector } of corpus.passages()) {
    yield { id: String(id), text, year, cat, vector };
  }
}
