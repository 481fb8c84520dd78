// The first document of a new index decides about its encoder and its weighting. The rule is the library's, and every way into
// an index follows it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Document, type IndexInfo, Sluice } from "../src/index.ts";
import { SluiceVectorStore } from "../src/langchain/index.ts";
import { serve } from "../src/server/index.ts";
import { commandLine } from "./helpers/command-line.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-first-document-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newPlace = () => join(root, String(count++));

const TEXTS = [
  { id: "gate", text: "A gate that controls the flow of water" },
  { id: "lock", text: "A chamber that raises boats" },
];
const BROUGHT = {
  vector: [{ vector: [1, 0] }, { vector: [0, 1] }],
  weights: [{ weights: { gate: 5 } }, { weights: { lock: 3 } }],
  termFactors: [{ termFactors: { gate: 2 } }, { termFactors: { lock: 2 } }],
  none: [{}, {}],
} as const satisfies Record<string, readonly Omit<Document, "id">[]>;
type Brought = keyof typeof BROUGHT;

const EXPECTED: Record<
  Brought,
  Pick<IndexInfo, "lexical" | "semanticDims"> & { encoder: string | undefined }
> = {
  vector: { encoder: undefined, lexical: "bm25", semanticDims: 2 },
  weights: { encoder: undefined, lexical: "weights", semanticDims: 0 },
  termFactors: { encoder: undefined, lexical: "bm25", semanticDims: 0 },
  none: { encoder: "static", lexical: "bm25", semanticDims: 256 },
};

function withBrought(brought: Brought): Document[] {
  return TEXTS.map((document, i) => ({ ...document, ...BROUGHT[brought][i] }) as Document);
}

/** Each way to add documents → what the index is then. */
const WAYS: Record<string, (documents: readonly Document[]) => Promise<Sluice>> = {
  library: (documents) => Sluice.build(documents),
  "command line": async (documents) => {
    const [file, folder] = [`${newPlace()}.jsonl`, newPlace()];
    writeFileSync(file, documents.map((document) => `${JSON.stringify(document)}\n`).join(""));
    expect(await commandLine(["index", folder, file])).toMatchObject({ status: 0, err: "" });
    return Sluice.open(folder);
  },
  HTTP: async (documents) => {
    const index = await Sluice.open(newPlace());
    const server = await serve({ things: index }, { port: 0, page: false });
    const reply = await fetch(`${server.url}/v1/indexes/things/documents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ documents }),
    });
    expect(await reply.json()).toMatchObject({ added: 2, committed: true });
    await server.close();
    return index;
  },
  // LangChain's documents have vectors, and nothing else that an encoder gives: other keys are metadata.
  LangChain: async (documents) => {
    const store = await SluiceVectorStore.open(undefined, { location: newPlace() });
    const given = documents.map(({ id, text = "", vector: _, ...metadata }) => ({
      id,
      pageContent: text,
      metadata,
    }));
    const vectors = documents.flatMap(({ vector }) => (vector ? [Array.from(vector)] : []));
    if (vectors.length > 0) await store.addVectors(vectors, given);
    else await store.addDocuments(given);
    return store.index;
  },
};

describe.each(Object.keys(WAYS))("%s", (way) => {
  test.each(Object.keys(BROUGHT) as Brought[])("a first document that brings: %s", async (brought) => {
    const index = await WAYS[way](withBrought(brought));
    const isMetadata = way === "LangChain" && brought !== "vector";
    const { encoder, ...info } = EXPECTED[isMetadata ? "none" : brought];
    expect(index.info()).toMatchObject(info);
    expect(index.info().encoder?.name).toBe(encoder);
    expect(index.info().densifyCounts.empty).toBe(0);
    const query = info.lexical === "weights" ? { weights: { gate: 1 } } : "gate";
    expect((await index.search(query)).hits[0]).toMatchObject({ id: "gate" });
    await index.close();
  });
});

describe("weights are never dropped", () => {
  const weighted = withBrought("weights");
  const refusal = {
    message: expect.stringContaining("it brings weights, and this index weights terms by BM25"),
  };

  test.each([
    ["asked for BM25", weighted, { lexical: "bm25" as const }],
    ["asked for a parameter of BM25", weighted, { bm25: { k1: 1.2 } }],
    ["whose first document has none", [TEXTS[0], weighted[1]], { encoder: "none" }],
  ])("an index %s refuses them", async (_, documents, options) => {
    await expect(Sluice.build(documents, options)).rejects.toMatchObject(refusal);
  });

  test("an index of weights refuses a document without", async () => {
    await expect(Sluice.build([weighted[0], TEXTS[1]])).rejects.toThrow('document 2, "lock": no weights');
  });

  test("λ that was set before the first document stays", async () => {
    const index = await Sluice.open(newPlace());
    await index.setLambda(3);
    await expect(index.add([weighted[0], TEXTS[1]])).rejects.toThrow("no weights");
    await index.add(withBrought("vector"));
    await index.commit();
    expect(index.info()).toMatchObject({ lambda: 3, lexical: "bm25", semanticDims: 2 });
    await index.close();
  });
});
