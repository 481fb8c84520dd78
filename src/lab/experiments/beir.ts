// Tables 8 and 11 of the paper: several systems on several collections, their averages, and the average rank of each.

import type { ReportTable } from "../../report/report.ts";
import { Sluice } from "../../sluice.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { meanOf } from "../eval/evaluate.ts";
import {
  buildHybrid,
  COSTS,
  type Collection,
  chooseLambda,
  type Experiment,
  type ExperimentOptions,
  evaluateRun,
  METRICS,
  type MeasuredRun,
  measure,
  metricCells,
  onlyVectors,
  SIGNIFICANCE,
} from "./experiment.ts";
import { TABLE_8 } from "./paper.ts";

const WIDTHS = [768, 256, 128];

export const beir: Experiment = {
  name: "beir",
  title: "Systems over collections",
  about:
    "BM25, an embedding, and both in one index, on every collection. λ is tuned on the training queries of a " +
    "collection. A collection without training queries gets the geometric mean of the other collections' λ. Runs of " +
    "other systems are shown beside ours if given.",
  needsVectors: true,

  async run(collections, options) {
    const lambdas = await chooseLambdas(collections, options);
    const results = new Map<string, MeasuredRun[]>();
    const add = (measured: MeasuredRun) =>
      results.set(measured.name, [...(results.get(measured.name) ?? []), measured]);
    for (const [i, collection] of collections.entries()) {
      const lambda = lambdas[i];
      options.log?.(`${collection.name}: λ = ${lambda}`);
      add(
        await measure(
          "BM25",
          await Sluice.build(collection.documents, { encoder: "none", dims: "full" }),
          collection,
        ),
      );
      const embedding = await Sluice.build(onlyVectors(collection), { encoder: "none" });
      add(await measure("embedding", embedding, collection, { lambda: 1 }));
      for (const dims of WIDTHS) {
        add(await measure(`DHR ${dims}`, await buildHybrid(collection, { dims }), collection, { lambda }));
      }
    }
    for (const { model, runs } of options.runs ?? []) {
      for (const collection of collections) {
        const run = runs.get(collection.name);
        if (!run) throw new SluiceError(`the model ${model} has no run for ${collection.name}`);
        add({
          name: model,
          ...evaluateRun(run, collection),
          bytes: 0,
          tokens: 0,
          usedDims: 0,
          p50: 0,
          p99: 0,
        });
      }
    }
    const tables = METRICS.map((metric, i) => beirTable(metric, i, collections, results));
    const parameters = collections.map(
      ({ name, training }, i) =>
        `${name} ${lambdas[i]}${training || options.lambda !== undefined ? "" : " (from the others)"}`,
    );
    return {
      tables: [...tables, costsOf(results), TABLE_8],
      notes: [SIGNIFICANCE, `λ: ${parameters.join(", ")}.`],
    };
  },
};

async function chooseLambdas(
  collections: readonly Collection[],
  options: ExperimentOptions,
): Promise<number[]> {
  const tuned: (number | undefined)[] = [];
  for (const collection of collections) {
    const isPossible = options.lambda !== undefined || collection.training !== undefined;
    tuned.push(
      isPossible
        ? await chooseLambda(await buildHybrid(collection, { dims: 768 }), collection, options)
        : undefined,
    );
  }
  if (tuned.every((lambda) => lambda !== undefined)) return tuned;
  const known = tuned.filter((lambda) => lambda !== undefined && lambda > 0) as number[];
  if (known.length === 0) {
    throw new SluiceError("no collection has training queries to tune λ on", "give the option lambda");
  }
  const geometric = Math.exp(meanOf(known.map(Math.log)));
  return tuned.map((lambda) => lambda ?? Number(geometric.toPrecision(3)));
}

function beirTable(
  metric: string,
  column: number,
  collections: readonly Collection[],
  results: ReadonlyMap<string, MeasuredRun[]>,
): ReportTable {
  const [baseline] = results.values();
  const values = new Map(
    [...results].map(([model, list]) => [model, list.map(({ evaluation }) => evaluation.means.get(metric)!)]),
  );
  const rank = (model: string, i: number) =>
    1 + [...values.values()].filter((other) => other[i] > values.get(model)![i]).length;
  return {
    caption: `${metric === "ndcg@10" ? "nDCG@10" : "R@100"}, difference to BM25`,
    header: ["", ...collections.map(({ name }) => name), "average", "average rank"],
    rows: [...results].map(([model, list]) => [
      model,
      ...list.map((measured, i) => metricCells(measured, baseline[i])[column]),
      meanOf(values.get(model)!).toFixed(4),
      meanOf(list.map((_, i) => rank(model, i))).toFixed(2),
    ]),
  };
}

function costsOf(results: ReadonlyMap<string, MeasuredRun[]>): ReportTable {
  return {
    caption: "Costs, average over the collections",
    header: ["", ...COSTS],
    rows: [...results]
      .filter(([, [first]]) => first.bytes > 0)
      .map(([model, list]) => [
        model,
        meanOf(list.map(({ bytes }) => bytes)).toFixed(0),
        meanOf(list.map(({ p50 }) => p50)).toFixed(2),
        meanOf(list.map(({ p99 }) => p99)).toFixed(2),
      ]),
  };
}
