// Lists of gaps, scanned: the kernel adds what the definition of a list says and refuses what that refuses, and scans find what
// scoring every row finds.

import { describe, expect, test } from "vitest";
import { createMemorySource } from "../../../test/helpers/memory-source.ts";
import { type QueryRow, type Rows, RowsBuilder } from "../../densify/rows.ts";
import { gatedInnerProducts, innerProducts } from "../../rank/definition.ts";
import { layOut } from "../../segment/layout.ts";
import { cutIntoGapLists, readGapList } from "../../segment/lexical/gap-lists.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { Arena } from "../../wasm/arena.ts";
import { runScan } from "./scan-segments.ts";
import { Scanner } from "./scanner.ts";

const random = mulberry32(31);
const whole = (below: number) => Math.floor(random() * below);

/** The sums that a list adds, by definition; undefined if no writer writes it. */
function definedSums(list: Uint8Array, docs: number, weight: number): Int32Array | undefined {
  const sums = new Int32Array(docs);
  try {
    for (const { lane, code } of readGapList(list, docs)) sums[lane] += weight * code;
    return sums;
  } catch {
    return undefined;
  }
}

/** A list of random lanes; a document holds it with probability `share`, in runs if they are `clustered`. */
function someList(docs: number, share: number, clustered: boolean): Uint8Array {
  const builder = new RowsBuilder(1, 1);
  let isRun = false;
  for (let doc = 0; doc < docs; doc++) {
    if (!clustered || random() < 0.01) isRun = random() < share;
    const has = Number(isRun);
    builder.add({
      slices: new Uint32Array(has),
      indices: new Uint16Array(has),
      values: new Float32Array(has).fill(roundToFloat16(0.01 + random())),
    });
  }
  return cutIntoGapLists(builder.finish()).arrays.gapLists;
}

describe.each([false, true])("the kernel, on a shared memory: %s", (shared) => {
  const arena = new Arena(2 ** 20, shared);
  const list = arena.allocate(300_000);
  const before = arena.allocate(4096);
  const acc = arena.allocate(65_536 * 4);
  const after = arena.allocate(1024);
  const guards = [arena.view(Int32Array, before, 1024), arena.view(Int32Array, after, 256)];

  /** Compares the kernel with the definition, and checks that nothing beside the sums was written. */
  function compare(bytes: Uint8Array, docs: number): boolean {
    const weight = 1 + whole(2 ** 20);
    arena.bytes.set(bytes, list);
    const sums = arena.view(Int32Array, acc, 65_536).fill(0);
    for (const guard of guards) guard.fill(77);
    const expected = definedSums(bytes, docs, weight);
    const isSound = arena.kernels.addGapList(list, list + bytes.length, docs, weight, acc) !== 0;
    expect(isSound).toBe(expected !== undefined);
    if (expected && !sums.subarray(0, docs).every((sum, i) => sum === expected[i]))
      expect(sums.subarray(0, docs)).toEqual(expected);
    expect(Math.max(...sums.subarray(docs, docs + 300), ...guards.flatMap((guard) => [...guard]))).toBe(77);
    expect(Math.min(0, ...sums.subarray(docs, docs + 300), ...guards.flatMap((guard) => [...guard]))).toBe(0);
    return isSound;
  }

  test.each([1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1023, 1024, 1025, 5000, 65_535, 65_536])(
    "%i documents",
    (docs) => {
      for (const share of docs > 60_000 ? [0.5, 0.02] : [1, 0.5, 0.1, 0.02, 0.002]) {
        for (const clustered of [false, true]) {
          const bytes = someList(docs, share, clustered);
          if (bytes.length === 0) continue;
          expect(compare(bytes, docs)).toBe(true);
          // A smaller window refuses it, as the definition does.
          if (docs > 1) compare(bytes, docs - 1 - whole(Math.min(docs - 1, 40)));
        }
      }
    },
  );

  test("damaged lists are refused alike, or add the same", () => {
    let refused = 0;
    const docs = 2100;
    const lists = [0.9, 0.5, 0.2, 0.05, 0.01, 0.001].map((share) => someList(docs, share, false));
    for (let round = 0; round < 1500; round++) {
      const bytes = lists[round % lists.length].slice();
      const damaged = random() < 0.3 ? bytes.subarray(0, whole(bytes.length + 1)) : bytes;
      if (random() < 0.3) damaged[0] = [4, 8, 16, 0, 255][whole(5)];
      for (let i = whole(4); i > 0 && damaged.length > 0; i--) damaged[whole(damaged.length)] = whole(256);
      if (!compare(damaged, docs)) refused++;
    }
    expect(refused).toBeGreaterThan(100);
  });
});

interface Shape {
  readonly name: string;
  readonly docs: number;
  readonly dims: number;
  /** The index of a document in a slice; undefined if the slot is empty. */
  readonly indexOf: (doc: number, slice: number) => number | undefined;
  /** How many different values there are: few make ties. */
  readonly values: number;
}

const GAPS = [15, 16, 17, 254, 255, 256, 509, 510];

const SHAPES: Shape[] = [
  { name: "full rows", docs: 900, dims: 9, values: 1000, indexOf: () => Math.floor(256 * random() ** 4) },
  {
    name: "empty slots, ties",
    docs: 500,
    dims: 6,
    values: 2,
    indexOf: () => (random() < 0.6 ? whole(3) : undefined),
  },
  {
    name: "a cell of all documents",
    docs: 400,
    dims: 3,
    values: 7,
    indexOf: (_, slice) => (slice < 2 ? 5 : whole(200)),
  },
  {
    name: "gaps on both sides of 4 and 8 bits",
    docs: 5000,
    dims: GAPS.length,
    values: 100,
    indexOf: (doc, slice) => (doc % (GAPS[slice] + 1) === 7 % (GAPS[slice] + 1) ? 1 : 0),
  },
  ...[1, 15, 16, 17].map((docs) => {
    return { name: `a segment of ${docs} documents`, docs, dims: 4, values: 3, indexOf: () => whole(2) };
  }),
];

function rowsOf({ docs, dims, values, indexOf }: Shape): Rows {
  const builder = new RowsBuilder(dims, 256);
  for (let doc = 0; doc < docs; doc++) {
    const indices = Array.from({ length: dims }, (_, slice) => indexOf(doc, slice));
    const slices = [...indices.keys()].filter((slice) => indices[slice] !== undefined);
    builder.add({
      slices: Uint32Array.from(slices),
      indices: Uint16Array.from(slices, (slice) => indices[slice]!),
      values: Float32Array.from(slices, () => roundToFloat16((1 + whole(values)) / values)),
    });
  }
  return builder.finish();
}

/** A query of some cells that documents have, and of others. */
function someQuery({ dims, docs, indexOf }: Shape): QueryRow {
  const slices = Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < 0.8);
  return {
    slices: Uint32Array.from(slices),
    indices: Uint16Array.from(slices, (slice) => indexOf(whole(docs), slice) ?? whole(256)),
    values: Float32Array.from(slices, () => roundToFloat16(random() < 0.2 ? 20 : 0.1 + random())),
  };
}

describe.each(SHAPES)("$name", (shape) => {
  test.each([1, 15, 16, 17, 288, 65_536])("windows of %i documents", async (windowDocs) => {
    const rows = rowsOf(shape);
    const layout = layOut(rows, { windowDocs, lexical: "gaps" });
    const scanner = await Scanner.load(createMemorySource(rows, layout));
    const all = Uint32Array.from({ length: rows.docs }, (_, doc) => doc);
    for (let round = 0; round < 4; round++) {
      const query = someQuery(shape);
      // Sets of documents are cut at whole words, so that a filter needs windows of a multiple of 32 documents.
      const isFiltered = round % 2 === 1 && (windowDocs % 32 === 0 || windowDocs > rows.docs);
      const allowed = isFiltered ? new Bits(rows.docs) : undefined;
      if (allowed) for (const doc of all) if (random() < 0.7) allowed.set(doc);
      for (const scoring of ["gated", "inner-product"] as const) {
        const scores = (scoring === "gated" ? gatedInnerProducts : innerProducts)(query, rows);
        for (const wantedCandidates of [1, 10, 300]) {
          const best = [...all]
            .filter((doc) => scores[doc] > 0 && (!allowed || allowed.get(doc)))
            .sort((a, b) => scores[b] - scores[a] || a - b)
            .slice(0, wantedCandidates);
          const { candidates } = runScan([{ scanner, first: 0, allowed }], {
            scannedQuery: query,
            scoring,
            wantedCandidates,
          });
          const { docs, bounds } = candidates.copy();
          const boundOf = new Map(Array.from(docs, (doc, i) => [doc, bounds[i]]));
          expect(best.filter((doc) => !boundOf.has(doc))).toEqual([]);
          expect([...boundOf].filter(([doc, bound]) => bound < scores[doc])).toEqual([]);
          if (allowed) expect([...boundOf.keys()].every((doc) => allowed.get(doc))).toBe(true);
        }
      }
      const some = all.filter(() => random() < 0.2);
      const scores = gatedInnerProducts(query, rows);
      const bounds = scanner.bounds(scanner.prepare(query), some);
      expect([...some].filter((doc, i) => bounds[i] < scores[doc])).toEqual([]);
    }
  });
});

test("a damaged list ends a scan with one clear error", async () => {
  const rows = rowsOf(SHAPES[0]);
  const layout = layOut(rows, { lexical: "gaps" });
  const { gapLists, listStarts } = layout.sections;
  for (const start of listStarts) gapLists[start] = 5;
  const scanner = await Scanner.load(createMemorySource(rows, layout));
  const request = {
    scannedQuery: someQuery(SHAPES[0]),
    scoring: "inner-product",
    wantedCandidates: 3,
  } as const;
  expect(() => runScan([{ scanner, first: 0, allowed: undefined }], request)).toThrow(
    /a posting list of gaps cannot be read/,
  );
});
