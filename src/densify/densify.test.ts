import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { golden } from "../../test/helpers/golden.ts";
import { written } from "../../test/helpers/rows.ts";
import { gatedInnerProducts } from "../rank/definition.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { roundToFloat16, toFloat16 } from "../support/numbers/float16.ts";
import { Densifier, densifyDense } from "./densify.ts";
import { revert } from "./revert.ts";
import { RowsBuilder } from "./rows.ts";
import { Slicing, type Strategy } from "./slicing.ts";
import { Vocabulary } from "./vocabulary.ts";

const { M, discard, vocab, permutation, vectors } = golden("densify.json");
const numbered = (size: number) => new Vocabulary(Array.from({ length: size }, (_, id) => `t${id}`));

function goldenSlicing(strategy: Strategy): Slicing {
  const table = strategy === "random" ? { table: Uint32Array.from(permutation) } : {};
  return new Slicing(numbered(vocab), { strategy, dims: M, discard, ...table });
}

describe.each(["contiguous", "stride", "random"] as const)("golden, %s", (strategy) => {
  test("sparse vectors: values, bits, indices, counts, and back", () => {
    const slicing = goldenSlicing(strategy);
    const densifier = new Densifier(slicing);
    for (const { entries, [strategy]: expected } of vectors) {
      const ids = entries.map(([id]: number[]) => id);
      const weights = entries.map(([, weight]: number[]) => weight);
      const { row, collisions, discarded } = densifier.densify({ ids, weights });
      const { value, index } = written(row, M);
      expect(value).toEqual(expected.value);
      expect(value.map(toFloat16)).toEqual(expected.value_bits);
      expect(index).toEqual(expected.index);
      // Of two equal weights the reference keeps the term that comes first. We may differ only there.
      expected.index_first_seen.forEach((first: number, slice: number) => {
        if (first === index[slice]) return;
        const rivals = entries.filter(
          ([id, w]: number[]) => slicing.slices[id] === slice && roundToFloat16(w) === value[slice],
        );
        expect(rivals.length).toBeGreaterThan(1);
      });
      expect({ collisions, discarded, tokens: row.slices.length }).toEqual({
        collisions: expected.collisions,
        discarded: expected.discarded,
        tokens: expected.tokens,
      });
      expect(revert(slicing, row).map(({ id, weight }) => [id, weight])).toEqual(expected.reverted);
    }
  });

  test("dense rows, negatives and ties included", () => {
    for (const { row, [strategy]: expected } of golden("densify_dense.json").rows) {
      const { value, index } = written(densifyDense(goldenSlicing(strategy), row), M);
      expect(value).toEqual(expected.value_f16);
      expect(value).toEqual(expected.value.map(roundToFloat16));
      expect(index).toEqual(expected.index);
    }
  });
});

test("the golden queries: their rows by stride, and by full slicing the dot product of the texts themselves", async () => {
  const { docs, queries } = golden("gip.json");
  const [stride, full] = [goldenSlicing("stride"), new Slicing(numbered(vocab), { strategy: "full" })];
  const texts = docs.map(
    (doc: { id: string }) => vectors.find((each: { id: string }) => each.id === doc.id).entries,
  );
  const rows = new RowsBuilder(full.settings.dims, 1);
  for (const entries of texts) rows.add(new Densifier(full).densify(asText(entries)).row);
  const block = rows.finish();
  for (const { entries, value, index, original_sparse_dot } of queries) {
    expect(written(new Densifier(stride).densify(asText(entries)).row, M)).toEqual({ value, index });
    const kept = entries.filter(([id]: [number, number]) => id >= discard);
    const out = gatedInnerProducts(new Densifier(full).densify(asText(kept)).row, block);
    original_sparse_dot.forEach((dot: number, doc: number) => {
      expect(Math.abs(out[doc] - dot)).toBeLessThanOrEqual(2 ** -10 * dot); // both sides rounded to float16
    });
  }
});

/** A vocabulary, a slicing of it, and two texts. */
const settings = fc.record({
  terms: fc.integer({ min: 1, max: 60 }),
  dims: fc.integer({ min: 1, max: 20 }),
  strategy: fc.constantFrom<Strategy>("stride", "contiguous", "random", "hashed", "spread", "full"),
  seed: fc.integer(),
});
const weight = fc.oneof(fc.constantFrom(0.5, 1, 1.1, 2), fc.double({ min: 1e-3, max: 100, noNaN: true }));
const text = (terms: number) =>
  fc.uniqueArray(fc.tuple(fc.nat(terms - 1), weight), { selector: ([id]) => id, maxLength: terms });
const twoTexts = settings.chain((s) => fc.tuple(fc.constant(s), text(s.terms), text(s.terms)));

function slicingOf({
  terms,
  dims,
  strategy,
  seed,
}: {
  terms: number;
  dims: number;
  strategy: Strategy;
  seed: number;
}) {
  const table =
    strategy === "spread"
      ? { table: Uint32Array.from({ length: terms }, (_, id) => (id * 7 + (seed & 3)) % dims) }
      : {};
  return new Slicing(numbered(terms), { strategy, dims, seed, ...table });
}

const asText = (entries: [number, number][]) => ({
  ids: entries.map(([id]) => id),
  weights: entries.map(([, w]) => w),
});

test("GIP of two rows is the dot product of the bags they revert to", async () => {
  await fc.assert(
    fc.asyncProperty(twoTexts, async ([s, a, b]) => {
      const slicing = slicingOf(s);
      const densifier = new Densifier(slicing);
      const [query, document] = [densifier.densify(asText(a)).row, densifier.densify(asText(b)).row];
      const rows = new RowsBuilder(slicing.settings.dims, slicing.settings.perSlice);
      rows.add(document);
      const out = gatedInnerProducts(query, rows.finish());
      const bag = new Map(revert(slicing, document).map(({ id, weight }) => [id, weight]));
      const dot = revert(slicing, query).reduce(
        (sum, { id, weight }) => sum + weight * (bag.get(id) ?? 0),
        0,
      );
      expect(out[0]).toBeCloseTo(dot, 6);
    }),
  );
});

test("where no two terms share a slice, the text comes back as it was, rounded to float16", () => {
  fc.assert(
    fc.property(twoTexts, ([s, a]) => {
      const slicing = slicingOf(s);
      const taken = new Set<number>();
      const apart = a.filter(([id]) => {
        const slice = slicing.slices[id];
        return !taken.has(slice) && taken.add(slice);
      });
      const { row, collisions } = new Densifier(slicing).densify(asText(apart));
      expect(collisions).toBe(0);
      const back = new Map(revert(slicing, row).map(({ id, weight }) => [id, weight]));
      expect(back).toEqual(
        new Map(
          apart.map(([id, w]) => [slicing.idAt(slicing.slices[id], slicing.indices[id])!, roundToFloat16(w)]),
        ),
      );
    }),
  );
});

test("strategies differ only by the mapping: cells renamed, the rows are the same", () => {
  fc.assert(
    fc.property(twoTexts, ([s, a]) => {
      // `spread` takes any table, so it can imitate every other strategy.
      const slicing = slicingOf({
        ...s,
        strategy: s.strategy === "hashed" || s.strategy === "full" ? "random" : s.strategy,
      });
      const played = new Slicing(slicing.vocabulary, {
        strategy: "spread",
        dims: slicing.settings.dims,
        table: slicing.slices.slice(),
      });
      const [one, other] = [slicing, played].map((each) => {
        const { row, collisions } = new Densifier(each).densify(asText(a.map(([id], i) => [id, i + 1])));
        return { collisions, bag: revert(each, row) };
      });
      expect(other).toEqual(one);
    }),
  );
});

test("the winner does not depend on the order of the terms", () => {
  fc.assert(
    fc.property(twoTexts, ([s, a]) => {
      const densifier = new Densifier(slicingOf(s));
      expect(densifier.densify(asText([...a].reverse())).row).toEqual(densifier.densify(asText(a)).row);
    }),
  );
});

test("with importance, value × importance decides and the value is kept", () => {
  const slicing = new Slicing(numbered(2), { strategy: "stride", dims: 1 });
  const { row } = new Densifier(slicing).densify({ ids: [0, 1], weights: [0.5, 0.25] }, [1, 4]);
  expect(revert(slicing, row)).toEqual([{ id: 1, term: "t1", weight: 0.25 }]);
});

test("weights that cannot be stored are refused by name, and the densifier is not harmed", () => {
  const densifier = new Densifier(new Slicing(numbered(3), { strategy: "stride", dims: 2 }));
  for (const bad of [Number.NaN, -1, Number.POSITIVE_INFINITY, 65_520, 1e9]) {
    expect(() => densifier.densify({ ids: [0, 1], weights: [1, bad] })).toThrow(SluiceError);
    expect(() => densifier.densify({ ids: [0, 1], weights: [1, bad] })).toThrow(/weight of "t1"/);
  }
  expect(densifier.densify({ ids: [0, 2], weights: [1, 2] }).collisions).toBe(1);
});

test("a dense vector of another vocabulary is refused", () => {
  const slicing = new Slicing(numbered(3), { strategy: "stride", dims: 2 });
  expect(() => densifyDense(slicing, [1, 2])).toThrow("2 entries, the vocabulary 3");
  expect(() => densifyDense(slicing, [1, Number.NaN, 2])).toThrow(SluiceError);
});
