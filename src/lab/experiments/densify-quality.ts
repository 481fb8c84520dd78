// Table 4: what densification costs in quality, by lexical model and width.

import { Sluice } from "../../sluice.ts";
import type { BuildOptions } from "../../store/index-options.ts";
import { type Experiment, type Measured, measure, runsTable, SIGNIFICANCE } from "./experiment.ts";
import { TABLE_4 } from "./paper.ts";

export const densifyQuality: Experiment = {
  name: "densify-quality",
  title: "Quality of densified rows",
  about: "Each lexical model with a slice for every term, and densified into rows of 768, 256 and 128 slots.",
  needsVectors: false,

  async run(collections, { wordPieces, log }) {
    const tables = [];
    const plots = [];
    for (const collection of collections) {
      const models: [string, BuildOptions][] = [["BM25", {}]];
      if (wordPieces) models.push(["BM25 over word pieces", { analyzer: wordPieces }]);
      for (const [model, options] of models) {
        const runs: Measured[] = [];
        for (const dims of ["full", 768, 256, 128] as const) {
          log?.(`${collection.name}: ${model}, ${dims}`);
          const index = await Sluice.build(collection.documents, { ...options, dims });
          runs.push(await measure(dims === "full" ? "full" : `DLR ${dims}`, index, collection));
        }
        tables.push(runsTable(`${collection.name}, ${model}`, runs));
        plots.push({ model, name: collection.name, runs });
      }
    }
    return {
      tables: [...tables, TABLE_4],
      plots: [
        {
          caption: "nDCG@10 kept, against bytes per document",
          x: { label: "bytes per document" },
          y: { label: "share of full nDCG@10", percent: true },
          series: plots.map(({ model, name, runs }) => ({
            name: `${name}, ${model}`,
            points: runs.map((run) => ({
              x: run.bytes,
              y: run.evaluation.means.get("ndcg@10")! / runs[0].evaluation.means.get("ndcg@10")!,
              label: run.name.replace("DLR ", ""),
            })),
          })),
        },
      ],
      notes: [SIGNIFICANCE, "Slicing: spread. Values are float16, rows packed: empty slots take no room."],
    };
  },
};
