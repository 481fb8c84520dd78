import { describe, expect, test } from "vitest";
import { type QueryRow, type Rows, RowsBuilder, rowAt } from "../../densify/rows.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { topK } from "../../support/numbers/topk.ts";
import { Arena, alignedBytes } from "../../wasm/arena.ts";
import { padDocs } from "../rows/windows.ts";
import { type CodeShape, codeAt, codeBytes, lookUpSum, nearestCentroid, putCode } from "./code-shape.ts";
import { type LookUps, ProductCoder, quantizeTables, tableBytes } from "./product-codes.ts";
import { type ProductOptions, trainProductCoder } from "./product-training.ts";

/** Numbers on both sides of how many documents a kernel takes at a time. */
const DOCS = [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 79, 1000];
const PARTS = [2, 6, 8, 64, 128];
const SHAPES: CodeShape[] = PARTS.flatMap((parts) => [
  { parts, bits: 4 },
  { parts, bits: 8 },
]);

function gaussians(seed: number): () => number {
  const random = mulberry32(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Rows with this share of their slots filled, scattered around a few centers. */
function clusteredRows(docs: number, dims: number, semanticDims: number, filled: number, seed: number): Rows {
  const random = mulberry32(seed);
  const normal = gaussians(seed + 1);
  const centers = Array.from({ length: 40 }, () => ({
    lexical: Array.from({ length: dims }, () => (random() < filled ? 0.2 + 2 * random() : 0)),
    semantic: Array.from({ length: semanticDims }, normal),
  }));
  const builder = new RowsBuilder(dims, 256, semanticDims);
  for (let doc = 0; doc < docs; doc++) {
    const { lexical, semantic } = centers[Math.floor(random() * centers.length)];
    const slots = lexical.flatMap((value, slice) => {
      const near = value > 0 && random() < 0.9 ? Math.max(0, value + 0.3 * normal()) : 0;
      return near > 0 ? [{ slice, near }] : [];
    });
    const row = {
      slices: Uint32Array.from(slots, ({ slice }) => slice),
      indices: Uint16Array.from(slots, () => Math.floor(random() * 256)),
      values: Float32Array.from(slots, ({ near }) => near),
    };
    builder.add(
      row,
      semantic.map((value) => value + 0.5 * normal()),
    );
  }
  return builder.finish();
}

/** A row's columns and values, written out plainly. */
function vectorOf(rows: Rows, doc: number): Float32Array {
  const vector = new Float32Array(rows.dims + rows.semanticDims);
  const { slices, values } = rowAt(rows, doc);
  for (let i = 0; i < slices.length; i++) vector[slices[i]] = values[i];
  for (let i = 0; i < rows.semanticDims; i++) {
    vector[rows.dims + i] = FLOAT16[rows.semantic[doc * rows.semanticDims + i]];
  }
  return vector;
}

function queryOf(rows: Rows, doc: number, lambda: number): QueryRow {
  const semantic = vectorOf(rows, doc)
    .subarray(rows.dims)
    .map((value) => value * lambda);
  return { ...rowAt(rows, doc), ...(rows.semanticDims > 0 && { semantic }) };
}

/** Tables whose pairs add up to at most 255, as `scanNibbles` needs them. */
function randomByteTables(parts: number, random: () => number): Uint8Array {
  const tables = new Uint8Array(parts * 16);
  for (let part = 0; part < parts; part += 2) {
    const most = random() < 0.3 ? [255, 0, 128][Math.floor(random() * 3)] : Math.floor(256 * random());
    for (let c = 0; c < 16; c++) {
      tables[part * 16 + c] = c === 15 ? most : Math.floor(random() * (most + 1));
      tables[part * 16 + 16 + c] = c === 15 ? 255 - most : Math.floor(random() * (256 - most));
    }
  }
  return tables;
}

/** Codes and tables in a memory of their own, with a mark after the sums that no kernel may overwrite. */
function laidOut(shape: CodeShape, codes: Uint8Array, tables: Uint8Array | Float32Array, docs: number) {
  const sumsBytes = 4 * padDocs(docs) + 64;
  const sizes = [codes.length, tables.byteLength, sumsBytes];
  const arena = new Arena(sizes.reduce((sum, bytes) => sum + alignedBytes(bytes), 0));
  const [codesAt, tablesAt, sumsAt] = sizes.map((bytes) => arena.allocate(bytes));
  arena.view(Uint8Array, codesAt, codes.length).set(codes);
  const bytes = new Uint8Array(tables.buffer, tables.byteOffset, tables.byteLength);
  arena.view(Uint8Array, tablesAt, bytes.length).set(bytes);
  const sums = arena.view(Float32Array, sumsAt, sumsBytes / 4).fill(-7);
  const padded = padDocs(docs);
  return {
    scan(scale = 1, bias = 0): Float32Array {
      if (shape.bits === 8) arena.kernels.scanBytes(codesAt, shape.parts, padded, tablesAt, sumsAt);
      else arena.kernels.scanNibbles(codesAt, shape.parts, padded, tablesAt, scale, bias, sumsAt);
      return this.sums();
    },
    scanWith(coder: ProductCoder, query: LookUps): Float32Array {
      coder.scan(arena.kernels, codesAt, docs, tablesAt, query, sumsAt);
      return this.sums();
    },
    sums(): Float32Array {
      expect([...sums.subarray(padded)], "nothing is written after the sums").toEqual(Array(16).fill(-7));
      return sums.slice(0, docs);
    },
  };
}

function randomCodes(shape: CodeShape, docs: number, random: () => number): Uint8Array {
  const codes = new Uint8Array(padDocs(docs) * codeBytes(shape));
  for (let i = 0; i < codes.length; i++) codes[i] = Math.floor(256 * random());
  return codes;
}

describe("codes", () => {
  test.each(SHAPES)("what is put is found, $parts parts of $bits bits", (shape) => {
    const random = mulberry32(1);
    const [docs, most] = [50, 2 ** shape.bits];
    const codes = new Uint8Array(padDocs(docs) * codeBytes(shape));
    const plain = Array.from({ length: docs * shape.parts }, () => Math.floor(most * random()));
    for (const [i, code] of plain.entries()) {
      putCode(codes, shape, Math.floor(i / shape.parts), i % shape.parts, code);
    }
    for (const [i, code] of plain.entries()) {
      expect(codeAt(codes, shape, Math.floor(i / shape.parts), i % shape.parts)).toBe(code);
    }
  });

  test("4 bits: two parts share a byte, sixteen documents stand side by side", () => {
    const shape = { parts: 4, bits: 4 } as const;
    const codes = new Uint8Array(32 * codeBytes(shape));
    putCode(codes, shape, 17, 3, 0xa);
    putCode(codes, shape, 17, 2, 0x5);
    expect(codes.indexOf(0xa5)).toBe(16 * 2 + 16 + 1);
  });
});

describe("scans", () => {
  test.each(PARTS.concat(512))("4 bits are the definition's sums exactly, %i parts", (parts) => {
    const random = mulberry32(parts);
    const shape = { parts, bits: 4 } as const;
    for (const docs of DOCS) {
      const codes = randomCodes(shape, docs, random);
      const tables = randomByteTables(parts, random);
      const sums = laidOut(shape, codes, tables, docs).scan();
      const expected = Float32Array.from({ length: docs }, (_, doc) => lookUpSum(codes, shape, tables, doc));
      expect(sums, `${docs} documents`).toEqual(expected);
    }
  });

  test("4 bits: the largest sum there is, and scale and bias", () => {
    const shape = { parts: 512, bits: 4 } as const;
    const tables = new Uint8Array(512 * 16).map((_, i) => (i % 32 < 16 ? 200 : 55));
    const codes = randomCodes(shape, 40, mulberry32(3));
    expect(laidOut(shape, codes, tables, 40).scan()).toEqual(new Float32Array(40).fill(256 * 255));
    const weighed = laidOut(shape, codes, tables, 40).scan(0.25, -3);
    expect(weighed).toEqual(new Float32Array(40).fill(256 * 255 * 0.25 - 3));
  });

  test.each(PARTS)("8 bits are the definition's sums, %i parts", (parts) => {
    const random = mulberry32(parts);
    const shape = { parts, bits: 8 } as const;
    for (const docs of DOCS) {
      const codes = randomCodes(shape, docs, random);
      const tables = Float32Array.from(
        { length: parts * 256 },
        () => (random() - 0.5) * 10 ** (4 * random()),
      );
      const sizes = tables.map(Math.abs);
      const sums = laidOut(shape, codes, tables, docs).scan();
      for (let doc = 0; doc < docs; doc++) {
        const bound = parts * 2 ** -24 * lookUpSum(codes, shape, sizes, doc);
        const error = Math.abs(sums[doc] - lookUpSum(codes, shape, tables, doc));
        expect(error, `document ${doc} of ${docs}`).toBeLessThanOrEqual(bound);
      }
    }
  });

  test.each([4, 8] as const)("a whole window and one document less, %i bits", (bits) => {
    const shape = { parts: 2, bits };
    const random = mulberry32(bits);
    for (const docs of [65_535, 65_536]) {
      const codes = randomCodes(shape, docs, random);
      // Whole numbers, so that float32 sums are exact too.
      const tables =
        bits === 4
          ? randomByteTables(2, random)
          : Float32Array.from({ length: 512 }, () => Math.floor(1000 * random()));
      const expected = Float32Array.from({ length: docs }, (_, doc) => lookUpSum(codes, shape, tables, doc));
      expect(laidOut(shape, codes, tables, docs).scan()).toEqual(expected);
    }
  });
});

describe("tables of bytes", () => {
  test.each(PARTS)("are off by at most half a step a part, %i parts", (parts) => {
    const random = mulberry32(parts);
    const shape = { parts, bits: 4 } as const;
    const floats = Float32Array.from({ length: parts * 16 }, () => (random() - 0.4) * 3);
    const { tables, scale, bias } = quantizeTables(floats);
    for (let part = 0; part < parts; part += 2) {
      const [a, b] = [part, part + 1].map((p) => Math.max(...tables.subarray(16 * p, 16 * p + 16)));
      expect(a + b).toBeLessThanOrEqual(255);
    }
    const codes = randomCodes(shape, 100, random);
    for (let doc = 0; doc < 100; doc++) {
      const error = scale * lookUpSum(codes, shape, tables as Uint8Array, doc) + bias;
      const bound = (parts * scale) / 2 + 1e-9;
      expect(Math.abs(error - lookUpSum(codes, shape, floats, doc))).toBeLessThanOrEqual(bound);
    }
  });

  test("of a query without weight are 0", () => {
    expect(quantizeTables(new Float32Array(32))).toEqual({ tables: new Uint8Array(32), scale: 0, bias: 0 });
  });

  test("the widest part alone uses all but one of the steps", () => {
    const floats = new Float32Array(64).map((_, i) => (i === 37 ? -5 : 1));
    const { tables, scale, bias } = quantizeTables(floats);
    expect(Math.max(...tables)).toBe(254);
    expect(254 * scale + bias).toBeCloseTo(1 + 1 + 1 + 1, 6);
  });
});

/** The nearest centroids by the definition, and how much farther they are than the nearest in float64. */
function plainCode(
  coder: ProductCoder,
  vector: Float32Array,
  part: number,
): { code: number; excess: number } {
  const count = 2 ** coder.bits;
  const width = coder.dims + coder.semanticDims;
  const [from, to] = [part, part + 1].map((p) => Math.floor((p * width) / coder.parts));
  const norms = new Float64Array(count);
  const distances = new Float64Array(count);
  for (let column = from; column < to; column++) {
    for (let c = 0; c < count; c++) {
      const centroid = coder.codebooks[column * count + c];
      norms[c] += centroid * centroid;
      distances[c] += (vector[column] - centroid) ** 2;
    }
  }
  const columns = Array.from({ length: to - from }, (_, i) => from + i).filter(
    (column) => vector[column] !== 0,
  );
  const values = columns.map((column) => vector[column]);
  const code = nearestCentroid(
    columns,
    values,
    coder.codebooks,
    Float32Array.from(norms, (norm) => -norm / 2),
  );
  return { code, excess: distances[code] - Math.min(...distances) };
}

describe("encoding", () => {
  const cases: { name: string; rows: Rows; options: ProductOptions }[] = [
    { name: "full rows, 4 bits", rows: clusteredRows(700, 64, 16, 1, 1), options: { parts: 16, bits: 4 } },
    { name: "full rows, 8 bits", rows: clusteredRows(700, 64, 16, 1, 2), options: { parts: 8, bits: 8 } },
    {
      name: "sparse rows, 4 bits",
      rows: clusteredRows(700, 768, 0, 0.05, 3),
      options: { parts: 64, bits: 4 },
    },
    {
      name: "sparse rows, 8 bits",
      rows: clusteredRows(400, 768, 32, 0.05, 4),
      options: { parts: 32, bits: 8 },
    },
    {
      name: "parts of unequal width",
      rows: clusteredRows(300, 50, 13, 0.5, 5),
      options: { parts: 20, bits: 4 },
    },
    {
      name: "no lexical part to speak of",
      rows: clusteredRows(300, 1, 33, 0, 6),
      options: { parts: 4, bits: 8 },
    },
    {
      name: "fewer documents than centroids",
      rows: clusteredRows(9, 30, 4, 1, 7),
      options: { parts: 2, bits: 4 },
    },
    { name: "one document", rows: clusteredRows(1, 30, 4, 1, 8), options: { parts: 34, bits: 8 } },
  ];

  test.each(cases)("finds the nearest centroid of every part: $name", ({ rows, options }) => {
    const coder = trainProductCoder(rows, options);
    const codes = coder.encode(rows);
    expect(codes.length).toBe(coder.windowBytes(rows.docs));
    for (let doc = 0; doc < rows.docs; doc++) {
      const vector = vectorOf(rows, doc);
      const parts = Array.from({ length: coder.parts }, (_, part) => part);
      const plain = parts.map((part) => plainCode(coder, vector, part));
      const found = parts.map((part) => codeAt(codes, coder, doc, part));
      expect(found, `document ${doc}`).toEqual(plain.map(({ code }) => code));
      expect(Math.max(...plain.map(({ excess }) => excess))).toBeLessThan(1e-4);
    }
  });

  test("of two equally near centroids the lower is taken", () => {
    const rows = clusteredRows(200, 8, 0, 1, 9);
    for (const bits of [4, 8] as const) {
      // Every centroid occurs four times: side by side, in other lanes, in other blocks.
      const count = 2 ** bits;
      const random = mulberry32(bits);
      const different = Array.from({ length: 8 * (count / 4) }, () => 2 * random());
      const at = (column: number, c: number) => different[column * (count / 4) + (c % (count / 4))];
      const codebooks = Float32Array.from({ length: 8 * count }, (_, i) =>
        at(Math.floor(i / count), i % count),
      );
      const coder = new ProductCoder({ parts: 2, bits, dims: 8, semanticDims: 0 }, codebooks);
      const codes = coder.encode(rows);
      for (let doc = 0; doc < rows.docs; doc++) {
        for (let part = 0; part < 2; part++) {
          const { code } = plainCode(coder, vectorOf(rows, doc), part);
          expect(codeAt(codes, coder, doc, part)).toBe(code);
          expect(code).toBeLessThan(count / 4);
        }
      }
    }
  });

  test.each([4, 8] as const)("several windows and several chunks, %i bits", (bits) => {
    const rows = clusteredRows(2500, 24, 8, 0.6, 10);
    const coder = trainProductCoder(rows, { parts: 8, bits, sample: 500, iterations: 3 });
    const whole = coder.encode(rows);
    const cut = coder.encode(rows, 1200);
    const starts = [0, coder.windowBytes(1200), 2 * coder.windowBytes(1200)];
    expect(cut.length).toBe(starts[2] + coder.windowBytes(100));
    const parts = [...Array(8).keys()];
    for (let doc = 0; doc < rows.docs; doc++) {
      const window = cut.subarray(starts[Math.floor(doc / 1200)]);
      const found = parts.map((part) => codeAt(whole, coder, doc, part));
      expect(parts.map((part) => codeAt(window, coder, doc % 1200, part))).toEqual(found);
      if (doc % 97 !== 0) continue;
      expect(parts.map((part) => plainCode(coder, vectorOf(rows, doc), part).code)).toEqual(found);
    }
  });

  test("rows of another width are refused", () => {
    const coder = trainProductCoder(clusteredRows(50, 24, 8, 0.6, 11), { parts: 8 });
    expect(() => coder.encode(clusteredRows(50, 32, 0, 0.6, 11))).toThrow(
      "32 + 0 columns, trained on 24 + 8",
    );
  });
});

describe("training", () => {
  test("the same rows and seed give the same codebooks", () => {
    const rows = clusteredRows(600, 40, 8, 0.7, 12);
    const [a, b] = [1, 2].map(() => trainProductCoder(rows, { parts: 12, bits: 4, seed: 5 }));
    const other = trainProductCoder(rows, { parts: 12, bits: 4, seed: 6 });
    expect(a.codebooks).toEqual(b.codebooks);
    expect(a.codebooks).not.toEqual(other.codebooks);
    expect(a.codebooks.length).toBe(48 * 16);
  });

  test("rounds of k-means bring the centroids nearer", () => {
    const rows = clusteredRows(1500, 64, 16, 0.8, 13);
    const error = (iterations: number) => {
      const coder = trainProductCoder(rows, { parts: 10, bits: 4, iterations });
      const codes = coder.encode(rows);
      let sum = 0;
      for (let doc = 0; doc < rows.docs; doc++) {
        const vector = vectorOf(rows, doc);
        for (let column = 0; column < 80; column++) {
          const code = codeAt(codes, coder, doc, Math.floor(column / 8));
          sum += (vector[column] - coder.codebooks[column * 16 + code]) ** 2;
        }
      }
      return sum;
    };
    expect(error(10)).toBeLessThan(0.9 * error(0));
  });

  test("impossible shapes and empty rows are refused", () => {
    const rows = clusteredRows(20, 24, 8, 0.6, 14);
    expect(() => trainProductCoder(rows, { parts: 7 })).toThrow("quantize.parts must be an even number");
    expect(() => trainProductCoder(rows, { parts: 34 })).toThrow("from 2 to 32");
    expect(() => trainProductCoder({ ...rows, dims: 30_000 }, { parts: 64 })).toThrow(
      "30000 slices, expected at most 4096",
    );
    expect(() => trainProductCoder(new RowsBuilder(24, 256).finish(), { parts: 8 })).toThrow(
      "needs documents",
    );
    expect(() => trainProductCoder(rows, { parts: 8, bits: 5 as 4 })).toThrow("must be 4 or 8, not 5");
  });
});

describe("searching", () => {
  const innerProduct = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, i) => sum + value * b[i], 0);

  /** The share of the true ten best by inner product among the hundred best by codes. */
  function recall(rows: Rows, options: ProductOptions, lambda: number): number {
    const coder = trainProductCoder(rows, options);
    const restored = new ProductCoder(JSON.parse(JSON.stringify(coder.shape)), coder.codebooks.slice());
    const codes = coder.encode(rows);
    const vectors = Array.from({ length: rows.docs }, (_, doc) => vectorOf(rows, doc));
    let found = 0;
    const queries = [3, 77, 500, 901, 1444];
    for (const doc of queries) {
      const query = queryOf(rows, doc, lambda);
      const full = vectorOf(rows, doc).map((value, column) => (column < rows.dims ? value : value * lambda));
      const lookUps = restored.lookUps(query);
      expect(lookUps.tables.byteLength).toBe(tableBytes(restored));
      const { scale, tables } = lookUps;
      const sums = laidOut(coder, codes, tables, rows.docs).scanWith(restored, lookUps);
      const products = restored.products(query);
      const [least, most] = [Math.min(...products), Math.max(...products)];
      const bound = (coder.bits === 4 ? (coder.parts * scale) / 2 : 0) + 1e-5 * coder.parts * (most - least);
      for (let d = 0; d < rows.docs; d += 50) {
        expect(Math.abs(sums[d] - lookUpSum(codes, coder, products, d))).toBeLessThanOrEqual(bound);
      }
      const truth = topK(
        Float64Array.from(vectors, (vector) => innerProduct(full, vector)),
        10,
      );
      const hits = new Set(topK(Float64Array.from(sums), 100));
      found += truth.filter((wanted) => hits.has(wanted)).length;
    }
    return found / (10 * queries.length);
  }

  test.each([
    { bits: 4, parts: 32, floor: 0.95 },
    { bits: 8, parts: 32, floor: 0.98 },
    { bits: 8, parts: 8, floor: 0.9 },
  ] as const)("keeps the best, $parts parts of $bits bits", ({ bits, parts, floor }) => {
    expect(recall(clusteredRows(2000, 128, 32, 0.3, 15), { bits, parts }, 0.5)).toBeGreaterThan(floor);
  });

  test("a query without a semantic part scores the lexical one alone", () => {
    const rows = clusteredRows(200, 32, 8, 0.5, 16);
    const coder = trainProductCoder(rows, { parts: 8, bits: 8 });
    const query = queryOf(rows, 5, 0);
    const { semantic, ...lexical } = query;
    expect(coder.products(lexical)).toEqual(coder.products(query));
    expect(() => coder.products({ ...lexical, semantic: new Float32Array(4) })).toThrow("4 dims, expected 8");
    expect(semantic!.length).toBe(8);
  });
});
