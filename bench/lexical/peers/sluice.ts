// Sluice through its public API: a slot for every term, the exact plan. An index stores the texts of documents in its database, to
// return them with hits. Most peers here do not, so the texts are subtracted from its size. What stays is segments, ids,
// vocabulary, statistics and settings.

import { whitespace } from "../../../src/analyze/index.ts";
import { type Document, Sluice } from "../../../src/index.ts";
import { documentBytes } from "../../support/document-bytes.ts";
import type { Adapter } from "../adapter.ts";
import { type Entries, type Kind, readDocs, textOf } from "../bags.ts";

export const adapter: Adapter = {
  async build({ data, kind, folder }) {
    await save(data, kind, folder);
    return async () => documentBytes(folder);
  },

  async open({ kind, folder }) {
    const index = await Sluice.open(folder, { readOnly: true });
    const { stats } = await index.search("", { k: 1, plan: { kind: "exact" } });
    return {
      note: `kernel ${stats.kernel}`,
      ways: [
        {
          name: "",
          exact: true,
          prepare(bag) {
            const query = kind === "bm25" ? { text: textOf(bag) } : { weights: new Map(bag) };
            return async (k) => {
              const { hits } = await index.search(query, { k, plan: { kind: "exact" } });
              return () => hits.map(({ id }) => Number(id));
            };
          },
        },
      ],
    };
  },
};

async function save(data: string, kind: Kind, folder: string): Promise<void> {
  const options = { dims: "full", lexical: kind, analyzer: whitespace } as const;
  const index = await Sluice.build(readDocuments(data, kind), { encoder: "none", ...options });
  await index.save(folder, { overwrite: true });
  await index.close();
}

async function* readDocuments(data: string, kind: Kind): AsyncGenerator<Document> {
  let number = 0;
  for await (const bag of readDocs(data)) yield { id: String(number++), ...fieldsOf(bag, kind) };
}

function fieldsOf(bag: Entries, kind: Kind): Omit<Document, "id"> {
  return kind === "bm25" ? { text: textOf(bag) } : { weights: new Map(bag) };
}
