// Measures the quality that densification costs: BM25 on two BEIR collections, every slicing strategy, the paper's widths.

import { WordPiece } from "../src/analyze/index.ts";
import { tokensPerDoc } from "../src/densify/index.ts";
import { type BuildOptions, type Document, Sluice } from "../src/index.ts";
import {
  evaluate,
  formatTable,
  pairedTTest,
  type Run,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
} from "../src/lab/index.ts";
import { readText } from "../src/support/files/text-file.ts";
import { type Bench, dataPath } from "./support/bench.ts";

const STRATEGIES = ["contiguous", "stride", "random", "hashed", "spread"] as const;
const WIDTHS = [768, 256, 128];

export const slicing: Bench = {
  name: "slicing",
  about:
    "BM25 (k1 0.9, b 0.4) on the test queries of scifact and nfcorpus: tokens per document, nDCG@10 and R@100 for " +
    "every slicing strategy at 768, 256 and 128 dims, compared with a slice for every term. Quality only, no speed. " +
    "† p < 0.05 against full, paired t-test. bytes/doc counts the packed rows.",

  async run(print) {
    for (const name of ["scifact", "nfcorpus"]) {
      const measure = await prepareMeasuring(name);
      const full = await measure({ dims: "full" });
      const pieces = WordPiece.fromVocabulary(
        await readText(dataPath("models", "minilm-l6-v2", "vocab.txt")),
      );
      const wordPieces = await measure({ dims: "full", analyzer: pieces });
      const rows = [
        ["full", ...figures(full)],
        ["full, word pieces", ...figures(wordPieces)],
      ];
      for (const dims of WIDTHS) {
        for (const slicingStrategy of STRATEGIES) {
          rows.push([
            `${slicingStrategy} ${dims}`,
            ...figures(await measure({ dims, slicingStrategy }), full),
          ]);
        }
      }
      print(`\n${formatTable([name, "tokens/doc", "bytes/doc", "nDCG@10", "loss", "R@100", "loss"], rows)}`);
    }
  },
};

interface Measurement {
  readonly tokens: number;
  readonly bytes: number;
  readonly ndcg: number;
  readonly recall: number;
  readonly ndcgs: number[];
  readonly recalls: number[];
}

async function prepareMeasuring(name: string): Promise<(options: BuildOptions) => Promise<Measurement>> {
  const folder = dataPath("collections", name);
  const documents: Document[] = [];
  for await (const document of readBeirCorpus(folder)) documents.push(document);
  const qrels = await readBeirQrels(folder, "test");
  const queries = await readBeirQueries(folder, qrels);
  return async (options) => {
    const index = await Sluice.build(documents, { encoder: "none", ...options });
    const run: Run = new Map();
    for (const { id, text } of queries) run.set(id, (await index.search(text, { k: 100 })).hits);
    const { means, perQuery } = evaluate(run, qrels, ["ndcg@10", "recall@100"], { rule: "stable" });
    const { densifyCounts: counts, rowBytes } = index.info();
    return {
      tokens: tokensPerDoc(counts),
      bytes: rowBytes / counts.docs,
      ndcg: means.get("ndcg@10")!,
      recall: means.get("recall@100")!,
      ndcgs: [...perQuery.get("ndcg@10")!.values()],
      recalls: [...perQuery.get("recall@100")!.values()],
    };
  };
}

function figures(measured: Measurement, full?: Measurement): string[] {
  const loss = (ours: number, theirs: number, a: number[], b: number[]) =>
    `${((100 * (theirs - ours)) / theirs).toFixed(2)} %${pairedTTest(a, b).p < 0.05 ? "†" : " "}`;
  return [
    measured.tokens.toFixed(2),
    measured.bytes.toFixed(0),
    measured.ndcg.toFixed(4),
    full ? loss(measured.ndcg, full.ndcg, measured.ndcgs, full.ndcgs) : "",
    measured.recall.toFixed(4),
    full ? loss(measured.recall, full.recall, measured.recalls, full.recalls) : "",
  ];
}
