// Real collections on a cluster: the same figures as in a folder, by words and by both, with all words and in 768 slots.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";
import { evaluate, readBeirCorpus, readBeirQrels, readBeirQueries } from "../../src/lab/index.ts";
import { readVectors } from "../../src/read/index.ts";
import { dataPath } from "../helpers/data.ts";

const LAMBDA = 20;
const root = mkdtempSync(join(tmpdir(), "sluice-collections-"));

export function testCollections(addressOf: (name: string) => string): void {
  test.each(["scifact", "nfcorpus"])("%s: nDCG@10 and R@100 to four digits", async (name) => {
    const folder = dataPath("collections", name);
    const [ofDocs, ofQueries] = ["docs", "test-queries"].map((what) =>
      dataPath("vectors", "minilm-l6-v2", `${name}.${what}.npy`),
    );
    const vectors = await readVectors(ofDocs);
    const documents = [];
    for await (const document of readBeirCorpus(folder)) documents.push(document);
    const qrels = await readBeirQrels(folder, "test");
    const queries = await readBeirQueries(folder, qrels);
    const queryVectors = await readVectors(ofQueries);
    for (const dims of ["full", 768] as const) {
      const embedded = documents.map((document) => ({ ...document, vector: vectors.get(document.id)! }));
      const index = await Sluice.open(join(root, `${name}-${dims}`), {
        encoder: "none",
        dims,
        analyzer: "english",
      });
      await index.add(embedded);
      await index.commit();
      const address = addressOf(`${name}-${dims}`);
      await index.save(address);
      const cluster = await Sluice.open(address, { readOnly: true });
      for (const lambda of [0, LAMBDA]) {
        const [here, there] = await Promise.all(
          [index, cluster].map(async (index) => {
            const asked = queries.map(({ id, text }) => ({ text, vector: queryVectors.get(id)! }));
            const answers = await index.searchAll(asked, { k: 100, lambda });
            const run = new Map(queries.map(({ id }, i) => [id, answers[i].hits]));
            const { means } = evaluate(run, qrels, ["ndcg@10", "recall@100"], { rule: "stable" });
            return { means: [...means].map(([metric, mean]) => [metric, mean.toFixed(4)]), answers };
          }),
        );
        const proven = there.answers.filter(({ stats }) => stats.exact).length;
        console.log(
          `${name}, dims ${dims}, λ ${lambda}: ${there.means.join(" ")}; ${proven} of ${queries.length} proved`,
        );
        expect(there.means).toEqual(here.means);
        expect(proven).toBeGreaterThan(0.9 * queries.length);
      }
      await cluster.close();
      await index.close();
    }
  });
}
