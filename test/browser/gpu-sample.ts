// A small collection and its queries, the same on every machine, and a search of them on the device that is there.

import { type QueryRow, type Rows, RowsBuilder } from "../../src/densify/rows.ts";
import type { Device } from "../../src/scan/webgpu/device.ts";
import type { DevicePlan } from "../../src/scan/webgpu/device-plan.ts";
import { DeviceSearch } from "../../src/scan/webgpu/device-search.ts";
import { ResidentRows } from "../../src/scan/webgpu/resident-rows.ts";
import { roundToFloat16 } from "../../src/support/numbers/float16.ts";

const SHAPE = { docs: 3000, dims: 48, perSlice: 39, semanticDims: 16 };

export interface SampleHits {
  readonly docs: number[];
  readonly scores: number[];
}

function sampleRows(): Rows {
  const random = numbers(1);
  const builder = new RowsBuilder(SHAPE.dims, SHAPE.perSlice, SHAPE.semanticDims);
  for (let doc = 0; doc < SHAPE.docs; doc++) {
    const row = sampleRow(random);
    builder.add(row, row.semantic);
  }
  return builder.finish();
}

const sampleQueries = (): QueryRow[] => Array.from({ length: 4 }, (_, i) => sampleRow(numbers(100 + i)));

const PLANS: readonly DevicePlan[] = [
  { kind: "exact" },
  { kind: "stages", by: "inner-product", candidates: 300 },
  { kind: "certified", by: "bytes", candidates: 200 },
];

/** The ten best documents for every query by every plan, one query at a time and all together. */
export async function searchSample(device: Device): Promise<SampleHits[]> {
  const resident = await ResidentRows.upload(device, SHAPE, [sampleRows()], { bytes: true });
  const search = new DeviceSearch(resident);
  const queries = sampleQueries().map((query) => ({ query }));
  const hits: SampleHits[] = [];
  for (const plan of PLANS) {
    const answers = [
      await search.search(queries[0], 10, plan),
      ...(await search.searchAll(queries, 10, plan)),
    ];
    for (const { docs, scores } of answers) hits.push({ docs: [...docs], scores: [...scores] });
  }
  search.close();
  resident.close();
  return hits;
}

function sampleRow(random: () => number): QueryRow {
  const { dims, perSlice, semanticDims } = SHAPE;
  return {
    slices: Uint32Array.from({ length: dims }, (_, slice) => slice),
    indices: Uint16Array.from({ length: dims }, () => Math.floor(perSlice * random() ** 3)),
    values: Float32Array.from({ length: dims }, () => roundToFloat16(random() ** 3)),
    semantic: Float32Array.from({ length: semanticDims }, () => roundToFloat16(random() - 0.5)),
  };
}

function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
