import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { golden } from "../../test/golden.ts";
import { packedRow, rowsOf } from "../../test/rows.ts";
import { UsageError } from "../errors.ts";
import type { Plan } from "../query/plan.ts";
import { topK } from "../support/topk.ts";
import { search } from "./definition.ts";
import { scalar } from "./scalar.ts";

test("top k is the head of a full sort, ties to the lower document", () => {
  const score = fc.oneof(fc.constantFrom(-1, 0, 1, 1.5), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), fc.nat(70), fc.nat(3), (list, k, modulus) => {
      const scores = Float64Array.from(list);
      const eligible = (doc: number) => doc % 4 >= modulus;
      const sorted = [...scores.keys()].filter(eligible).sort((a, b) => scores[b] - scores[a] || a - b);
      expect([...topK(scores, k, eligible)]).toEqual(sorted.slice(0, k));
    }),
  );
});

describe("the golden rows", () => {
  const { docs, queries } = golden("gip.json");
  const rows = rowsOf(docs);

  test("top 5 by GIP and by IP", async () => {
    const out = new Float64Array(docs.length);
    for (const { value, index, top5_gip, top5_ip } of queries) {
      await scalar.gip(packedRow(value, index), rows, out);
      expect([...topK(out, 5)]).toEqual(top5_gip);
      await scalar.innerProduct(packedRow(value, index), rows, out);
      expect([...topK(out, 5)]).toEqual(top5_ip);
    }
  });

  test("two stages: candidates, then exact scores", async () => {
    for (const { value, index, approx } of queries) {
      for (const { theta, two_stage } of approx) {
        for (const { K, top3, scores } of two_stage) {
          const plan: Plan = { kind: "pruned", theta, candidates: K };
          const request = { row: packedRow(value, index), lambda: 1, k: 3, plan };
          const { docs: found, stats } = await search(rows, request);
          // A document that shares no cell with the query is no hit; the golden lists fill up with them.
          const hits = top3.filter((_: number, i: number) => scores[i] !== 0);
          expect(found.map(({ doc }) => doc)).toEqual(hits);
          expect(found.map(({ score }) => score)).toEqual(scores.filter((score: number) => score !== 0));
          expect(stats.scored).toBe(Math.min(K, docs.length));
        }
      }
    }
  });

  test("the semantic part: exact ranking at every λ, in parts that add up", async () => {
    const dhr = golden("dhr.json");
    const hybrid = rowsOf(dhr.docs);
    for (const { value, index, cls, runs } of dhr.queries) {
      for (const { lambda, top5 } of runs) {
        const row = packedRow(value, index);
        const vector = Float32Array.from(cls);
        const request = { row, vector, lambda, k: 5, plan: { kind: "exact" } as const };
        const { docs: found } = await search(hybrid, request);
        if (lambda > 0) expect(found.map(({ doc }) => doc)).toEqual(top5);
        for (const { score, lexical, semantic } of found) expect(lexical + semantic).toBe(score);
      }
    }
  });
});

describe("a small collection", () => {
  const rows = rowsOf([
    { value: [1, 0, 2], index: [1, 0, 1] },
    { value: [3, 1, 0], index: [1, 2, 0] },
    { value: [0, 4, 0], index: [0, 1, 0] },
    { value: [3, 1, 0], index: [1, 2, 0] },
  ]);
  const row = packedRow([1, 1, 1], [1, 2, 1]);
  const ask = (k: number, plan: Plan, excluded?: Set<number>) =>
    search(rows, { row, lambda: 1, k, plan, ...(excluded && { excluded }) });

  test("k beyond the collection gives every document that matches, and no other", async () => {
    const { docs } = await ask(100, { kind: "exact" });
    expect(docs.map(({ doc, score }) => [doc, score])).toEqual([
      [1, 4],
      [3, 4],
      [0, 3],
    ]);
  });

  test("who is left out makes room for the next, in one stage and in two", async () => {
    for (const plan of [{ kind: "exact" }, { kind: "inner-product", candidates: 2 }] as const) {
      const { docs } = await ask(2, plan, new Set([1]));
      expect(docs).toHaveLength(plan.kind === "exact" ? 2 : 1); // of two candidates one scores 0
      expect(docs.map(({ doc }) => doc)).not.toContain(1);
    }
  });

  test("the inner product finds other candidates; the final score is GIP all the same", async () => {
    const { docs } = await ask(1, { kind: "inner-product", candidates: 1 });
    expect(docs.map(({ doc, score }) => [doc, score])).toEqual([[1, 4]]);
    const unscored = await ask(4, { kind: "inner-product", rescore: false });
    expect(unscored.docs.map(({ doc, score }) => [doc, score])).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [0, 3],
    ]);
    expect(unscored.docs[1]).toMatchObject({ lexical: 0, semantic: 0 });
  });

  test("a θ above everything selects nothing, and says so", async () => {
    const { stats } = await ask(1, { kind: "pruned", theta: 5 });
    expect(stats).toMatchObject({ usedDims: 0, queryDims: 3 });
  });

  test.each([
    { kind: "pruned" },
    { kind: "pruned", theta: 1, mass: 0.5 },
    { kind: "pruned", theta: -1 },
    { kind: "pruned", theta: Number.NaN },
    { kind: "pruned", mass: 0 },
    { kind: "pruned", mass: 1.1 },
    { kind: "pruned", theta: 1, candidates: 0 },
    { kind: "inner-product", candidates: 1.5 },
    { kind: "prunned", theta: 1 },
  ] as Plan[])("%j is refused", async (plan) => {
    await expect(ask(1, plan)).rejects.toThrow(UsageError);
  });
});
