// Searches on a device agree with the definition on random rows: scores within the stated bound, and the same documents
// wherever scores differ by more than it. Sizes lie on both sides of every width; small limits force split buffers.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { tryDevice } from "../../../test/helpers/swiftshader.ts";
import { type QueryRow, type Rows, RowsBuilder } from "../../densify/rows.ts";
import { selectDimensions } from "../../query/plan/select-dimensions.ts";
import { gatedInnerProducts, innerProducts } from "../../rank/definition.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import type { Device } from "./device.ts";
import { DeviceLost, DeviceMemory } from "./device-errors.ts";
import {
  DEVICE_TUNING,
  type DeviceAnswer,
  type DevicePlan,
  type DeviceQuery,
  type DeviceTuning,
} from "./device-plan.ts";
import { DeviceSearch } from "./device-search.ts";
import { splitIntoChunks } from "./document-chunks.ts";
import { ResidentRows, type RowForms } from "./resident-rows.ts";

vi.setConfig({ testTimeout: 300_000 }); // a GPU in software is slow

const found = await tryDevice();
const missing = typeof found === "string" ? found : undefined;
// biome-ignore lint/suspicious/noConsole: a skip says why
if (missing) console.warn(`the GPU kernels are not tested: ${missing}`);
if (typeof found !== "string") found.close();

/** Narrower than the real tuning: a software GPU takes longer to compile a shader than to run it. */
const NARROW: DeviceTuning = {
  ...DEVICE_TUNING,
  scan: { threads: 64, parts: 2, unroll: 1 },
  batch: { threads: 64, docs: 4, queries: 8, gate: "select" },
};

interface Shape {
  readonly docs: number;
  readonly dims: number;
  readonly perSlice: number;
  readonly semanticDims: number;
  /** The share of slots that a row fills. */
  readonly filled?: number;
  /** Draws values from very few, so that scores are often equal. */
  readonly coarse?: boolean;
}

function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomRow(
  { dims, perSlice, semanticDims, filled = 1, coarse }: Shape,
  random: () => number,
): QueryRow {
  const slices = Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < filled);
  const value = () => (coarse ? 1 + Math.floor(random() * 2) : Math.exp(4 * random() - 4));
  return {
    slices: Uint32Array.from(slices),
    // Skewed, as terms are: low indices are frequent.
    indices: Uint16Array.from(slices, () => Math.floor(perSlice * random() ** 3)),
    values: Float32Array.from(slices, () => roundToFloat16(value())),
    ...(semanticDims > 0 && {
      semantic: Float32Array.from({ length: semanticDims }, () => roundToFloat16(random() - 0.5)),
    }),
  };
}

function randomRows(shape: Shape, seed: number): Rows {
  const random = generator(seed);
  const builder = new RowsBuilder(shape.dims, shape.perSlice, shape.semanticDims);
  for (let doc = 0; doc < shape.docs; doc++) {
    const row = randomRow(shape, random);
    builder.add(row, row.semantic);
  }
  return builder.finish();
}

describe.skipIf(missing)("WebGPU", () => {
  let device: Device;
  beforeAll(async () => {
    device = (await tryDevice()) as Device;
  });
  afterAll(() => device.close());

  interface Setup {
    readonly rows: Rows;
    readonly resident: ResidentRows;
    readonly search: DeviceSearch;
    readonly query: (seed: number) => QueryRow;
  }

  async function setUp(
    shape: Shape,
    {
      on = device,
      forms = {},
      tuning = {},
    }: { on?: Device; forms?: RowForms; tuning?: Partial<DeviceTuning> } = {},
  ): Promise<Setup> {
    const rows = randomRows(shape, 1);
    const resident = await ResidentRows.upload(on, shape, [rows], forms);
    return {
      rows,
      resident,
      search: new DeviceSearch(resident, { ...NARROW, ...tuning }),
      query: (seed) => randomRow(shape, generator(seed + 1000)),
    };
  }

  function tearDown({ search, resident }: Setup): void {
    search.close();
    resident.close();
  }

  async function scoresOf(query: QueryRow, rows: Rows): Promise<Float64Array> {
    return gatedInnerProducts(query, rows);
  }

  /** The answer has the documents that the definition ranks first among `allowed`, as far as float32 can tell. */
  function agree(
    answer: DeviceAnswer,
    scores: Float64Array,
    k: number,
    allowed: (doc: number) => boolean = () => true,
  ) {
    const docs = [...scores.keys()].filter(allowed);
    docs.sort((a, b) => scores[b] - scores[a] || a - b);
    const best = docs.slice(0, k);
    expect(answer.docs.length).toBe(best.length);
    expect(new Set(answer.docs).size).toBe(best.length);
    const last = scores[best[best.length - 1]];
    const wrong: string[] = [];
    for (let i = 0; i < best.length; i++) {
      const doc = answer.docs[i];
      if (!allowed(doc)) wrong.push(`${doc} is not allowed`);
      if (!(Math.abs(answer.scores[i] - scores[doc]) <= answer.error))
        wrong.push(`${doc} scores ${answer.scores[i]}, not ${scores[doc]}`);
      // If it ranks elsewhere than in the definition, the two scores differ by no more than rounding.
      if (!(Math.abs(scores[doc] - scores[best[i]]) <= 2 * answer.error))
        wrong.push(`${doc} stands where ${best[i]} belongs`);
      const isOrdered =
        i === 0 ||
        answer.scores[i - 1] > answer.scores[i] ||
        (answer.scores[i - 1] === answer.scores[i] && answer.docs[i - 1] < doc);
      if (!isOrdered) wrong.push(`${answer.docs[i - 1]} stands before ${doc}`);
    }
    const returned = new Set(answer.docs);
    for (const doc of docs)
      if (scores[doc] > last + 2 * answer.error && !returned.has(doc)) wrong.push(`${doc} is missing`);
    expect(wrong).toEqual([]);
  }

  const EXACT: DevicePlan = { kind: "exact" };

  for (const docs of [1, 7, 8, 9, 255, 256, 257, 2047, 2048, 2049]) {
    test(`${docs} documents`, async () => {
      const setup = await setUp({ docs, dims: 9, perSlice: 5, semanticDims: 3 });
      const query = setup.query(docs);
      const scores = await scoresOf(query, setup.rows);
      for (const k of [1, 10, 300]) agree(await setup.search.search({ query }, k, EXACT), scores, k);
      tearDown(setup);
    });
  }

  for (const [dims, semanticDims, perSlice] of [
    [1, 0, 2],
    [3, 1, 256],
    [16, 0, 300],
    [33, 17, 39],
    [64, 8, 5000],
  ]) {
    test(`${dims} slices of ${perSlice}, ${semanticDims} semantic dims: every plan and form`, async () => {
      for (const forms of [{ bytes: true }, { bytes: true, rows: true }]) {
        const setup = await setUp({ docs: 700, dims, perSlice, semanticDims, filled: 0.8 }, { forms });
        for (let seed = 0; seed < 2; seed++) {
          const query = setup.query(seed);
          const scores = await scoresOf(query, setup.rows);
          agree(await setup.search.search({ query }, 20, EXACT), scores, 20);
          for (const by of ["ceiling", "bytes"] as const) {
            const answer = await setup.search.search({ query }, 20, {
              kind: "certified",
              by,
              candidates: 200,
            });
            if (answer.exact) agree(answer, scores, 20);
          }
          // If every document is a candidate, every first stage leads to the exact answer.
          for (const by of ["gated", "inner-product"] as const) {
            const answer = await setup.search.search({ query }, 20, { kind: "stages", by, candidates: 700 });
            expect(answer.exact).toBe(true);
            agree(answer, scores, 20);
          }
        }
        tearDown(setup);
      }
    });
  }

  test("a first stage hands on the best of its own scores", async () => {
    const setup = await setUp({ docs: 900, dims: 24, perSlice: 6, semanticDims: 8 });
    const row = setup.query(3);
    const selected = selectDimensions(row, row.semantic, 1, { mass: 0.5 }).query;
    const [partial, exact] = [await scoresOf(selected, setup.rows), await scoresOf(row, setup.rows)];
    const answer = await setup.search.search({ query: row, selected }, 30, {
      kind: "stages",
      by: "gated",
      candidates: 100,
    });
    const candidates = [...partial.keys()].sort((a, b) => partial[b] - partial[a] || a - b).slice(0, 100);
    const best = candidates.sort((a, b) => exact[b] - exact[a] || a - b).slice(0, 30);
    expect([...answer.docs]).toEqual(best);
    expect(answer.candidates).toBe(100);

    const open = innerProducts(row, setup.rows);
    const byOpen = await setup.search.search({ query: row }, 30, {
      kind: "stages",
      by: "inner-product",
      candidates: 100,
    });
    const others = [...open.keys()].sort((a, b) => open[b] - open[a] || a - b).slice(0, 100);
    expect([...byOpen.docs]).toEqual(others.sort((a, b) => exact[b] - exact[a] || a - b).slice(0, 30));
    tearDown(setup);
  });

  test("bounds are never below the score", async () => {
    const docs = 40;
    const setup = await setUp({ docs, dims: 20, perSlice: 3, semanticDims: 9 }, { forms: { bytes: true } });
    const query = setup.query(2);
    const scores = await scoresOf(query, setup.rows);
    const part = selectDimensions(query, query.semantic, 1, { mass: 0.6 }).query;
    for (const [by, selected] of [
      ["bytes", query],
      ["ceiling", query],
      ["ceiling", part],
    ] as const) {
      // One candidate more at a time: the newest is the one whose bound is the lowest.
      const before = new Set<number>();
      for (let candidates = 1; candidates <= docs; candidates++) {
        const plan = { kind: "certified", by, candidates } as const;
        const answer = await setup.search.search({ query, selected }, candidates, plan);
        const added = [...answer.docs].filter((doc) => !before.has(doc));
        expect(added.length).toBe(1);
        expect(answer.bound).toBeGreaterThanOrEqual(scores[added[0]]);
        // The bound is not much too high either: bytes cost a 255th of a slice's largest value.
        if (selected === query) expect(answer.bound! - scores[added[0]]).toBeLessThan(0.2);
        before.add(added[0]);
      }
    }
    tearDown(setup);
  });

  test("certificates hold", async () => {
    const setup = await setUp(
      { docs: 1500, dims: 32, perSlice: 8, semanticDims: 16 },
      { forms: { bytes: true } },
    );
    let certified = 0;
    for (let seed = 0; seed < 3; seed++) {
      const row = setup.query(seed);
      const scores = await scoresOf(row, setup.rows);
      const selected = selectDimensions(row, row.semantic, 1, { mass: 0.9 }, "all").query;
      const best = [...scores].sort((a, b) => b - a);
      for (const by of ["ceiling", "bytes"] as const) {
        for (const candidates of [20, 100, 600]) {
          const answer = await setup.search.search({ query: row, selected }, 10, {
            kind: "certified",
            by,
            candidates,
          });
          // If the answer says it is exact, every document above the k-th best was a candidate.
          if (!answer.exact) continue;
          certified++;
          agree(answer, scores, 10);
          expect(Math.abs(answer.scores[9] - best[9])).toBeLessThanOrEqual(answer.error);
        }
      }
    }
    expect(certified).toBeGreaterThan(10);
    tearDown(setup);
  });

  test("buffers are split where bindings are small, and results are the same", async () => {
    const shape = { docs: 7000, dims: 12, perSlice: 7, semanticDims: 6 };
    const staged: DevicePlan = { kind: "stages", by: "inner-product", candidates: 400 };
    const whole = await setUp(shape);
    const queries = Array.from({ length: 2 }, (_, i): DeviceQuery => ({ query: whole.query(i) }));
    const expected = await whole.search.searchAll(queries, 50, staged);
    // Eight storage buffers, the fewest a device may have: five chunks' keys at a time, five buffers of rows, one chunk's columns.
    const small = (await tryDevice({ limits: { bindingBytes: 65_536, storageBuffers: 8 } })) as Device;
    expect(splitIntoChunks(shape, small.limits).length).toBe(4);
    for (const forms of [{}, { rows: true }]) {
      const setup = await setUp(shape, { on: small, forms });
      expect(setup.resident.rowBuffers.length > 1).toBe(forms.rows === true);
      const answers = await setup.search.searchAll(queries, 50, EXACT);
      const stagedHere = await setup.search.searchAll(queries, 50, staged);
      for (const [i, { query }] of queries.entries()) {
        agree(answers[i], await scoresOf(query, setup.rows), 50);
        expect([...stagedHere[i].docs]).toEqual([...expected[i].docs]);
      }
      tearDown(setup);
    }
    small.close();
    tearDown(whole);
  });

  test("equal scores go to the lower document", async () => {
    const setup = await setUp({ docs: 5000, dims: 4, perSlice: 2, semanticDims: 0, coarse: true });
    for (let seed = 0; seed < 4; seed++) {
      const query = setup.query(seed);
      const scores = await scoresOf(query, setup.rows); // small integers: exact in float32
      const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b);
      for (const k of [1, 100, 1000, 4999, 10_000]) {
        const answer = await setup.search.search({ query }, k, EXACT);
        expect([...answer.docs]).toEqual(best.slice(0, k));
      }
    }
    tearDown(setup);
  });

  test("filters exclude documents before the list is cut to k", async () => {
    const setup = await setUp(
      { docs: 3000, dims: 8, perSlice: 4, semanticDims: 4 },
      { forms: { bytes: true } },
    );
    const random = generator(5);
    const bits = Uint32Array.from(
      { length: Math.ceil(3000 / 32) },
      () => (random() * 2 ** 32) & (random() * 2 ** 32),
    );
    const allowed = (doc: number) => ((bits[doc >>> 5] >>> (doc & 31)) & 1) === 1;
    setup.resident.allow(bits);
    const query = setup.query(1);
    const scores = await scoresOf(query, setup.rows);
    for (const k of [5, 500, 3000]) agree(await setup.search.search({ query }, k, EXACT), scores, k, allowed);
    const [batch] = await setup.search.searchAll([{ query }, { query }, { query }], 40, EXACT);
    agree(batch, scores, 40, allowed);
    const all = await setup.search.search({ query }, 40, {
      kind: "certified",
      by: "bytes",
      candidates: 3000,
    });
    expect(all.exact).toBe(true);
    agree(all, scores, 40, allowed);
    setup.resident.allow(new Uint32Array(bits.length));
    expect((await setup.search.search({ query }, 10, EXACT)).docs.length).toBe(0);
    setup.resident.allow(undefined);
    agree(await setup.search.search({ query }, 10, EXACT), scores, 10);
    tearDown(setup);
  });

  test("an empty query finds the first documents, or none", async () => {
    const setup = await setUp({ docs: 400, dims: 5, perSlice: 3, semanticDims: 2 });
    const none: QueryRow = {
      slices: new Uint32Array(),
      indices: new Uint16Array(),
      values: new Float32Array(),
    };
    const answer = await setup.search.search({ query: none }, 6, EXACT);
    expect([...answer.docs]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...answer.scores]).toEqual([0, 0, 0, 0, 0, 0]);
    expect((await setup.search.search({ query: none }, 6, EXACT, { skipsZeros: true })).docs.length).toBe(0);
    tearDown(setup);
  });

  for (const count of [1, 2, 7, 64]) {
    test(`${count} queries at once`, async () => {
      const setup = await setUp(
        { docs: 2500, dims: 40, perSlice: 39, semanticDims: 12 },
        { forms: { rows: true } },
      );
      const queries = Array.from({ length: count }, (_, i): DeviceQuery => ({ query: setup.query(i) }));
      const answers = await setup.search.searchAll(queries, 25, EXACT);
      for (const [i, { query }] of queries.entries())
        agree(answers[i], await scoresOf(query, setup.rows), 25);
      for (const by of ["gated", "inner-product"] as const) {
        const staged: DevicePlan = { kind: "stages", by, candidates: 60 };
        const together = await setup.search.searchAll(queries.slice(0, 7), 25, staged);
        for (const [i, one] of queries.slice(0, 2).entries()) {
          const alone = await setup.search.search(one, 25, staged);
          expect([...together[i].docs]).toEqual([...alone.docs]);
        }
      }
      tearDown(setup);
    });
  }

  test("every way of tuning gives the same answers", async () => {
    const shape = { docs: 1000, dims: 21, perSlice: 300, semanticDims: 5 };
    for (const tuning of [
      DEVICE_TUNING,
      {
        scan: { threads: 64, parts: 1, unroll: 1 },
        batch: { threads: 64, docs: 8, queries: 4, gate: "select" },
      },
      {
        scan: { threads: 256, parts: 8, unroll: 4 },
        batch: { threads: 256, docs: 4, queries: 16, gate: "select" },
      },
      {
        scan: { threads: 128, parts: 2, unroll: 2 },
        batch: { threads: 128, docs: 8, queries: 8, gate: "branch" },
        queries: 5,
      },
    ] as const) {
      const setup = await setUp(shape, { tuning });
      const queries = Array.from({ length: 6 }, (_, i): DeviceQuery => ({ query: setup.query(i) }));
      const answers = [
        ...(await setup.search.searchAll(queries, 15, EXACT)),
        await setup.search.search(queries[0], 15, EXACT),
      ];
      for (const [i, answer] of answers.entries()) {
        agree(answer, await scoresOf(queries[i % 6].query, setup.rows), 15);
      }
      tearDown(setup);
    }
  });

  test("more equal scores than a batch has room for", async () => {
    const shape = { docs: 3000, dims: 3, perSlice: 2, semanticDims: 0, coarse: true };
    const setup = await setUp(shape, { tuning: { capacity: 50 } });
    const queries = Array.from({ length: 5 }, (_, i): DeviceQuery => ({ query: setup.query(i) }));
    const answers = await setup.search.searchAll(queries, 20, EXACT);
    for (const [i, { query }] of queries.entries()) {
      const scores = await scoresOf(query, setup.rows);
      const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b);
      expect([...answers[i].docs]).toEqual(best.slice(0, 20));
    }
    tearDown(setup);
  });

  test("k up to 10,000", async () => {
    const setup = await setUp(
      { docs: 12_000, dims: 3, perSlice: 3, semanticDims: 2 },
      { forms: { rows: true } },
    );
    const query = setup.query(9);
    const scores = await scoresOf(query, setup.rows);
    agree(await setup.search.search({ query }, 10_000, EXACT), scores, 10_000);
    const plan = { kind: "stages", by: "gated", candidates: 12_000 } as const;
    agree(await setup.search.search({ query }, 10_000, plan), scores, 10_000);
    await expect(setup.search.search({ query }, 10_001, EXACT)).rejects.toThrow(/10000/);
    tearDown(setup);
  });

  test("progress is reported; memory is counted and freed", async () => {
    const before = device.usedBytes;
    const told: number[] = [];
    const shape = { docs: 300, dims: 6, perSlice: 4, semanticDims: 2 };
    const half = { ...shape, docs: 150 };
    const blocks = [randomRows(half, 1), randomRows(half, 2)];
    const resident = await ResidentRows.upload(device, shape, blocks, {
      onPlaced: (docs) => told.push(docs),
    });
    expect(told.at(-1)).toBe(300);
    expect(device.usedBytes - before).toBe(resident.bytes);
    const search = new DeviceSearch(resident);
    await search.search({ query: randomRow(shape, generator(1)) }, 5, EXACT);
    expect(device.usedBytes - before).toBe(resident.bytes + search.bytes);
    search.close();
    resident.close();
    expect(device.usedBytes).toBe(before);
  });

  test("rows that do not fit are refused, with the numbers", async () => {
    const bounded = (await tryDevice({ memoryBytes: 2 ** 20 })) as Device;
    const shape = { docs: 100_000, dims: 64, perSlice: 39, semanticDims: 0 };
    await expect(ResidentRows.reserve(bounded, shape)).rejects.toThrow(DeviceMemory);
    await expect(ResidentRows.reserve(bounded, shape)).rejects.toThrow(/18\.7 MiB.*1\.0 MiB/);
    expect(bounded.usedBytes).toBe(0);
    bounded.close();
  });

  test("rows of another number or shape than announced are refused", async () => {
    const shape = { docs: 10, dims: 6, perSlice: 4, semanticDims: 2 };
    const few = randomRows({ ...shape, docs: 9 }, 1);
    await expect(ResidentRows.upload(device, shape, [few])).rejects.toThrow(
      /9 rows were placed, expected 10/,
    );
    const many = randomRows({ ...shape, docs: 11 }, 1);
    await expect(ResidentRows.upload(device, shape, [many])).rejects.toThrow(RangeError);
    const wide = randomRows({ ...shape, dims: 7 }, 1);
    await expect(ResidentRows.upload(device, shape, [wide])).rejects.toThrow(/outside 6 slices/);
  });

  test("a lost device throws DeviceLost", async () => {
    const other = (await tryDevice()) as Device;
    const setup = await setUp({ docs: 100, dims: 4, perSlice: 3, semanticDims: 0 }, { on: other });
    const query = setup.query(1);
    await setup.search.search({ query }, 5, EXACT);
    other.close();
    await expect(setup.search.search({ query }, 5, EXACT)).rejects.toThrow(DeviceLost);
    expect(other.isLost).toBe(true);
  });
});
