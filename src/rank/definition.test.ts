import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { golden } from "../../test/helpers/golden.ts";
import { packedRow, rowsOf } from "../../test/helpers/rows.ts";
import { type QueryRow, type Rows, RowsBuilder } from "../densify/rows.ts";
import type { Plan } from "../query/plan/plan.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16, roundToFloat16 } from "../support/numbers/float16.ts";
import { mulberry32 } from "../support/numbers/random.ts";
import { topK } from "../support/numbers/topk.ts";
import { gatedInnerProducts, innerProducts, searchByDefinition } from "./definition.ts";

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

  test("top 5 by GIP and by IP", () => {
    for (const { value, index, top5_gip, top5_ip } of queries) {
      const row = packedRow(value, index);
      expect([...topK(gatedInnerProducts(row, rows), 5)]).toEqual(top5_gip);
      expect([...topK(innerProducts(row, rows), 5)]).toEqual(top5_ip);
    }
  });

  test("two stages: candidates, then exact scores", () => {
    for (const { value, index, approx } of queries) {
      for (const { theta, two_stage } of approx) {
        for (const { K, top3, scores } of two_stage) {
          const plan: Plan = { kind: "pruned", theta, candidates: K };
          const request = { row: packedRow(value, index), lambda: 1, k: 3, plan };
          const { ranked: found, stats } = searchByDefinition(rows, request);
          // A document that shares no cell with the query is not a hit; the golden lists have them at the end.
          const hits = top3.filter((_: number, i: number) => scores[i] !== 0);
          expect(found.map(({ doc }) => doc)).toEqual(hits);
          expect(found.map(({ score }) => score)).toEqual(scores.filter((score: number) => score !== 0));
          expect(stats.scored).toBe(Math.min(K, docs.length));
        }
      }
    }
  });

  test("the semantic part: exact ranking at every λ, in parts that add up", () => {
    const dhr = golden("dhr.json");
    const hybrid = rowsOf(dhr.docs);
    for (const { value, index, cls, runs } of dhr.queries) {
      for (const { lambda, top5 } of runs) {
        const row = packedRow(value, index);
        const vector = Float32Array.from(cls);
        const request = { row, vector, lambda, k: 5, plan: { kind: "exact" } as const };
        const { ranked: found } = searchByDefinition(hybrid, request);
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
    searchByDefinition(rows, { row, lambda: 1, k, plan, ...(excluded && { excluded }) });

  test("k beyond the collection gives every document that matches, and no other", () => {
    const { ranked: docs } = ask(100, { kind: "exact" });
    expect(docs.map(({ doc, score }) => [doc, score])).toEqual([
      [1, 4],
      [3, 4],
      [0, 3],
    ]);
  });

  test("who is left out makes room for the next, in one stage and in two", () => {
    for (const plan of [{ kind: "exact" }, { kind: "inner-product", candidates: 2 }] as const) {
      const { ranked: docs } = ask(2, plan, new Set([1]));
      expect(docs).toHaveLength(plan.kind === "exact" ? 2 : 1); // of two candidates one scores 0
      expect(docs.map(({ doc }) => doc)).not.toContain(1);
    }
  });

  test("the inner product finds other candidates; the final score is GIP all the same", () => {
    const { ranked: docs } = ask(1, { kind: "inner-product", candidates: 1 });
    expect(docs.map(({ doc, score }) => [doc, score])).toEqual([[1, 4]]);
    const unscored = ask(4, { kind: "inner-product", rescore: false });
    expect(unscored.ranked.map(({ doc, score }) => [doc, score])).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [0, 3],
    ]);
    expect(unscored.ranked[1]).toMatchObject({ lexical: 0, semantic: 0 });
  });

  test("a θ above everything selects nothing, and says so", () => {
    const { stats } = ask(1, { kind: "pruned", theta: 5 });
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
  ] as Plan[])("%j is refused", (plan) => {
    expect(() => ask(1, plan)).toThrow(SluiceError);
  });
});

/** On both sides of every lane width, and the widths we ship. */
const DIMS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128, 768];
const DOCS = [0, 1, 3, 17];

for (const dims of DIMS) {
  test(`both products are what their formulas say, at ${dims} dims`, () => {
    for (const docs of DOCS) expectFormulas(dims, docs, dims % 2 === 0 ? 5 : 0);
  });
}

function expectFormulas(dims: number, docs: number, semanticDims: number): void {
  const random = mulberry32(dims * 100 + docs);
  const query = randomQuery(dims, semanticDims, random);
  const rows = randomRows(dims, docs, semanticDims, random);
  const gated = gatedInnerProducts(query, rows);
  const open = innerProducts(query, rows);
  const some = [...Array(docs).keys()].filter((doc) => doc % 2 === 1).reverse();
  for (let doc = 0; doc < docs; doc++) {
    // Float64 sums of at most 900 terms of at most 4: an error of 1e-11 would be a wrong sum.
    expect(gated[doc]).toBeCloseTo(formula(query, rows, doc, true), 10);
    expect(open[doc]).toBeCloseTo(formula(query, rows, doc, false), 10);
  }
  expect([...gatedInnerProducts(query, rows, some)]).toEqual(some.map((doc) => gated[doc]));
}

/** Σ over slices, one by one: even slower and plainer than the definition. */
function formula(query: QueryRow, rows: Rows, doc: number, gated: boolean): number {
  let sum = 0;
  for (let slice = 0; slice < rows.dims; slice++) {
    const q = query.slices.indexOf(slice);
    const d = rows.slices.subarray(rows.starts[doc], rows.starts[doc + 1]).indexOf(slice);
    if (q < 0 || d < 0) continue;
    const at = rows.starts[doc] + d;
    if (gated && query.indices[q] !== rows.indices[at]) continue;
    sum += query.values[q] * FLOAT16[rows.values[at]];
  }
  for (let i = 0; i < rows.semanticDims; i++) {
    sum += query.semantic![i] * FLOAT16[rows.semantic[doc * rows.semanticDims + i]];
  }
  return sum;
}

function randomQuery(dims: number, semanticDims: number, random: () => number): QueryRow {
  const row = randomRow(dims, random);
  return semanticDims > 0 ? { ...row, semantic: randomVector(semanticDims, random) } : row;
}

function randomRows(dims: number, docs: number, semanticDims: number, random: () => number): Rows {
  const builder = new RowsBuilder(dims, 3, semanticDims);
  for (let doc = 0; doc < docs; doc++) {
    builder.add(randomRow(dims, random), semanticDims > 0 ? randomVector(semanticDims, random) : undefined);
  }
  return builder.finish();
}

/** A row with few different indices, so that many agree; with some empty slots, and some negative values. */
function randomRow(dims: number, random: () => number) {
  const slices = [...Array(dims).keys()].filter(() => random() < 0.7);
  return {
    slices: Uint32Array.from(slices),
    indices: Uint16Array.from(slices, () => Math.floor(random() * 3)),
    values: Float32Array.from(slices, () => roundToFloat16(random() * 2.2 - 0.2)),
  };
}

function randomVector(dims: number, random: () => number): Float32Array {
  return Float32Array.from({ length: dims }, () => roundToFloat16(random() * 2 - 1));
}
