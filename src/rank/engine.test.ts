// The engine against the definition. For any layout, window size, memory size and split into segments, an exact plan returns
// the documents and scores of the definition, ties included.

import { expect, test } from "vitest";
import { createMemorySource } from "../../test/helpers/memory-source.ts";
import { type Row, type Rows, RowsBuilder } from "../densify/rows.ts";
import { type CheckedBoost, computeBoost } from "../documents/boost.ts";
import type { Plan } from "../query/plan/plan.ts";
import { ON_THIS_THREAD, type ScannedMemory, type ScanSources } from "../scan/first-stages.ts";
import { Scanner } from "../scan/wasm/scanner.ts";
import { withBlocks } from "../segment/columns/field-numbers.ts";
import { layOut } from "../segment/layout.ts";
import { toPostingLists } from "../segment/lexical/postings.ts";
import { Bits } from "../support/numbers/bits.ts";
import { roundToFloat16 } from "../support/numbers/float16.ts";
import { mulberry32 } from "../support/numbers/random.ts";
import { searchByDefinition } from "./definition.ts";
import { runEngine } from "./engine.ts";
import { createPostingParts, createRowParts, type EngineSegment } from "./engine-segment.ts";

interface Shape {
  readonly dims: number;
  readonly perSlice: number;
  readonly semanticDims: number;
  /** The share of slots that are filled. */
  readonly filled: number;
  /** How many distinct values there are; few make many ties. */
  readonly values: number;
  /** The share of other values between them. */
  readonly odd?: number;
}

type Random = () => number;

const whole = (random: Random, below: number) => Math.floor(random() * below);

function randomRow(random: Random, { dims, perSlice, filled, values, odd = 0 }: Shape): Row {
  const slices = someSlices(random, dims, filled);
  const distinct = () => (random() < odd ? 7 * values : values);
  return {
    slices: Uint32Array.from(slices),
    // Low indices are frequent, like frequent terms.
    indices: Uint16Array.from(slices, () => Math.floor(perSlice * random() ** 3)),
    values: Float32Array.from(slices, () => {
      const steps = distinct();
      return roundToFloat16((1 + whole(random, steps)) / steps);
    }),
  };
}

/** Random slices. With many dims they are drawn one by one, which is faster than testing each. */
function someSlices(random: Random, dims: number, filled: number): number[] {
  if (dims < 1000) return Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < filled);
  const drawn = Array.from({ length: Math.round(2 * dims * filled * random()) }, () => whole(random, dims));
  return [...new Set(drawn)].sort((a, b) => a - b);
}

function randomVector(random: Random, dims: number, values: number): Float32Array {
  // The first dimensions are the strongest, as in real embeddings; few values make equal vectors.
  return Float32Array.from({ length: dims }, (_, i) =>
    roundToFloat16(((whole(random, 2 * values + 1) - values) / values) * 0.9 ** i),
  );
}

function randomRows(random: Random, docs: number, shape: Shape): Rows {
  const builder = new RowsBuilder(shape.dims, shape.perSlice, shape.semanticDims);
  for (let doc = 0; doc < docs; doc++) {
    const vector = randomVector(random, shape.semanticDims, shape.values);
    builder.add(randomRow(random, shape), shape.semanticDims > 0 ? vector : undefined);
  }
  return builder.finish();
}

interface Making {
  readonly windowDocs: number;
  readonly lexical: "inverted" | "gaps";
  readonly arenaBytes?: number;
  /** Whether the vectors themselves replace their last plane. */
  readonly vectors?: boolean;
}

function canQuantize({ dims, semanticDims }: Pick<Rows, "dims" | "semanticDims">): boolean {
  return dims + semanticDims >= 4 && dims <= 4096;
}

type TestSegment = EngineSegment<ScannedMemory> & ScanSources;

function segmentOf(rows: Rows, first: number, making: Making, allowed?: Bits): TestSegment {
  const layout = layOut(rows, { ...making, ...(canQuantize(rows) && { quantize: { parts: 4 } }) });
  const source = createMemorySource(rows, layout);
  const scanner = Scanner.load(source, making);
  const values = toPostingLists(rows, making.windowDocs).postingValues;
  const all = createRowParts(rows);
  return {
    rowCount: rows.docs,
    dims: rows.dims,
    hasCodes: canQuantize(rows),
    first,
    allowed,
    scanner: () => scanner,
    lexicalParts: async (loaded) => {
      const scanner = loaded?.scanner;
      return scanner?.hasPackedLists
        ? createPostingParts(scanner, scanner.hasLevels ? undefined : (posting) => values[posting])
        : all;
    },
    semanticParts: async (loaded) => (loaded?.scanner?.hasVectors ? loaded.scanner.loadVectors() : all),
  };
}

/** The definition's answer over several blocks of rows, one after another. */
async function defined(
  blocks: readonly { rows: Rows; first: number; allowed?: Bits }[],
  request: { row: Row; vector?: Float32Array; lambda: number; k: number },
) {
  const all = [];
  for (const { rows, first, allowed } of blocks) {
    const excluded = new Set<number>();
    for (let doc = 0; doc < rows.docs; doc++) if (allowed && !allowed.get(doc)) excluded.add(doc);
    const { ranked: docs } = searchByDefinition(rows, { ...request, plan: { kind: "exact" }, excluded });
    all.push(...docs.map((hit) => ({ ...hit, doc: hit.doc + first })));
  }
  return all.sort((a, b) => b.score - a.score || a.doc - b.doc).slice(0, request.k);
}

interface Scored {
  readonly doc: number;
  readonly score: number;
}

/**
 * Every part of every hit is the same. Vitest's own comparison, which takes most of the time for long lists, tells the
 * difference.
 */
function expectSame(found: readonly Scored[], expected: readonly Scored[]): void {
  const isSame =
    found.length === expected.length &&
    found.every((hit, i) => {
      const [one, other] = [hit, expected[i]] as unknown as Record<string, unknown>[];
      const names = Object.keys(one);
      return (
        names.length === Object.keys(other).length && names.every((name) => Object.is(one[name], other[name]))
      );
    });
  if (!isSame) expect(found).toEqual(expected);
}

const SHAPES: Shape[] = [
  { dims: 1, perSlice: 3, semanticDims: 0, filled: 0.9, values: 4 },
  { dims: 7, perSlice: 2, semanticDims: 0, filled: 0.5, values: 2 },
  { dims: 40, perSlice: 20, semanticDims: 0, filled: 0.2, values: 1000 },
  { dims: 128, perSlice: 30, semanticDims: 0, filled: 1, values: 1000 },
  { dims: 100_000, perSlice: 1, semanticDims: 0, filled: 0.0002, values: 9 },
  { dims: 50, perSlice: 10, semanticDims: 0, filled: 0.2, values: 250, odd: 0.02 },
  { dims: 16, perSlice: 5, semanticDims: 3, filled: 0.4, values: 3 },
  { dims: 33, perSlice: 9, semanticDims: 16, filled: 0.7, values: 100 },
  { dims: 20, perSlice: 9, semanticDims: 17, filled: 0.3, values: 50 },
  { dims: 12, perSlice: 4, semanticDims: 96, filled: 0.5, values: 1000 },
  { dims: 8, perSlice: 4, semanticDims: 40, filled: 0, values: 1000 },
];

/** Plans that must be exact. `auto` may guess if many hits are wanted of more documents. */
const exactPlans = (k: number): Plan[] => [
  { kind: "exact" },
  ...(k === MANY ? [] : [{ kind: "auto" } as const]),
];
const MANY = 300;

test("the shapes bring postings with a level of their own, with a shared one and with none", async () => {
  const kinds = SHAPES.map(async (shape) => {
    const rows = randomRows(mulberry32(1), 1000, shape);
    const layout = layOut(rows, { lexical: "inverted" });
    const { levels } = (await Scanner.load(createMemorySource(rows, layout))).placement;
    return levels ? (levels.rare.length > 0 ? "shared" : "own") : "none";
  });
  expect(new Set(await Promise.all(kinds))).toEqual(new Set(["shared", "own", "none"]));
});

for (const [number, shape] of SHAPES.entries()) {
  const { dims, semanticDims, filled, values } = shape;
  test(`${dims} slices, ${filled * 100} % filled, ${values} values, ${semanticDims} semantic dims`, async () => {
    const random = mulberry32(number + 1);
    let [compared, boosted] = [0, 0];
    for (const windowDocs of [32, 288, 65_536]) {
      for (const lexical of dims > 1000 ? (["inverted"] as const) : (["inverted", "gaps"] as const)) {
        const sizes = [1 + whole(random, 40), 257 + whole(random, 500), 700];
        let first = 0;
        const blocks = sizes.map((docs, i) => {
          const rows = randomRows(random, docs, shape);
          const allowed = i === 1 ? randomBits(random, docs, 0.8) : undefined;
          const block = { rows, first, ...(allowed && { allowed }) };
          first += docs;
          return block;
        });
        const arenaBytes = windowDocs === 32 ? 20_000 : 2 ** 31;
        const segments = blocks.map(({ rows, first, allowed }) =>
          segmentOf(rows, first, { windowDocs, lexical, arenaBytes, vectors: windowDocs !== 288 }, allowed),
        );
        for (const k of [1, 2, 10, 100, MANY, 5000]) {
          const row = randomRow(random, { ...shape, filled: Math.min(1, Math.max(filled * 2, 3 / dims)) });
          const vector = randomVector(random, semanticDims, values);
          const lambda = [0, 0.3, 20][whole(random, 3)];
          const request = { row, ...(semanticDims > 0 && { vector }), lambda, k };
          const expected = await defined(blocks, request);
          for (const plan of exactPlans(k)) {
            const [{ ranked: docs, stats }] = await runEngine(
              segments,
              [{ ...request, plan }],
              [ON_THIS_THREAD],
            );
            expectSame(docs, expected);
            expect(stats.exact).toBe(true);
          }
          compared += await checkApproximate(segments, request, expected, canQuantize(shape));
          if (k !== 2 && k !== MANY && windowDocs !== 65_536)
            boosted += await checkBoosted(random, blocks, segments, request, windowDocs);
        }
      }
    }
    // Enough of the answers said that they are exact, and were compared with the definition.
    expect(compared).toBeGreaterThan(20);
    expect(boosted).toBeGreaterThan(20);
  });
}

const APPROXIMATE: Plan[] = [
  { kind: "auto" },
  { kind: "pruned", mass: 0.7, candidates: 60 },
  { kind: "pruned", theta: 0.5, candidates: 60 },
  { kind: "pruned", theta: 0, candidates: 300 },
  { kind: "inner-product", candidates: 60 },
  { kind: "quantized", candidates: 300 },
];

/**
 * Every document that a plan returns has its exact score. An answer that says it is exact must be exact. Returns how many of the
 * answers said so.
 */
async function checkApproximate(
  segments: readonly TestSegment[],
  request: { row: Row; vector?: Float32Array; lambda: number; k: number },
  expected: readonly Scored[],
  quantized: boolean,
): Promise<number> {
  const known = new Map(expected.map((hit) => [hit.doc, hit]));
  let exact = 0;
  for (const plan of APPROXIMATE) {
    if (plan.kind === "quantized" && !quantized) continue;
    const [{ ranked: docs, stats }] = await runEngine(segments, [{ ...request, plan }], [ON_THIS_THREAD]);
    if (stats.exact) {
      expectSame(docs, expected);
      exact++;
    }
    const found = docs.filter(({ doc }) => known.has(doc));
    expectSame(
      found,
      found.map(({ doc }) => known.get(doc)!),
    );
  }
  return exact;
}

/** Boosts of every kind, some with weights below 0, over fields that some documents, or whole segments, lack. */
function randomBoosts(random: Random): CheckedBoost[] {
  const kinds = [
    { by: "exp", scale: 30, origin: 100 },
    { by: "gauss", scale: 10, origin: 20 },
    { by: "linear", scale: 40, origin: 50 },
    { by: "log" },
    { by: "value" },
  ] as const;
  return Array.from({ length: 1 + whole(random, 3) }, () => {
    const kind = kinds[whole(random, kinds.length)];
    const weight = (random() - 0.3) * (kind.by === "value" ? 0.05 : 3);
    return { field: "any", weight, ...kind };
  });
}

/** With boosts, an exact plan returns what scoring every document returns. */
async function checkBoosted(
  random: Random,
  blocks: readonly { rows: Rows; first: number; allowed?: Bits }[],
  plain: readonly TestSegment[],
  request: { row: Row; vector?: Float32Array; lambda: number; k: number },
  windowDocs: number,
): Promise<number> {
  let exact = 0;
  const boosts = randomBoosts(random);
  const share = random();
  const segments = plain.map((segment): TestSegment => {
    // Numbers rise with the document, as dates do, so that windows differ.
    const numbers = Float64Array.from({ length: segment.rowCount }, (_, doc) =>
      random() < share ? doc / 10 + whole(random, 20) - 5 : Number.NaN,
    );
    const own = boosts.filter(() => random() < 0.8);
    const field = withBlocks(numbers, windowDocs);
    return { ...segment, additions: own.map((boost) => ({ kind: "boost" as const, boost, field })) };
  });
  const boostOf = (doc: number) => {
    const { additions, first } = segments.findLast(({ first }) => first <= doc)!;
    return additions!.reduce((sum, addition) => {
      const number = addition.field.numbers[doc - first];
      if (Number.isNaN(number) || addition.kind !== "boost") return sum;
      return sum + computeBoost(addition.boost, number);
    }, 0);
  };
  const unboosted = await defined(blocks, { ...request, k: Number.MAX_SAFE_INTEGER });
  const leastBeforeAdditions = random() < 0.3 ? unboosted[unboosted.length >> 1]?.score : undefined;
  const expected = unboosted
    .filter(({ score }) => leastBeforeAdditions === undefined || score >= leastBeforeAdditions)
    .map((hit) => ({ ...hit, score: hit.score + boostOf(hit.doc), boost: boostOf(hit.doc) }))
    .sort((a, b) => b.score - a.score || a.doc - b.doc);
  const boosted = {
    ...request,
    isBoosted: true,
    ...(leastBeforeAdditions !== undefined && { leastBeforeAdditions }),
  };
  for (const plan of [...exactPlans(request.k), ...APPROXIMATE.slice(1)]) {
    if (plan.kind === "quantized" && !canQuantize(blocks[0].rows)) continue;
    const [{ ranked: docs, stats }] = await runEngine(segments, [{ ...boosted, plan }], [ON_THIS_THREAD]);
    if (plan.kind === "exact") expect(stats.exact).toBe(true);
    if (stats.exact) {
      expectSame(docs, expected.slice(0, request.k));
      exact++;
    }
  }
  return exact;
}

/** How a list can be: one that nearly all documents hold, one of a few, none, and one whose documents are side by side. */
const LISTS: ((doc: number, random: Random) => boolean)[] = [
  (_, random) => random() < 0.98,
  (_, random) => random() < 0.5,
  (doc) => doc % 97 === 5,
  () => false,
  (doc) => doc >= 1400 && doc < 1500,
  (doc) => doc === 3999,
];

test("long and short, light and heavy lists: looked up or added, the answer is the definition's", async () => {
  const random = mulberry32(8);
  const docs = 4000;
  let skipped = 0;
  for (const values of [1, 3, 2000]) {
    const builder = new RowsBuilder(LISTS.length, 1);
    for (let doc = 0; doc < docs; doc++) {
      const slices = [...LISTS.keys()].filter((slice) => LISTS[slice](doc, random));
      builder.add({
        slices: Uint32Array.from(slices),
        indices: new Uint16Array(slices.length),
        values: Float32Array.from(slices, () => roundToFloat16((1 + whole(random, values)) / values)),
      });
    }
    const rows = builder.finish();
    for (const allowed of [undefined, randomBits(random, docs, 0.6), randomBits(random, docs, 0.07)]) {
      const segments = [segmentOf(rows, 0, { windowDocs: 1024, lexical: "inverted" }, allowed)];
      for (let round = 0; round < 30; round++) {
        const weights = LISTS.map(() => roundToFloat16(random() < 0.4 ? 0.01 : 1 + whole(random, 3)));
        const slices = Uint32Array.from(LISTS.keys());
        const row = {
          slices,
          indices: new Uint16Array(slices.length),
          values: Float32Array.from(weights),
        };
        const request = { row, lambda: 0, k: [1, 3, 10, 45, 400][whole(random, 5)] };
        const plan: Plan = { kind: "exact" };
        const [{ ranked: found, stats }] = await runEngine(
          segments,
          [{ ...request, plan }],
          [ON_THIS_THREAD],
        );
        expectSame(found, await defined([{ rows, first: 0, ...(allowed && { allowed }) }], request));
        skipped += stats.scan.listsSkipped;
      }
    }
  }
  expect(skipped).toBeGreaterThan(0);
});

test("a pruned plan proves itself exact where what it left out cannot matter, and only there", async () => {
  const random = mulberry32(5);
  const builder = new RowsBuilder(3, 1);
  for (let doc = 0; doc < 1000; doc++) {
    const values = [doc % 20 === 0 ? 5 + random() : 0.01 + random() / 100, random(), random()];
    builder.add({
      slices: Uint32Array.of(0, 1, 2),
      indices: new Uint16Array(3),
      values: Float32Array.from(values, roundToFloat16),
    });
  }
  const rows = builder.finish();
  const row = {
    slices: Uint32Array.of(0, 1, 2),
    indices: new Uint16Array(3),
    values: Float32Array.of(1, roundToFloat16(0.45), roundToFloat16(0.45)),
  };
  for (const lexical of ["inverted", "gaps"] as const) {
    const segments = [segmentOf(rows, 0, { windowDocs: 288, lexical })];
    // Fifty documents contain the heavy term. With one more hit wanted, the light terms decide.
    for (const k of [1, 30, 50, 51, 60]) {
      const request = { row, lambda: 0, k };
      const plan: Plan = { kind: "pruned", theta: 0.5, candidates: 60 };
      const [{ ranked: docs, stats }] = await runEngine(segments, [{ ...request, plan }], [ON_THIS_THREAD]);
      expect(stats.exact).toBe(k <= 50);
      if (k <= 50) expect(docs).toEqual(await defined([{ rows, first: 0 }], request));
    }
  }
});

function randomBits(random: Random, length: number, share: number): Bits {
  const bits = new Bits(length);
  for (let doc = 0; doc < length; doc++) if (random() < share) bits.set(doc);
  return bits;
}
