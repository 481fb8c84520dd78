// Table 6 of the paper, with spread as a fourth slicing strategy, and how many sample documents spread needs.

import type { BuildOptions } from "../../open/open-options.ts";
import { Sluice } from "../../sluice.ts";
import { type Experiment, type MeasuredRun, measure, runsTable, SIGNIFICANCE } from "./experiment.ts";
import { TABLE_6 } from "./paper.ts";

/** Numbers of sample documents to make a spread slicing from. */
const SAMPLES = [50, 100, 250, 500, 1000, 2500];

export const slicing: Experiment = {
  name: "slicing",
  title: "Slicing strategies",
  about:
    "BM25 densified by each strategy at each width, and spread slicing made from a few sample documents.",
  needsVectors: false,

  async run(collections, { log }) {
    const tables = [];
    const series = [];
    for (const collection of collections) {
      const build = (options: BuildOptions) =>
        Sluice.build(collection.documents, { encoder: "none", ...options });
      const full = await measure("full", await build({ dims: "full" }), collection);
      for (const dims of [768, 256, 128]) {
        const runs: MeasuredRun[] = [full];
        for (const strategy of ["contiguous", "stride", "random", "spread"] as const) {
          log?.(`${collection.name}: ${strategy}, ${dims}`);
          runs.push(await measure(strategy, await build({ dims, slicingStrategy: strategy }), collection));
        }
        tables.push(runsTable(`${collection.name}, ${dims} slices`, runs));
      }
      const runs: MeasuredRun[] = [full];
      const sizes = [
        ...SAMPLES.filter((size) => size < collection.documents.length),
        collection.documents.length,
      ];
      for (const size of sizes) {
        log?.(`${collection.name}: spread from ${size} documents`);
        runs.push(
          await measure(`${size} documents`, await build({ dims: 128, spreadSample: size }), collection),
        );
      }
      tables.push(
        runsTable(`${collection.name}, spread at 128 slices, by the documents it was made from`, runs),
      );
      series.push({
        name: collection.name,
        points: sizes.map((x, i) => ({ x, y: runs[i + 1].tokens / full.tokens })),
      });
    }
    return {
      tables: [...tables, TABLE_6],
      plots: [
        {
          caption: "Terms that keep a slot at 128 slices, by the documents that spread slicing was made from",
          x: { label: "sample documents", scale: "log" },
          y: { label: "terms kept", percent: true },
          series,
        },
      ],
      notes: [SIGNIFICANCE],
    };
  },
};
