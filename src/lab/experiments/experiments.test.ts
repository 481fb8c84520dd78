// Runs every experiment on a small collection and checks its report.

import { beforeAll, describe, expect, test } from "vitest";
import { english } from "../../analyze/analyzers/english.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { EXPERIMENTS, runExperiment } from "./all.ts";
import type { Collection } from "./experiment.ts";

const MADE = { command: "a test", date: "2026-01-01", machine: "any" };

/** Twelve topics, each with its own words and its own direction. A query is seven words of one topic. */
function collection(docs: number): Collection {
  const random = mulberry32(11);
  const word = (topic: number) => `t${topic}w${Math.floor(random() ** 2 * 30)}`;
  const vector = (topic: number) =>
    Float32Array.from({ length: 16 }, (_, i) => (i === topic ? 1 : 0) + (random() - 0.5) * 0.8);
  const documents = Array.from({ length: docs }, (_, i) => ({
    id: `d${i}`,
    text: Array.from({ length: 25 }, () =>
      random() < 0.7 ? word(i % 12) : word(Math.floor(random() * 12)),
    ).join(" "),
  }));
  const judged = (prefix: string, count: number) => {
    const queries = Array.from({ length: count }, (_, i) => ({
      id: `${prefix}${i}`,
      text: Array.from({ length: 7 }, () => word(i % 12)).join(" "),
    }));
    const qrels = new Map(
      queries.map(({ id }, i) => [
        id,
        new Map(documents.filter((_, d) => d % 12 === i % 12).map((document) => [document.id, 1])),
      ]),
    );
    return { queries, qrels };
  };
  const [test, training] = [judged("q", 24), judged("t", 12)];
  const topicOf = (id: string) => Number(id.slice(1)) % 12;
  const embed = (ids: readonly string[]) => new Map(ids.map((id) => [id, vector(topicOf(id))]));
  return {
    name: "toy",
    documents,
    ...test,
    training,
    vectors: {
      documents: embed(documents.map(({ id }) => id)),
      queries: embed([...test.queries, ...training.queries].map(({ id }) => id)),
    },
  };
}

describe("experiments", () => {
  let toy: Collection;
  beforeAll(() => {
    toy = collection(240);
  });

  test.each(EXPERIMENTS.map(({ name }) => name))("%s runs and fills its tables", async (name) => {
    const report = await runExperiment(name, [toy], { wordPieces: english }, MADE);
    expect(report).toMatchObject({ name, made: MADE });
    expect(report.tables.length).toBeGreaterThan(0);
    for (const { header, rows, caption } of report.tables) {
      expect(rows.length, caption).toBeGreaterThan(0);
      for (const row of rows) {
        expect(row.length, caption).toBe(header.length);
        expect(row.join(" "), caption).not.toMatch(/NaN|undefined|Infinity/);
      }
    }
    for (const { series } of report.plots) {
      for (const { points } of series)
        for (const { x, y } of points) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
    }
  });

  test("the hybrid index is as good as either part alone, within 0.02", async () => {
    const { tables } = await runExperiment("fusion", [toy], {}, MADE);
    const ndcg = (name: string) => Number(tables[0].rows.find(([row]) => row === name)![2].split(" ")[0]);
    expect(ndcg("DHR full")).toBeGreaterThanOrEqual(
      Math.max(ndcg("BM25 alone"), ndcg("embedding alone")) - 0.02,
    );
  });

  test("an unknown name, missing vectors and missing training queries are errors", async () => {
    await expect(runExperiment("nothing", [toy], {}, MADE)).rejects.toThrow('no experiment "nothing"');
    const { vectors: _, ...bare } = toy;
    await expect(runExperiment("fusion", [bare], {}, MADE)).rejects.toThrow("needs vectors of toy");
    const { training: __, ...untrained } = toy;
    await expect(runExperiment("fusion", [untrained], {}, MADE)).rejects.toThrow("no training queries");
    expect((await runExperiment("fusion", [untrained], { lambda: 2 }, MADE)).tables.length).toBeGreaterThan(
      0,
    );
  });
});
