// Tables 8 and 11: models over collections, averages, and the average rank of each model.

import { Sluice } from "../../sluice.ts";
import type { Evaluation } from "../evaluate.ts";
import {
  buildHybrid,
  type Collection,
  type Experiment,
  type ExperimentOptions,
  lambdaFor,
  METRICS,
  measure,
  onlyVectors,
} from "./experiment.ts";
import { TABLE_8 } from "./paper.ts";

const WIDTHS = [768, 256, 128];

export const beir: Experiment = {
  name: "beir",
  title: "Models over collections",
  about:
    "BM25, an embedding, and both in one index, on every collection. λ comes from the training queries of a collection; " +
    "where it has none, it is the geometric mean of the others' λ.",
  needsVectors: true,

  async run(collections, options) {
    const lambdas = await lambdasFor(collections, options);
    const results = new Map<string, Evaluation[]>();
    const add = (model: string, { evaluation }: { evaluation: Evaluation }) =>
      results.set(model, [...(results.get(model) ?? []), evaluation]);
    for (const [i, collection] of collections.entries()) {
      options.log?.(`${collection.name}: λ = ${lambdas[i]}`);
      add("BM25", await measure("", await Sluice.build(collection.documents, { dims: "full" }), collection));
      add(
        "embedding",
        await measure("", await Sluice.build(onlyVectors(collection)), collection, { lambda: 1 }),
      );
      for (const dims of WIDTHS) {
        add(
          `DHR ${dims}`,
          await measure("", await buildHybrid(collection, { dims }), collection, { lambda: lambdas[i] }),
        );
      }
    }
    const tables = METRICS.map((metric) => tableOf(metric, collections, results));
    const parameters = collections.map(
      ({ name, training }, i) => `${name} ${lambdas[i]}${training ? "" : " (from the others)"}`,
    );
    return { tables: [...tables, TABLE_8], notes: [`λ: ${parameters.join(", ")}.`] };
  },
};

async function lambdasFor(collections: readonly Collection[], options: ExperimentOptions): Promise<number[]> {
  const tuned: (number | undefined)[] = [];
  for (const collection of collections) {
    const possible = options.lambda !== undefined || collection.training !== undefined;
    tuned.push(
      possible
        ? await lambdaFor(await buildHybrid(collection, { dims: 768 }), collection, options)
        : undefined,
    );
  }
  const known = tuned.filter((lambda) => lambda !== undefined && lambda > 0) as number[];
  const mean = Math.exp(known.reduce((sum, lambda) => sum + Math.log(lambda), 0) / Math.max(1, known.length));
  return tuned.map((lambda) => lambda ?? Number(mean.toPrecision(3)));
}

function tableOf(
  metric: string,
  collections: readonly Collection[],
  results: ReadonlyMap<string, Evaluation[]>,
) {
  const values = new Map(
    [...results].map(([model, list]) => [model, list.map((each) => each.means.get(metric)!)]),
  );
  const rank = (model: string, i: number) =>
    1 + [...values.values()].filter((other) => other[i] > values.get(model)![i]).length;
  const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;
  return {
    caption: metric === "ndcg@10" ? "nDCG@10" : "R@100",
    header: ["", ...collections.map(({ name }) => name), "average", "average rank"],
    rows: [...values].map(([model, list]) => [
      model,
      ...list.map((value) => value.toFixed(4)),
      mean(list).toFixed(4),
      mean(list.map((_, i) => rank(model, i))).toFixed(2),
    ]),
  };
}
