// Table 4 of the paper: the quality that densification costs, by analyzer and width.

import type { BuildOptions } from "../../open/open-options.ts";
import { Sluice } from "../../sluice.ts";
import { type Experiment, type MeasuredRun, measure, runsTable, SIGNIFICANCE } from "./experiment.ts";
import { TABLE_4 } from "./paper.ts";

export const densifyQuality: Experiment = {
  name: "densify-quality",
  title: "Quality of densified rows",
  about:
    "BM25 over each analyzer with a slice for every term, and densified into rows of 768, 256 and 128 slots.",
  needsVectors: false,

  async run(collections, { wordPieces, log }) {
    const tables = [];
    const plots = [];
    for (const collection of collections) {
      const variants: [string, BuildOptions][] = [["BM25", {}]];
      if (wordPieces) variants.push(["BM25 over word pieces", { analyzer: wordPieces }]);
      for (const [variant, options] of variants) {
        const runs: MeasuredRun[] = [];
        for (const dims of ["full", 768, 256, 128] as const) {
          log?.(`${collection.name}: ${variant}, ${dims}`);
          const index = await Sluice.build(collection.documents, { encoder: "none", ...options, dims });
          runs.push(await measure(dims === "full" ? "full" : `DLR ${dims}`, index, collection));
        }
        tables.push(runsTable(`${collection.name}, ${variant}`, runs));
        plots.push({ variant, name: collection.name, runs });
      }
    }
    return {
      tables: [...tables, TABLE_4],
      plots: [
        {
          caption: "nDCG@10 kept, against bytes per document",
          x: { label: "bytes per document" },
          y: { label: "share of full nDCG@10", percent: true },
          series: plots.map(({ variant, name, runs }) => ({
            name: `${name}, ${variant}`,
            points: runs.map((run) => ({
              x: run.bytes,
              y: run.evaluation.means.get("ndcg@10")! / runs[0].evaluation.means.get("ndcg@10")!,
              label: run.name.replace("DLR ", ""),
            })),
          })),
        },
      ],
      notes: [
        SIGNIFICANCE,
        "Slicing: spread. Values are float16. Rows are packed: empty slots take no bytes.",
      ],
    };
  },
};
