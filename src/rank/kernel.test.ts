// Every kernel computes what the two formulas say. A new kernel joins the list below.

import { describe, expect, test } from "vitest";
import { type QueryRow, type Rows, RowsBuilder } from "../densify/rows.ts";
import { FLOAT16, roundToFloat16 } from "../support/float16.ts";
import { mulberry32 } from "../support/random.ts";
import type { Kernel } from "./kernel.ts";
import { scalar } from "./scalar.ts";

const KERNELS: readonly Kernel[] = [scalar];

/** Both sides of every lane width, and the widths we ship. */
const DIMS = [1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128, 768];
const DOCS = [0, 1, 3, 17];

for (const kernel of KERNELS) {
  describe(kernel.name, () => {
    for (const dims of DIMS) {
      test(`computes GIP and IP at ${dims} dims`, async () => {
        for (const docs of DOCS) await agree(kernel, dims, docs, dims % 2 === 0 ? 5 : 0);
      });
    }
  });
}

async function agree(kernel: Kernel, dims: number, docs: number, semanticDims: number): Promise<void> {
  const random = mulberry32(dims * 100 + docs);
  const query = randomQuery(dims, semanticDims, random);
  const rows = randomRows(dims, docs, semanticDims, random);
  const [gip, ip] = [new Float64Array(docs), new Float64Array(docs)];
  await kernel.gip(query, rows, gip);
  await kernel.innerProduct(query, rows, ip);
  const some = [...Array(docs).keys()].filter((doc) => doc % 2 === 1).reverse();
  const ofSome = new Float64Array(some.length);
  await kernel.gipOf(query, rows, some, ofSome);
  for (let doc = 0; doc < docs; doc++) {
    // Float64 sums of at most 900 terms of at most 4: an error of 1e-11 would be a wrong sum.
    expect(gip[doc]).toBeCloseTo(formula(query, rows, doc, true), 10);
    expect(ip[doc]).toBeCloseTo(formula(query, rows, doc, false), 10);
  }
  expect([...ofSome]).toEqual(some.map((doc) => gip[doc]));
}

/** Σ over slices, from the dense form of both rows: slower and plainer still than the scalar kernel. */
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

/** Few different indices, so that many agree; some slots empty; a few values negative, as on the dense path. */
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
