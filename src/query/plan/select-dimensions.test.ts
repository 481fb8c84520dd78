import { expect, test } from "vitest";
import { golden } from "../../../test/helpers/golden.ts";
import { packedRow, rowsOf } from "../../../test/helpers/rows.ts";
import { gatedInnerProducts, innerProducts } from "../../rank/definition.ts";
import { topK } from "../../support/numbers/topk.ts";
import { applyLambda, type Selection, selectDimensions } from "./select-dimensions.ts";

test("GIP, IP and restricted GIP of the golden rows", () => {
  const { docs, queries } = golden("gip.json");
  const rows = rowsOf(docs);
  for (const { value, index, gip, gip_f32, ip, approx } of queries) {
    const row = packedRow(value, index);
    const out = gatedInnerProducts(row, rows);
    expect([...out]).toEqual(gip);
    expect(Array.from(out, Math.fround)).toEqual(gip_f32);
    expect([...innerProducts(row, rows)]).toEqual(ip);
    for (const { theta, dims, partial, two_stage } of approx) {
      const selected = selectDimensions(row, undefined, 1, { theta });
      expect([...selected.query.slices]).toEqual(dims);
      expect(selected.lexicalDims).toBe(dims.length);
      const selectedScores = gatedInnerProducts(selected.query, rows);
      expect([...selectedScores]).toEqual(partial);
      for (const { K, candidates } of two_stage) expect([...topK(selectedScores, K)]).toEqual(candidates);
    }
  }
});

test("the golden rows with a semantic part, at every λ, selected on √λ on both sides", () => {
  const { docs, queries } = golden("dhr.json");
  const rows = rowsOf(docs);
  for (const { value, index, cls, runs } of queries) {
    const row = packedRow(value, index);
    const vector = Float32Array.from(cls);
    for (const { lambda, exact, approx } of runs) {
      expectClose(gatedInnerProducts(applyLambda(row, vector, lambda), rows), exact);
      for (const { theta, convention, dims, partial, top5 } of approx) {
        // The reference multiplies only the query by λ, and selects on that: so λ is 1 here, and in the vector.
        const { query } =
          convention === "sqrt_both"
            ? selectDimensions(row, vector, lambda, { theta })
            : selectDimensions(
                row,
                vector.map((x) => x * lambda),
                1,
                { theta },
              );
        const width = value.length;
        const semantic = [...(query.semantic ?? [])].flatMap((x, i) => (x === 0 ? [] : [width + i]));
        const wanted = dims.filter((dim: number) =>
          dim < width ? value[dim] !== 0 : lambda > 0 && cls[dim - width] !== 0,
        );
        expect([...query.slices, ...semantic]).toEqual(wanted);
        const out = gatedInnerProducts(query, rows);
        expectClose(out, partial);
        expect([...topK(out, 5)]).toEqual(top5);
      }
    }
  }
});

test("mass takes the fewest heaviest dimensions, and all of equal weight", () => {
  const row = packedRow([4, 3, 2, 1, 1], [0, 0, 0, 0, 0]);
  const kept = (mass: number) => [...selectDimensions(row, undefined, 1, { mass }).query.slices];
  expect(kept(0.36)).toEqual([0]);
  expect(kept(0.5)).toEqual([0, 1]);
  expect(kept(0.8)).toEqual([0, 1, 2]);
  expect(kept(0.85)).toEqual([0, 1, 2, 3, 4]);
  expect(kept(1)).toEqual([0, 1, 2, 3, 4]);
});

test("θ is strict and sees signed values; magnitude and all do not", () => {
  const row = packedRow([0.5, 1], [0, 0]);
  const vector = Float32Array.of(2, -2, 0.25);
  const kept = (selection: Selection, how?: "positive" | "magnitude" | "all") => {
    const { query, lexicalDims, semanticDims } = selectDimensions(row, vector, 0.25, selection, how);
    return { lexicalDims, semanticDims, semantic: [...query.semantic!] };
  };
  // √λ = ½: the semantic dimensions weigh 1, −1 and 0.125.
  expect(kept({ theta: 0.5 })).toEqual({ lexicalDims: 1, semanticDims: 1, semantic: [0.5, 0, 0] });
  expect(kept({ theta: 0.5 }, "magnitude")).toEqual({
    lexicalDims: 1,
    semanticDims: 2,
    semantic: [0.5, -0.5, 0],
  });
  expect(kept({ theta: 0.5 }, "all").semantic).toEqual([0.5, -0.5, 0.0625]);
  expect(kept({ theta: 0 })).toEqual({ lexicalDims: 2, semanticDims: 3, semantic: [0.5, -0.5, 0.0625] });
});

test("λ = 0 leaves the semantic part out", () => {
  const row = packedRow([1], [0]);
  expect(applyLambda(row, Float32Array.of(1), 0).semantic).toBeUndefined();
  expect(selectDimensions(row, Float32Array.of(1), 0, { theta: 0.1 }).query.semantic).toBeUndefined();
});

function expectClose(actual: Float64Array, expected: number[]): void {
  expected.forEach((x, i) => {
    expect(actual[i]).toBeCloseTo(x, 9);
  });
}
