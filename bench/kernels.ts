// Measures how fast each kernel reads, compared with a copy of the same number of bytes in the same run and with the plain
// definition.

import { RowsBuilder } from "../src/densify/index.ts";
import { formatTable } from "../src/lab/index.ts";
import { gatedInnerProducts } from "../src/rank/definition.ts";
import { runScan } from "../src/scan/wasm/scan-segments.ts";
import { Scanner } from "../src/scan/wasm/scanner.ts";
import { ProductCoder } from "../src/segment/codes/product-codes.ts";
import { layOut } from "../src/segment/layout.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import { Arena } from "../src/wasm/arena.ts";
import { createMemorySource } from "../test/helpers/memory-source.ts";
import type { Bench } from "./support/bench.ts";

/** Documents in one window: the most a window can have. */
const DOCS = 65_536;

/** Larger than any cache, so that kernels read from memory, as in a large index. */
const BYTES = 512 * 2 ** 20;

const ROUNDS = 9;

export const kernels: Bench = {
  name: "kernels",
  about:
    "One thread. GB/s that each WebAssembly kernel reads from 512 MiB of rows in windows of 65,536 documents, best of " +
    `${ROUNDS}, compared with a plain copy of the same bytes in the same run (a copy writes as much as it reads; only the ` +
    "bytes read are counted). The second table has whole searches on 65,536 rows by the definition in TypeScript and by the " +
    "kernels. The definition computes every score; the kernels' scan skips what its bounds exclude, so the ratio covers both.",

  async run(print) {
    print(`\n${formatTable(["kernel", "GB/s", "share of a copy", "ns per document"], measureStreams())}`);
    print(`\n${formatTable(["65,536 rows", "definition ms", "wasm ms", "ratio"], await compareSearches())}`);
  },
};

function best(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

/** Measures kernels that stream: one call per window, over all the bytes. */
function measureStreams(): string[][] {
  const arena = new Arena(BYTES + 64 * 2 ** 20);
  const data = arena.allocate(BYTES);
  const fill = arena.view(Uint32Array, data, BYTES / 4);
  const random = mulberry32(1);
  for (let i = 0; i < fill.length; i++) fill[i] = random() * 2 ** 32;
  const allocate = (bytes: number) => arena.allocate(bytes);
  const [acc, sums, lanes, scales] = Array.from({ length: 4 }, () => allocate(DOCS * 4));
  const [query, slots, tables] = [allocate(4096), allocate(4096), allocate(65_536)];
  arena.view(Float32Array, scales, DOCS).fill(1e-3);
  const { kernels: k } = arena;

  const copyBytes = BYTES / 4;
  const [from, to] = [new Uint8Array(copyBytes).fill(1), new Uint8Array(copyBytes).fill(2)];
  const copy = copyBytes / best(() => to.set(from)) / 1e6;
  const rows: string[][] = [["copy", copy.toFixed(1), "1.00", ""]];
  /** A window has `bytesPerDoc` × DOCS bytes; the kernel reads `read` × DOCS of them. `call` gets the window's address. */
  const measure = (name: string, bytesPerDoc: number, call: (at: number) => void, read = bytesPerDoc) => {
    const windows = Math.floor(BYTES / (bytesPerDoc * DOCS));
    const ms = best(() => {
      for (let w = 0; w < windows; w++) call(data + w * bytesPerDoc * DOCS);
    });
    const speed = (windows * read * DOCS) / ms / 1e6;
    rows.push([name, speed.toFixed(1), (speed / copy).toFixed(2), ((ms * 1e6) / windows / DOCS).toFixed(2)]);
  };

  for (const width of [32, 64, 128]) {
    measure(`first plane of vectors, ${width} dims`, width, (at) =>
      k.planeScan(at, scales, width, DOCS, query, 1e-3, 1, sums),
    );
  }
  const all = arena.view(Uint32Array, lanes, DOCS);
  for (let i = 0; i < DOCS / 4; i++) all[i] = 4 * i;
  const everyFourth = (at: number) => {
    for (let i = 0; i < DOCS / 4; i++) all[i] = 4 * i;
    k.planeRefine(at, scales, 128, query, 1e-3, 1, 0, 0, lanes, DOCS / 4, sums, 1e9);
  };
  measure("later plane, every fourth document, 128 dims", 128, everyFourth, 32);
  for (const count of [12, 36]) {
    measure(`slices, gated, ${count} slots`, 2 * count, (at) => {
      fillSlots(arena, slots, at, count);
      k.gatedSlices(slots, count, DOCS, acc);
    });
    const open = (at: number) => {
      fillSlots(arena, slots, at, count);
      k.openSlices(slots, count, DOCS, acc);
    };
    measure(`slices, inner product, ${count} slots`, 2 * count, open, count);
  }
  const docs = arena.view(Uint16Array, data, BYTES / 2);
  for (let i = 0; i < BYTES / 6; i++) docs[i] = (i * 3) & 0xffff;
  measure("posting lists, a third of the documents", 1, (at) => {
    const window = (at - data) / DOCS;
    k.scatter(data + window * 43_690, data + BYTES / 2 + window * 21_845, 21_845, tables, acc);
  });
  for (const [parts, bits] of [
    [64, 4],
    [128, 4],
    [64, 8],
  ] as const) {
    const coder = new ProductCoder(
      { parts, bits, dims: parts, semanticDims: 0 },
      new Float32Array(parts << bits).fill(0.5),
    );
    const lookUps = { tables: new Uint8Array(0), scale: 1, bias: 0 };
    measure(`product codes, ${parts} × ${bits} bits`, (parts * bits) / 8, (at) =>
      coder.scan(k, at, DOCS, tables, lookUps, sums),
    );
  }
  measure("weighing sums (in cache)", 4, () => k.weighSums(acc, DOCS, 1, sums));
  measure("documents that reach a threshold (in cache)", 4, () => {
    k.reaching(sums, DOCS, 0, 0, 1e30, lanes, DOCS);
  });
  return rows;
}

function fillSlots(arena: Arena, slots: number, at: number, count: number): void {
  const view = arena.view(Int32Array, slots, count * 4);
  for (let i = 0; i < count; i++) view.set([at + i * 2 * DOCS, at + (i * 2 + 1) * DOCS, 7, 100], i * 4);
}

/** Compares a whole first stage with the definition, on the same rows. */
async function compareSearches(): Promise<string[][]> {
  const shapes = [
    { name: "BM25-like: 40 of 768 slots", dims: 768, filled: 40 / 768, semanticDims: 0 },
    { name: "DeLADE-like: 128 slots, all filled", dims: 128, filled: 1, semanticDims: 0 },
    { name: "vectors of 384 dims", dims: 1, filled: 0, semanticDims: 384 },
    { name: "128 slots and 128 dims", dims: 128, filled: 1, semanticDims: 128 },
  ];
  const table: string[][] = [];
  for (const { name, dims, filled, semanticDims } of shapes) {
    const random = mulberry32(2);
    const rowOf = (share: number) => {
      const slices = Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < share);
      return {
        slices: Uint32Array.from(slices),
        indices: Uint16Array.from(slices, () => Math.floor(200 * random() ** 3)),
        values: Float32Array.from(slices, () => random() ** 3),
      };
    };
    const vectorOf = () =>
      Float32Array.from({ length: semanticDims }, (_, i) => (random() - 0.5) / (1 + i / 40));
    const builder = new RowsBuilder(dims, 200, semanticDims);
    for (let doc = 0; doc < DOCS; doc++) builder.add(rowOf(filled), vectorOf());
    const rows = builder.finish();
    const query = { ...rowOf(Math.max(filled, 0.2)), ...(semanticDims > 0 && { semantic: vectorOf() }) };
    let slow = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      gatedInnerProducts(query, rows);
      slow = Math.min(slow, performance.now() - start);
    }
    const scanner = await Scanner.load(createMemorySource(rows, layOut(rows)));
    const fast = best(() => {
      runScan([{ scanner, first: 0, allowed: undefined }], {
        scannedQuery: query,
        scoring: "gated",
        wantedCandidates: 10,
      });
    });
    table.push([name, slow.toFixed(2), fast.toFixed(3), `${(slow / fast).toFixed(0)}×`]);
  }
  return table;
}
