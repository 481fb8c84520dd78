import { describe, expect, test } from "vitest";
import { type CodeVectors, cutIntoParts } from "../../segment/codes/code-vectors.ts";
import { findDistinctPoints } from "../../segment/codes/distinct.ts";
import type { Centroids } from "../../segment/codes/kmeans-start.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { topK } from "../../support/numbers/topk.ts";
import type { Compressor } from "./compressor.ts";
import { assign, kmeans } from "./kmeans.ts";
import { trainLsh } from "./lsh.ts";
import { matrixProduct, type Square, transposedMatrix } from "./matrix.ts";
import { trainOpq } from "./opq.ts";
import { rotated } from "./optimized-rotation.ts";
import { type ProductQuantizer, trainPq } from "./pq.ts";
import { procrustes } from "./procrustes.ts";
import { CountSketch } from "./sketch.ts";
import { portions, sparseVectors, vectorAt, writeRow } from "./sparse-vectors.ts";

/** Packs rows that have a value for every column. */
function denseVectors(rows: readonly ArrayLike<number>[], dims: number): CodeVectors {
  const columns = Uint32Array.from({ length: dims }, (_, column) => column);
  return sparseVectors(
    rows.map((values) => ({ columns, values })),
    dims,
  );
}

function gaussians(seed: number): () => number {
  const random = mulberry32(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Points scattered around random centers. */
function clustered(count: number, dims: number, clusters: number, seed: number, spread = 0.3): CodeVectors {
  const normal = gaussians(seed);
  const centers = Array.from({ length: clusters }, () => Array.from({ length: dims }, normal));
  const near = (center: number[]) => center.map((value) => value + spread * normal());
  return denseVectors(
    Array.from({ length: count }, (_, i) => near(centers[i % clusters])),
    dims,
  );
}

/** A few hidden causes that affect all dims, so that a rotation helps. */
function correlated(count: number, dims: number, causes: number, seed: number): CodeVectors {
  const normal = gaussians(seed);
  const effects = Array.from({ length: causes }, () => Array.from({ length: dims }, normal));
  const rows = Array.from({ length: count }, () => {
    const strengths = Array.from({ length: causes }, normal);
    return Array.from({ length: dims }, (_, j) => {
      return strengths.reduce((sum, strength, c) => sum + strength * effects[c][j], 0.1 * normal());
    });
  });
  return denseVectors(rows, dims);
}

/** Rows with a few non-zeros, small whole numbers, some rows empty. */
function sparseRows(count: number, dims: number, seed: number): number[][] {
  const random = mulberry32(seed);
  const value = () => (random() < 0.1 ? 1 + Math.floor(random() * 3) : 0);
  return Array.from({ length: count }, () => Array.from({ length: dims }, value));
}

function dense(vectors: CodeVectors, i: number): Float32Array {
  const row = new Float32Array(vectors.dims);
  writeRow(vectors, i, row);
  return row;
}

const innerProduct = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
};

/** Mean squared distance between vectors and their decoded codes. */
function loss(vectors: CodeVectors, quantizer: ProductQuantizer): number {
  const codes = quantizer.encode(vectors);
  const decoded = new Float32Array(vectors.dims);
  let sum = 0;
  for (let i = 0; i < vectors.count; i++) {
    quantizer.decodeInto(codes, i, decoded);
    const difference = dense(vectors, i).map((value, j) => value - decoded[j]);
    sum += innerProduct(difference, difference);
  }
  return sum / vectors.count;
}

function scoresOf(compressor: Compressor, vectors: CodeVectors, query: CodeVectors): Float64Array {
  const out = new Float64Array(vectors.count);
  compressor.computeScores(compressor.encode(vectors), vectorAt(query, 0), out);
  return out;
}

describe("vectors", () => {
  test("dense and sparse rows are the same, and come back", () => {
    const rows = sparseRows(20, 13, 1);
    const columns = rows.map((row) => [...row.keys()].filter((column) => row[column] !== 0));
    const sparse = columns.map((list, i) => ({
      columns: list,
      values: list.map((column) => rows[i][column]),
    }));
    const vectors = denseVectors(rows, 13);
    expect(vectors).toEqual(sparseVectors(sparse, 13));
    for (const [i, row] of rows.entries()) expect([...dense(vectors, i)]).toEqual(row);
  });

  test("parts side by side and portions one after the other are the whole", () => {
    const rows = sparseRows(9, 10, 2);
    const vectors = denseVectors(rows, 10);
    const parts = [...cutIntoParts(vectors, Uint32Array.of(0, 3, 6, 10))];
    expect(parts.map(({ dims }) => dims)).toEqual([3, 3, 4]);
    for (const [i, row] of rows.entries()) expect(parts.flatMap((part) => [...dense(part, i)])).toEqual(row);
    const read = [...portions(vectors, 4)].flatMap((some) =>
      Array.from({ length: some.count }, (_, i) => [...dense(some, i)]),
    );
    expect(read).toEqual(rows);
  });

  test.each([
    [{ columns: [2, 1], values: [1, 1] }],
    [{ columns: [1, 1], values: [1, 1] }],
    [{ columns: [3], values: [1] }],
    [{ columns: [1], values: [] }],
  ])("%j is refused in 3 dims", (row) => {
    expect(() => sparseVectors([row], 3)).toThrow(RangeError);
  });
});

describe("k-means", () => {
  test("equal points are counted, in the order they come", () => {
    const { points, weights } = findDistinctPoints(
      denseVectors(
        [
          [0, 0],
          [1, 2],
          [0, 0],
          [2, 1],
          [1, 2],
          [0, 0],
        ],
        2,
      ),
    );
    expect([...weights]).toEqual([3, 2, 1]);
    expect([0, 1, 2].map((i) => [...dense(points, i)])).toEqual([
      [0, 0],
      [1, 2],
      [2, 1],
    ]);
  });

  const centroid = ({ count, dims, values }: Centroids, c: number) =>
    Array.from({ length: dims }, (_, column) => values[column * count + c]);

  test("finds obvious clusters", () => {
    const points = clustered(400, 20, 4, 3, 0.02);
    const found = kmeans(points, 4, { seed: 1 });
    for (let cluster = 0; cluster < 4; cluster++) {
      const members = Array.from({ length: 100 }, (_, n) => dense(points, n * 4 + cluster));
      const mean = Array.from({ length: 20 }, (_, j) => members.reduce((sum, row) => sum + row[j], 0) / 100);
      const misses = Array.from({ length: 4 }, (_, c) =>
        Math.max(...centroid(found, c).map((value, j) => Math.abs(value - mean[j]))),
      );
      expect(Math.min(...misses)).toBeLessThan(1e-5);
    }
  });

  test("the same seed gives the same centroids, another seed others", () => {
    const points = clustered(300, 4, 30, 4);
    expect(kmeans(points, 16, { seed: 7 })).toEqual(kmeans(points, 16, { seed: 7 }));
    expect(kmeans(points, 16, { seed: 7 })).not.toEqual(kmeans(points, 16, { seed: 8 }));
  });

  test("as many centroids as different points are the points", () => {
    const points = denseVectors(
      [
        [0, 0],
        [5, 1],
        [0, 0],
        [0, 2],
      ],
      2,
    );
    const found = kmeans(points, 8);
    expect([0, 1, 2].map((c) => centroid(found, c))).toEqual([
      [0, 0],
      [5, 1],
      [0, 2],
    ]);
  });

  test("no cluster stays empty", () => {
    const points = denseVectors(sparseRows(500, 6, 5), 6);
    for (let seed = 0; seed < 10; seed++) {
      const found = kmeans(points, 20, { seed, iterations: 20 });
      const nearest = new Uint8Array(points.count);
      assign(points, found, nearest);
      expect(new Set(nearest).size).toBe(20);
    }
  });

  test("the nearest centroid is the nearest by definition", () => {
    const points = denseVectors(sparseRows(300, 12, 6), 12);
    const found = kmeans(points, 9, { iterations: 2 });
    const nearest = new Uint8Array(points.count);
    assign(points, found, nearest);
    for (let i = 0; i < points.count; i++) {
      const distances = Array.from({ length: 9 }, (_, c) => {
        const difference = centroid(found, c).map((value, j) => value - dense(points, i)[j]);
        return innerProduct(difference, difference);
      });
      expect(distances[nearest[i]]).toBeCloseTo(Math.min(...distances), 5);
    }
  });
});

describe("PQ", () => {
  test("with a centroid for every sub-vector inner products are exact", () => {
    const rows = sparseRows(200, 21, 7); // 4 parts of 5, 5, 5 and 6 columns
    const vectors = denseVectors(rows, 21);
    const query = denseVectors([Array.from({ length: 21 }, (_, j) => j - 10)], 21);
    const quantizer = trainPq(vectors, 4, { seed: 1 });
    expect(quantizer.widths).toEqual([5, 5, 5, 6]);
    for (const part of cutIntoParts(vectors, Uint32Array.of(0, 5, 10, 15, 21))) {
      expect(findDistinctPoints(part).points.count).toBeLessThanOrEqual(256);
    }
    expect([...scoresOf(quantizer, vectors, query)]).toEqual(
      rows.map((row) => innerProduct(row, dense(query, 0))),
    );
  });

  test("scores are inner products with the decoded codes, in 8 bits and in 4", () => {
    const vectors = clustered(500, 24, 100, 8);
    const query = clustered(1, 24, 1, 9);
    for (const [bits, bytes] of [
      [8, 7],
      [4, 4],
    ] as const) {
      const quantizer = trainPq(vectors, 7, { bits });
      expect(quantizer.bytesPerVector).toBe(bytes);
      const codes = quantizer.encode(vectors);
      expect(Math.max(...codes)).toBeLessThan(2 ** bits);
      expect(quantizer.tables(vectorAt(query, 0))).toHaveLength(7 * 2 ** bits);
      const decoded = new Float32Array(24);
      for (const [i, score] of scoresOf(quantizer, vectors, query).entries()) {
        quantizer.decodeInto(codes, i, decoded);
        expect(score).toBeCloseTo(innerProduct(decoded, dense(query, 0)), 4);
      }
    }
  });

  test("more parts, and more bits, lose less", () => {
    const vectors = clustered(1000, 32, 200, 10);
    const losses = [2, 4, 8, 16].map((parts) => loss(vectors, trainPq(vectors, parts, { bits: 4 })));
    for (let i = 1; i < losses.length; i++) expect(losses[i]).toBeLessThan(losses[i - 1]);
    expect(loss(vectors, trainPq(vectors, 8))).toBeLessThan(losses[2] / 2);
  });

  test("keeps at least 80% of the ten best", () => {
    const vectors = clustered(1000, 32, 50, 11);
    const queries = clustered(20, 32, 20, 12);
    const quantizer = trainPq(vectors, 16);
    const codes = quantizer.encode(vectors);
    const approximate = new Float64Array(vectors.count);
    let kept = 0;
    for (let q = 0; q < queries.count; q++) {
      const query = dense(queries, q);
      const exact = Float64Array.from(approximate, (_, i) => innerProduct(dense(vectors, i), query));
      quantizer.computeScores(codes, vectorAt(queries, q), approximate);
      const best = new Set(topK(exact, 10));
      kept += topK(approximate, 10).filter((doc) => best.has(doc)).length;
    }
    expect(kept / (10 * queries.count)).toBeGreaterThanOrEqual(0.8);
  });

  test("wrong sizes are refused", () => {
    const vectors = clustered(10, 4, 2, 13);
    expect(() => trainPq(vectors, 5)).toThrow("5 parts");
    expect(() => trainPq(vectors, 0)).toThrow(RangeError);
    expect(() => trainPq(denseVectors([], 4), 2)).toThrow("no vectors");
    const quantizer = trainPq(vectors, 2);
    expect(() => quantizer.encode(clustered(10, 5, 2, 13))).toThrow("5 dims");
    expect(() =>
      quantizer.computeScores(new Uint8Array(5), vectorAt(vectors, 0), new Float64Array(2)),
    ).toThrow("5 codes");
  });
});

describe("OPQ", () => {
  /** How far RᵀR is from the identity, at its worst entry. */
  const skew = (rotation: Square) => {
    const { dims, values } = matrixProduct(transposedMatrix(rotation), rotation);
    return Math.max(...values.map((value, at) => Math.abs(value - (at % (dims + 1) === 0 ? 1 : 0))));
  };

  test("Procrustes finds the rotation between two sets of vectors", () => {
    const dims = 12;
    const normal = gaussians(14);
    const turned = procrustes({ dims, values: new Float64Array(dims * dims).map(normal) }).rotation;
    expect(skew(turned)).toBeLessThan(1e-6);
    // X = any, Y = X · R: then XᵀY = XᵀX · R.
    const x = { dims, values: new Float64Array(dims * dims).map(normal) };
    const { rotation } = procrustes(matrixProduct(matrixProduct(transposedMatrix(x), x), turned));
    for (const [at, value] of rotation.values.entries()) expect(value).toBeCloseTo(turned.values[at], 4);
  });

  test.each([0, 1, 3])("a matrix of rank %i still gives a rotation", (rank) => {
    const dims = 10;
    const normal = gaussians(15);
    const values = new Float64Array(dims * dims);
    for (let r = 0; r < rank; r++) {
      const [a, b] = [
        Float64Array.from({ length: dims }, normal),
        Float64Array.from({ length: dims }, normal),
      ];
      for (let at = 0; at < values.length; at++) values[at] += a[Math.floor(at / dims)] * b[at % dims];
    }
    expect(skew(procrustes({ dims, values }).rotation)).toBeLessThan(1e-6);
  });

  test("its rotation is orthogonal, and it loses no more than PQ where dims are correlated", () => {
    for (const seed of [16, 17, 18]) {
      const vectors = correlated(800, 24, 6, seed);
      const opq = trainOpq(vectors, 6, { seed, bits: 4 });
      expect(skew(opq.rotation)).toBeLessThan(1e-4);
      const turned = rotated(vectors, opq.rotation);
      expect(loss(turned, opq.quantizer)).toBeLessThan(
        0.8 * loss(vectors, trainPq(vectors, 6, { seed, bits: 4 })),
      );
    }
  });

  test("exact codes give exact scores: queries are rotated like documents", () => {
    const vectors = correlated(200, 16, 3, 19); // fewer vectors than centroids
    const query = correlated(1, 16, 3, 20);
    const opq = trainOpq(vectors, 4);
    expect([opq.name, opq.bytesPerVector]).toEqual(["OPQ4", 4]);
    for (const [i, score] of scoresOf(opq, vectors, query).entries()) {
      expect(score).toBeCloseTo(innerProduct(dense(vectors, i), dense(query, 0)), 3);
    }
  });

  test("wide vectors are sketched, and inner products are kept on average", () => {
    const vectors = denseVectors(sparseRows(2, 400, 21), 400);
    const [a, b] = [vectorAt(vectors, 0), vectorAt(vectors, 1)];
    const seeds = 2000;
    let sum = 0;
    for (let seed = 0; seed < seeds; seed++) {
      const both = new CountSketch(400, 64, seed).sketchAll(vectors);
      sum += innerProduct(dense(both, 0), dense(both, 1));
    }
    const exact = innerProduct(dense(vectors, 0), dense(vectors, 1));
    const norms = innerProduct(a.values, a.values) * innerProduct(b.values, b.values);
    // The variance of one sketch is about ‖a‖²‖b‖² / 64; the mean of all lies within four standard errors.
    expect(Math.abs(sum / seeds - exact)).toBeLessThan(4 * Math.sqrt(norms / 64 / seeds));

    const opq = trainOpq(denseVectors(sparseRows(100, 400, 22), 400), 8, { reducedDims: 64 });
    expect(opq.rotation.dims).toBe(64);
    expect(opq.encode(vectors)).toHaveLength(2 * 8);
    expect(() => trainOpq(vectors, 8, { reducedDims: 2000 })).toThrow("2000");
  });
});

describe("LSH", () => {
  test("the share of equal bits is 1 − angle / π, and grows with the cosine", () => {
    const bits = 4096;
    const tolerance = 0.032; // four standard deviations at a half: 4 · √(¼ / 4096)
    const angles = [0, 0.1, 0.25, 0.5, 0.75, 1].map((share) => share * Math.PI);
    // In the plane of the first two axes, and spread over 50 columns of 30,000.
    for (const spread of [1, 25]) {
      const at = (angle: number) => ({
        columns: Array.from({ length: 2 * spread }, (_, j) => j * 597),
        values: Array.from({ length: 2 * spread }, (_, j) =>
          j < spread ? Math.cos(angle) : Math.sin(angle),
        ),
      });
      const lsh = trainLsh(30_000, bits, 23);
      const scores = scoresOf(lsh, sparseVectors(angles.map(at), 30_000), sparseVectors([at(0)], 30_000));
      expect(scores[0]).toBe(bits);
      for (const [i, angle] of angles.entries()) {
        expect(Math.abs(scores[i] / bits - (1 - angle / Math.PI))).toBeLessThan(tolerance);
        if (i > 0) expect(scores[i]).toBeLessThan(scores[i - 1]);
      }
    }
  });

  test.each([1, 31, 32, 33, 255, 256, 257, 600])("%i bits: the score counts the bits that agree", (bits) => {
    const vectors = clustered(20, 8, 5, 24);
    const lsh = trainLsh(8, bits, 25);
    expect(lsh.bytesPerVector).toBe(Math.ceil(bits / 8));
    const codes = lsh.encode(vectors);
    const stride = codes.length / 20;
    const bit = (i: number, b: number) => (codes[i * stride + (b >> 3)] >> (b & 7)) & 1;
    const scores = new Float64Array(20);
    lsh.computeScores(codes, vectorAt(vectors, 3), scores);
    for (let i = 0; i < 20; i++) {
      const equal = Array.from({ length: bits }, (_, b) => bit(i, b) === bit(3, b)).filter(Boolean).length;
      expect(scores[i]).toBe(equal);
    }
  });

  test("lengths do not count, and another seed is another code", () => {
    const vectors = clustered(10, 8, 5, 26);
    const longer = { ...vectors, values: vectors.values.map((value) => 4 * value) };
    const codes = trainLsh(8, 256, 1).encode(vectors);
    expect(trainLsh(8, 256, 1).encode(longer)).toEqual(codes);
    expect(trainLsh(8, 256, 2).encode(vectors)).not.toEqual(codes);
  });
});

test("every compressor gives the same codes for sparse and dense input, and again", () => {
  const rows = sparseRows(300, 40, 27);
  const inFull = denseVectors(rows, 40);
  const sparse = sparseVectors(
    rows.map((row) => {
      const columns = [...row.keys()].filter((column) => row[column] !== 0);
      return { columns, values: columns.map((column) => row[column]) };
    }),
    40,
  );
  const makers: ((vectors: CodeVectors) => Compressor)[] = [
    (vectors) => trainPq(vectors, 6, { bits: 4, seed: 1 }),
    (vectors) => trainOpq(vectors, 6, { bits: 4, seed: 1 }),
    (vectors) => trainOpq(vectors, 6, { bits: 4, seed: 1, reducedDims: 24 }),
    () => trainLsh(40, 100, 1),
  ];
  for (const make of makers) {
    const codes = make(inFull).encode(inFull);
    expect(make(sparse).encode(sparse)).toEqual(codes);
    expect(make(inFull).encode(sparse)).toEqual(codes);
  }
});
