// Measures what densification keeps of real learned sparse queries: MS MARCO dev, four encoders, three widths.

import { WordPiece } from "../src/analyze/index.ts";
import { type Document, Sluice } from "../src/index.ts";
import { formatTable, readTopics, revertDocument } from "../src/lab/index.ts";
import { readText } from "../src/support/files/text-file.ts";
import { type Bench, dataPath } from "./support/bench.ts";

const ENCODERS = {
  "SPLADE-max, distilled": "distill-splade-max",
  "SPLADE-v3": "splade-v3",
  uniCOIL: "unicoil",
  DeepImpact: "deepimpact",
};

export const topics: Bench = {
  name: "topics",
  about:
    "6,980 MS MARCO dev queries with the weights of four learned sparse encoders, densified by stride slicing: distinct " +
    "terms per query, slots filled, collisions per query, and the share of the weight that is kept. The terms are word " +
    "pieces, except for DeepImpact: its corpus is not available, so its vocabulary is taken from the queries.",

  async run(print) {
    const vocabulary = await readText(dataPath("models", "minilm-l6-v2", "vocab.txt"));
    const rows: string[][] = [];
    for (const [name, file] of Object.entries(ENCODERS)) {
      const queries: (Document & { weights: ReadonlyMap<string, number> })[] = [];
      for await (const topic of readTopics(dataPath("topics", `msmarco-dev.${file}.tsv.gz`)))
        queries.push({ ...topic });
      const analyzer = file === "deepimpact" ? {} : { analyzer: WordPiece.fromVocabulary(vocabulary) };
      for (const dims of [768, 256, 128]) {
        const index = await Sluice.build(queries, {
          lexical: "weights",
          dims,
          slicingStrategy: "stride",
          ...analyzer,
        });
        const { densifyCounts: counts, slicingSettings: slicing } = index.info();
        let [given, kept] = [0, 0];
        for (const { id, weights } of queries) {
          for (const weight of weights.values()) given += weight;
          for (const { weight } of revertDocument(index, id)) kept += weight;
        }
        const perQuery = (count: number) => (count / counts.docs).toFixed(2);
        rows.push([
          `${name} ${dims}`,
          slicing.perSlice.toString(),
          perQuery(counts.terms),
          perQuery(counts.kept),
          perQuery(counts.collisions),
          counts.discarded.toString(),
          `${((100 * kept) / given).toFixed(2)} %`,
        ]);
      }
    }
    print(
      `\n${formatTable(["queries", "N", "terms", "kept", "collisions", "discarded", "weight kept"], rows)}`,
    );
  },
};
