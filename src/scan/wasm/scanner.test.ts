// A bound is never below the score it bounds: exact searches depend on it. The queries point along what was rounded away
// and along what lies in later planes, where bounds are tightest.

import { expect, test } from "vitest";
import { createMemorySource } from "../../../test/helpers/memory-source.ts";
import { type QueryRow, type Rows, RowsBuilder } from "../../densify/rows.ts";
import { dotFloat16 } from "../../rank/dot.ts";
import { LexicalScorer } from "../../rank/lexical-scorer.ts";
import { layOut } from "../../segment/layout.ts";
import { planeWidths } from "../../segment/semantic/planes.ts";
import { roundToFloat16, toFloat32s } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { fromShortFloat, toShortFloat } from "../../support/numbers/short-float.ts";
import { runScan } from "./scan-segments.ts";
import { Scanner } from "./scanner.ts";

const random = mulberry32(3);
const NO_TERMS = {
  slices: new Uint32Array(0),
  indices: new Uint16Array(0),
  values: new Float32Array(0),
};

function vectors(docs: number, dims: number): Rows {
  const builder = new RowsBuilder(1, 1, dims);
  for (let doc = 0; doc < docs; doc++) {
    builder.add(
      NO_TERMS,
      Float32Array.from({ length: dims }, (_, i) => (random() - 0.5) / (1 + i / 8)),
    );
  }
  return builder.finish();
}

function vectorOf({ semantic, semanticDims }: Rows, doc: number): Float32Array {
  const bits = semantic.subarray(doc * semanticDims, (doc + 1) * semanticDims);
  return toFloat32s(bits);
}

/** What one step of a plane's codes is worth. */
function scaleOf(numbers: Float32Array): number {
  return fromShortFloat(toShortFloat(numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 127));
}

/** What a document's vector lost when it became int8, plane by plane, without a rotation. */
function residual(vector: Float32Array): Float32Array {
  const out = vector.slice();
  let start = 0;
  for (const width of planeWidths(vector.length)) {
    const part = out.subarray(start, start + width);
    const scale = scaleOf(part);
    for (let i = 0; i < part.length; i++) part[i] -= Math.round(part[i] / scale) * scale;
    start += width;
  }
  return out;
}

/** Checks the scanner's bound on every document against its exact score. */
async function checkBounds(rows: Rows, scanner: Scanner, query: QueryRow): Promise<void> {
  const exact = new LexicalScorer(query, rows.dims);
  const docs = Uint32Array.from({ length: rows.docs }, (_, doc) => doc);
  const bounds = scanner.bounds(scanner.prepare(query), docs);
  const scores = Float64Array.from(
    docs,
    (doc) =>
      exact.scoreRow(rows, doc) +
      (query.semantic ? dotFloat16(query.semantic, rows.semantic, doc * rows.semanticDims) : 0),
  );
  expect([...docs.filter((doc) => bounds[doc] < scores[doc])]).toEqual([]);
  expect(scanner.boundOfAnyScore(query)).toBeGreaterThanOrEqual(scores.reduce((a, b) => Math.max(a, b)));
  // A scan for one document finds the best.
  const { candidates } = runScan([{ scanner, first: 0, allowed: undefined }], {
    scannedQuery: query,
    scoring: "gated",
    wantedCandidates: 1,
  });
  const best = docs.reduce((a, b) => (scores[b] > scores[a] ? b : a), 0);
  expect([...candidates.docs]).toContain(best);
  exact.release();
}

test.each([16, 40, 96, 384])("%i dims: queries along what a document lost in rounding", async (dims) => {
  const rows = vectors(300, dims);
  const scanner = await Scanner.load(createMemorySource(rows, layOut(rows, { windowDocs: 128 })));
  for (let doc = 0; doc < 300; doc += 7) {
    const lost = residual(vectorOf(rows, doc));
    for (const sign of [1, -1]) {
      await checkBounds(rows, scanner, { ...NO_TERMS, semantic: lost.map((x) => sign * 50 * x) });
    }
  }
});

test.each([40, 96])("%i dims: queries along what lies in later planes", async (dims) => {
  const rows = vectors(300, dims);
  const scanner = await Scanner.load(createMemorySource(rows, layOut(rows, { windowDocs: 128 })));
  const widths = planeWidths(dims);
  for (let doc = 0; doc < 300; doc += 7) {
    for (let planes = 1; planes < widths.length; planes++) {
      const start = widths.slice(0, planes).reduce((sum, width) => sum + width, 0);
      await checkBounds(rows, scanner, {
        ...NO_TERMS,
        semantic: vectorOf(rows, doc).map((x, i) => (i < start ? 0 : x)),
      });
    }
  }
});

test("rotated vectors: bounds hold", async () => {
  const rows = vectors(2000, 96);
  const layout = layOut(rows);
  expect(layout.meta.semantic?.rotated).toBe(true);
  const scanner = await Scanner.load(createMemorySource(rows, layout));
  for (let doc = 0; doc < 2000; doc += 100) {
    await checkBounds(rows, scanner, { ...NO_TERMS, semantic: vectorOf(rows, doc) });
  }
});

/** More clusters than a first plane can tell apart. */
const CLUSTERS = 100;

/** Vectors in clusters, spread evenly over all directions. */
function spreadOut(docs: number, dims: number): Rows {
  const builder = new RowsBuilder(1, 1, dims);
  const centers = Array.from({ length: CLUSTERS }, () =>
    Float32Array.from({ length: dims }, () => random() - 0.5),
  );
  for (let doc = 0; doc < docs; doc++) {
    builder.add(
      NO_TERMS,
      centers[doc % CLUSTERS].map((x) => 0.7 * x + random() - 0.5),
    );
  }
  return builder.finish();
}

test.each([64, 90, 384])("%i dims without common directions: one plane, bounds as before", async (dims) => {
  const rows = spreadOut(4200, dims);
  const layout = layOut(rows, { windowDocs: 3000 });
  expect(layout.meta.semantic?.widths).toEqual([Math.ceil(dims / 16) * 16]);
  expect(layout.meta.semantic?.rotated).toBe(false);
  const sketch = { dims: 0, semanticDims: dims, parts: 2 * Math.floor(dims / 8), bits: 4 };
  expect(layout.meta.semantic?.sketch).toEqual(sketch);
  const scanner = await Scanner.load(createMemorySource(rows, layout));
  for (let doc = 0; doc < 4200; doc += 600) {
    const vector = vectorOf(rows, doc);
    await checkBounds(rows, scanner, { ...NO_TERMS, semantic: vector });
    // What the vector lost when it was rounded to one scale.
    const scale = scaleOf(vector);
    const lost = vector.map((x) => 50 * (x - Math.round(x / scale) * scale));
    await checkBounds(rows, scanner, { ...NO_TERMS, semantic: lost });
  }
});

test("few vectors, or vectors with common directions, have planes and no sketches", () => {
  for (const rows of [spreadOut(4000, 64), vectors(4200, 96)]) {
    const { semantic } = layOut(rows).meta;
    expect(semantic!.widths.length).toBeGreaterThan(1);
    expect(semantic!.sketch).toBeUndefined();
  }
});

test.each([10, 100, 101, 250])(
  "sketches: the %i best are found with a recall above 0.995, and the scan reports that it guessed",
  async (wantedCandidates) => {
    const dims = 256;
    const rows = spreadOut(6000, dims);
    const scanner = await Scanner.load(createMemorySource(rows, layOut(rows, { windowDocs: 4096 })));
    const segments = [{ scanner, first: 0, allowed: undefined }];
    let [found, read, all] = [0, 0, 0];
    for (let doc = 0; doc < 6000; doc += 300) {
      const semantic = vectorOf(rows, doc).map((x) => x + random() - 0.5);
      const scores = Float64Array.from({ length: 6000 }, (_, other) =>
        dotFloat16(semantic, rows.semantic, other * dims),
      );
      const best = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]);
      const request = {
        scannedQuery: { ...NO_TERMS, semantic },
        scoring: "gated",
        wantedCandidates,
      } as const;
      const certain = runScan(segments, request);
      expect(certain.counts.guessed).toBe(0);
      expect(
        best.slice(0, wantedCandidates).filter((other) => !certain.candidates.docs.includes(other)),
      ).toEqual([]);
      const guessed = runScan(segments, { ...request, isCertain: false });
      expect(guessed.counts.guessed).toBeGreaterThan(0);
      read += guessed.counts.bytes;
      all += certain.counts.bytes;
      const handed = new Set(guessed.candidates.docs);
      found += best.slice(0, wantedCandidates).filter((other) => handed.has(other)).length;
    }
    expect(found / (20 * wantedCandidates)).toBeGreaterThan(0.995);
    // A cluster has 60 documents. If more are wanted, most other documents are as near as the last of them.
    if (wantedCandidates < 60) expect(read).toBeLessThan(all / 2);
  },
);

test.each(["inverted", "gaps"] as const)("%s: values at every step of a code", async (lexical) => {
  const builder = new RowsBuilder(2, 4);
  for (let doc = 0; doc < 1500; doc++) {
    builder.add({
      slices: Uint32Array.of(0, 1),
      indices: Uint16Array.of(0, doc & 3),
      values: Float32Array.of(roundToFloat16((doc + 1) / 1500), roundToFloat16(random() ** 8 + 1e-4)),
    });
  }
  const rows = builder.finish();
  const scanner = await Scanner.load(createMemorySource(rows, layOut(rows, { lexical, windowDocs: 512 })));
  for (const weight of [1e-4, 0.333, 1, 7, 60_000]) {
    const query = {
      slices: Uint32Array.of(0, 1),
      indices: Uint16Array.of(0, 2),
      values: Float32Array.of(1, roundToFloat16(weight)),
    };
    await checkBounds(rows, scanner, query);
  }
});

test.each(["inverted", "gaps"] as const)("%s: scores that differ by less than rounding", async (lexical) => {
  const dims = 6;
  const builder = new RowsBuilder(dims, 1);
  const slices = Uint32Array.from({ length: dims }, (_, slice) => slice);
  const indices = new Uint16Array(dims);
  for (let doc = 0; doc < 1000; doc++) {
    // So close together that rounding decides which sum is largest, not the exact score.
    builder.add({
      slices,
      indices,
      values: Float32Array.from(slices, () => roundToFloat16(0.5 + random() / 300)),
    });
  }
  const rows = builder.finish();
  const scanner = await Scanner.load(createMemorySource(rows, layOut(rows, { lexical, windowDocs: 256 })));
  for (let round = 0; round < 50; round++) {
    const query = { slices, indices, values: Float32Array.from(slices, () => roundToFloat16(random())) };
    const exact = new LexicalScorer(query, dims);
    const ranked = Array.from({ length: rows.docs }, (_, doc) => doc).sort(
      (a, b) => exact.scoreRow(rows, b) - exact.scoreRow(rows, a),
    );
    for (const wantedCandidates of [1, 10]) {
      const segment = { scanner, first: 0, allowed: undefined };
      const { candidates } = runScan([segment], {
        scannedQuery: query,
        scoring: "gated",
        wantedCandidates,
      });
      expect(ranked.slice(0, wantedCandidates).filter((doc) => !candidates.docs.includes(doc))).toEqual([]);
    }
    exact.release();
  }
});
