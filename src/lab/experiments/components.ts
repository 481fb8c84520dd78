// Table 9 of the paper: what each part of a hybrid row contributes. Table 10: how wide the semantic part must be.

import type { ReportTable } from "../../report/report.ts";
import { findPrincipalDirections, project } from "../../segment/semantic/principal.ts";
import {
  buildHybrid,
  type Collection,
  chooseLambda,
  type Experiment,
  type MeasuredRun,
  measure,
  runsTable,
  SIGNIFICANCE,
} from "./experiment.ts";
import { TABLE_9, TABLE_10 } from "./paper.ts";

export const scoreComponents: Experiment = {
  name: "components",
  title: "What each part contributes",
  about:
    "Rows of 768 slots and an embedding, ranked by both parts, by the lexical part and by the semantic part.",
  needsVectors: true,

  async run(collections, options) {
    const tables: ReportTable[] = [];
    for (const collection of collections) {
      const index = await buildHybrid(collection, { dims: 768 });
      const lambda = await chooseLambda(index, collection, options);
      const semantic = await buildHybrid(
        { ...collection, documents: collection.documents.map(({ id }) => ({ id })) },
        { dims: 768 },
      );
      const runs = [
        await measure(`both, λ = ${lambda}`, index, collection, { lambda }),
        await measure("lexical part only", index, collection, { lambda: 0 }),
        await measure("semantic part only", semantic, collection, { lambda: 1 }),
      ];
      tables.push(runsTable(collection.name, runs));
    }
    return { tables: [...tables, TABLE_9], notes: [SIGNIFICANCE] };
  },
};

const WIDTHS = [0, 32, 64, 128, 256];

export const clsWidth: Experiment = {
  name: "cls-width",
  title: "Width of the semantic part",
  about:
    "Rows of 768 slots and an embedding that is projected onto the first principal directions of the documents. The " +
    "paper trains a projection for each width; this experiment trains nothing.",
  needsVectors: true,

  async run(collections, options) {
    const tables: ReportTable[] = [];
    const series = [];
    for (const collection of collections) {
      const whole = await buildHybrid(collection, { dims: 768 });
      const lambda = await chooseLambda(whole, collection, options);
      const dims = whole.info().semanticDims;
      const runs: (MeasuredRun & { width: number })[] = [
        { width: dims, ...(await measure(`${dims}, as it is`, whole, collection, { lambda })) },
      ];
      for (const width of WIDTHS.filter((width) => width < dims)) {
        options.log?.(`${collection.name}: ${width} semantic dims`);
        const cut = width === 0 ? { ...collection } : cutTo(collection, width);
        const index = width === 0 ? whole : await buildHybrid(cut, { dims: 768 });
        runs.push({
          width,
          ...(await measure(String(width), index, cut, { lambda: width === 0 ? 0 : lambda })),
        });
      }
      tables.push(runsTable(`${collection.name}, λ = ${lambda}`, runs));
      const sorted = [...runs].sort((a, b) => a.width - b.width);
      series.push({
        name: collection.name,
        points: sorted.map(({ width, evaluation }) => ({ x: width, y: evaluation.means.get("ndcg@10")! })),
      });
    }
    return {
      tables: [...tables, TABLE_10],
      plots: [
        {
          caption: "nDCG@10 by the width of the semantic part",
          x: { label: "semantic dims" },
          y: { label: "nDCG@10" },
          series,
        },
      ],
      notes: [SIGNIFICANCE, "Width 0 ignores the semantic part, but its bytes still include it."],
    };
  },
};

function cutTo(collection: Collection, width: number): Collection {
  const { documents, queries } = collection.vectors!;
  const directions = findPrincipalDirections([...documents.values()], width);
  const cut = (vectors: Map<string, Float32Array>) =>
    new Map(Array.from(vectors, ([id, vector]) => [id, project(vector, directions)]));
  return { ...collection, vectors: { documents: cut(documents), queries: cut(queries) } };
}
