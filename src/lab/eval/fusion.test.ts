import { describe, expect, test } from "vitest";
import { Sluice } from "../../sluice.ts";
import { fuse, fuseRuns } from "./fuse.ts";
import type { Qrels } from "./judgments.ts";
import { tuneLambda } from "./tune.ts";

describe("two lists in one", () => {
  const first = [
    { id: "a", score: 10 },
    { id: "b", score: 8 },
    { id: "c", score: 6 },
  ];
  const second = [
    { id: "c", score: 0.9 },
    { id: "d", score: 0.5 },
  ];
  const scores = (method: Parameters<typeof fuse>[2]) =>
    fuse(first, second, method).map(({ id, score }) => [id, Number(score.toFixed(6))]);

  test("linear: a document that a list lacks gets the list's lowest score", () => {
    expect(scores({ kind: "linear", alpha: 0.1 })).toEqual([
      ["a", 1.5],
      ["c", 1.5],
      ["b", 1.3],
      ["d", 1.1],
    ]);
  });

  test("min-max: both lists from 0 to 1 first", () => {
    expect(scores({ kind: "min-max", alpha: 1 })).toEqual([
      ["a", 1],
      ["c", 1],
      ["b", 0.5],
      ["d", 0],
    ]);
    expect(fuse([{ id: "x", score: 3 }], [], { kind: "min-max", alpha: 1 })).toEqual([{ id: "x", score: 1 }]);
  });

  test("reciprocal ranks", () => {
    const rounded = (x: number) => Number(x.toFixed(6));
    expect(scores({ kind: "rrf" })).toEqual([
      ["c", rounded(1 / 63 + 1 / 61)],
      ["a", rounded(1 / 61)],
      ["b", rounded(1 / 62)],
      ["d", rounded(1 / 62)],
    ]);
  });

  test("runs are ranked by score, whatever the order of the file", () => {
    const backwards = new Map([["q", [...first].reverse()]]);
    expect(fuseRuns(backwards, new Map(), { kind: "rrf" })).toEqual(
      fuseRuns(new Map([["q", first]]), new Map(), { kind: "rrf" }),
    );
  });

  test("runs keep queries that only one of them has", () => {
    const fused = fuseRuns(new Map([["q1", first]]), new Map([["q2", second]]), { kind: "rrf" }, 2);
    expect([...fused.keys()]).toEqual(["q1", "q2"]);
    expect(fused.get("q1")).toHaveLength(2);
  });
});

describe("tuning λ", () => {
  // The terms favor "wrong" and the vectors favor "right", so more semantic weight is better, up to a point.
  const documents = [
    { id: "right", text: "gate", vector: [1, 0] },
    { id: "wrong", text: "water water", vector: [0, 1] },
    { id: "other", text: "fire", vector: [0.9, 0.1] },
  ];
  const queries = [{ id: "q", query: { text: "water", vector: [1, 0] } }];
  const qrels: Qrels = new Map([["q", new Map([["right", 1]])]]);

  test("finds a weight that puts the relevant document first, and shows the curve", async () => {
    const index = await Sluice.build(documents, { encoder: "none", dims: "full" });
    const { lambda, value, curve } = await tuneLambda(index, queries, qrels);
    expect(value).toBe(1);
    expect(lambda).toBeGreaterThan(0);
    expect(curve[0]).toMatchObject({ lambda: 0 });
    expect(curve[0].value).toBeLessThan(1);
    expect(curve.map((point) => point.lambda)).toEqual(
      curve.map((point) => point.lambda).sort((a, b) => a - b),
    );
    const { hits } = await index.search(queries[0].query, { lambda });
    expect(hits[0].id).toBe("right");
  });

  test("the smallest of equally good weights wins, and only the given weights are tried", async () => {
    const index = await Sluice.build(documents, { encoder: "none", dims: "full" });
    const { lambda, curve } = await tuneLambda(index, queries, qrels, {
      lambdas: [0, 100, 50],
      metric: "mrr@10",
    });
    expect(lambda).toBe(50);
    expect(curve).toHaveLength(3);
  });

  test("a metric gets the depth it needs, self-hits do not count, and no queries is an error", async () => {
    const many = Array.from({ length: 150 }, (_, i) => ({
      id: `${i}`,
      text: "water",
      vector: [1, -i / 1000],
    }));
    const index = await Sluice.build(many, { encoder: "none", dims: "full" });
    const deep: Qrels = new Map([["0", new Map([["149", 1]])]]);
    const asked = [{ id: "0", query: { text: "water", vector: [1, 1] } }];
    expect((await tuneLambda(index, asked, deep, { metric: "recall@150" })).value).toBe(1);
    expect((await tuneLambda(index, asked, deep, { metric: "recall@149", excludeSelf: true })).value).toBe(1);
    await expect(tuneLambda(index, asked, deep, { metric: "recall@10", lambdas: [1] })).rejects.toThrow(
      "0 at every λ",
    );
    await expect(tuneLambda(index, [], deep)).rejects.toThrow("no queries to tune on");
  });

  test("an index without a semantic part has no λ", async () => {
    const index = await Sluice.build([{ id: "a", text: "x" }], { encoder: "none" });
    await expect(tuneLambda(index, [], qrels)).rejects.toThrow("no semantic part");
  });
});
