// Real learned sparse queries can be loaded, densified at the paper's dims, and reverted to terms.

import { describe, expect, test, vi } from "vitest";
import { WordPiece } from "../src/analyze/index.ts";
import { type Document, Sluice } from "../src/index.ts";
import { readTopics, revertDocument } from "../src/lab/index.ts";
import { readText } from "../src/support/files/text-file.ts";
import { dataPath, noData } from "./helpers/data.ts";

vi.setConfig({ testTimeout: 300_000 }); // indexes a collection

if (noData) console.warn(`topics.test.ts is skipped: ${noData}`);

describe.skipIf(noData)("MS MARCO dev queries", () => {
  test.each(["distill-splade-max", "splade-v3", "unicoil", "deepimpact"])("%s", async (model) => {
    const documents: Document[] = [];
    for await (const topic of readTopics(dataPath("topics", `msmarco-dev.${model}.tsv.gz`)))
      documents.push({ ...topic });
    expect(documents).toHaveLength(6980);
    const pieces = await readText(dataPath("models", "minilm-l6-v2", "vocab.txt"));
    const analyzer = model === "deepimpact" ? {} : { analyzer: WordPiece.fromVocabulary(pieces) };
    let last = Number.POSITIVE_INFINITY;
    for (const dims of [768, 256, 128]) {
      const index = await Sluice.build(documents, {
        lexical: "weights",
        dims,
        slicingStrategy: "stride",
        ...analyzer,
      });
      const { densifyCounts: counts, slicingSettings: slicing } = index.info();
      expect(counts).toMatchObject({ docs: 6980, unknown: 0 });
      // Every term is kept, lost to a collision, or discarded. Fewer slices keep fewer terms.
      expect(counts.kept + counts.collisions + counts.discarded).toBe(counts.terms);
      expect(counts.kept).toBeLessThanOrEqual(last);
      last = counts.kept;
      if (model !== "deepimpact")
        expect(slicing).toMatchObject({ discard: 570, perSlice: (30_522 - 570) / dims });
      for (const { id, weights } of documents.slice(0, 100)) {
        const reverted = revertDocument(index, id);
        expect(reverted.length).toBeGreaterThan(0);
        const given = weights as ReadonlyMap<string, number>;
        for (const { term, weight } of reverted) expect(weight).toBe(given.get(term)); // integers up to 2048 are exact
      }
    }
  });
});
