// An index on a GPU gives the same answers as on the CPU: the same hits, and the same scores to the last bit, with filters,
// deletions, pages, batches and plans. Without a GPU the tests use SwiftShader.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { whitespace } from "../src/analyze/index.ts";
import { type Document, type Hit, type Plan, type Query, Sluice } from "../src/index.ts";
import { getInternals } from "../src/internals.ts";
import { tryDevice } from "./helpers/swiftshader.ts";

vi.setConfig({ testTimeout: 300_000 }); // a GPU in software is slow

const found = await tryDevice();
const missing = typeof found === "string" ? found : undefined;
if (missing) console.warn(`searches on a GPU are not tested: ${missing}`);
if (typeof found !== "string") found.close();

let state = 7;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const word = () => `w${Math.floor(200 * random() ** 2)}`;
const vector = () => Float32Array.from({ length: 20 }, () => random() - 0.5);
const document = (id: number): Document => ({
  id: String(id),
  text: Array.from({ length: 12 }, word).join(" "),
  vector: vector(),
  year: 1900 + Math.floor(random() * 50),
});
const queries: Query[] = Array.from({ length: 3 }, () => ({
  text: Array.from({ length: 4 }, word).join(" "),
  vector: vector(),
}));
const PLANS: Plan[] = [
  { kind: "auto" },
  { kind: "exact" },
  { kind: "pruned", mass: 0.6, candidates: 200 },
  { kind: "pruned", theta: 1, candidates: 100, rescore: false },
  { kind: "inner-product", candidates: 250 },
];

const folder = mkdtempSync(join(tmpdir(), "sluice-gpu-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS = [{}, { filter: { year: { lt: 1925 } }, exclude: ["3"], k: 25, offset: 7 }];

const isApproximate = (plan: Plan) => "candidates" in plan && !("rescore" in plan);

async function expectSame(path: string, gpu: Sluice, plans = PLANS): Promise<void> {
  const cpu = await Sluice.open(path, { readOnly: true });
  const parts = ({ id, score, lexical, semantic }: Hit) => [id, score, lexical, semantic];
  for (const plan of plans) {
    for (const options of OPTIONS) {
      const here = await cpu.searchAll(queries, { plan, ...options });
      const there = await gpu.searchAll(queries, { plan, ...options });
      for (const [i, { hits, stats }] of there.entries()) {
        const { allowedCount } = here[i].stats;
        expect(stats).toMatchObject({ kernel: "webgpu", plan: plan.kind, allowedCount });
        expect(stats).not.toHaveProperty("fallback");
        if (isApproximate(plan)) {
          // Rounding decides which candidates come last. All that are there have the right score, in the right order.
          const all = await cpu.search(queries[i], { k: 1000, plan: { kind: "exact" } });
          const ids = new Set(hits.map(({ id }) => id));
          expect(hits.map(parts)).toEqual(all.hits.filter(({ id }) => ids.has(id)).map(parts));
          expect(hits).toHaveLength(here[i].hits.length);
        } else {
          expect(hits.map(parts)).toEqual(here[i].hits.map(parts));
          if (plan.kind !== "pruned") expect(stats.exact).toBe(true);
        }
      }
    }
  }
  await cpu.close();
}

describe.skipIf(missing)("on a GPU", () => {
  test("a live index: the CPU's hits and scores, whatever the plan", async () => {
    const path = join(folder, "live");
    const options = { analyzer: whitespace, dims: 24, lambda: 2 };
    const gpu = await Sluice.open(path, { encoder: "none", ...options, kernel: "webgpu" });
    expect(gpu.kernel.name).toBe("webgpu");
    for (let part = 0; part < 3; part++) {
      await gpu.add(Array.from({ length: 300 }, (_, i) => document(part * 300 + i)));
      await gpu.commit();
    }
    await gpu.delete(Array.from({ length: 40 }, (_, i) => String(i * 20)));
    await gpu.commit();
    await expectSame(path, gpu);
    const { bytes } = gpu.kernel;
    expect(bytes).toBeGreaterThan(900 * (24 * 4 + 20 * 2));
    await gpu.optimize();
    await expectSame(path, gpu, [{ kind: "auto" }, { kind: "exact" }]);
    await gpu.close();
  });

  test("words alone, and a query that nothing answers", async () => {
    const documents = Array.from({ length: 500 }, (_, i) => ({
      id: String(i),
      text: `${word()} ${word()} tie`,
    }));
    const options = { analyzer: whitespace, dims: 16 };
    const cpu = await Sluice.build(documents, { encoder: "none", ...options });
    const gpu = await Sluice.build(documents, { encoder: "none", ...options, kernel: "webgpu" });
    for (const query of ["w1 w2", "w3", "tie", "tie w1", "nothing"]) {
      const [here, there] = [await cpu.search(query), await gpu.search(query)];
      expect(there.stats).toMatchObject({ kernel: "webgpu", exact: true }); // "w3" has fewer hits than wanted, "nothing" none
      expect(there.hits.map(({ id, score }) => [id, score])).toEqual(
        here.hits.map(({ id, score }) => [id, score]),
      );
    }
    await gpu.close();
  });

  test("no documents, no queries", async () => {
    const gpu = await Sluice.build([], { encoder: "none", analyzer: whitespace, dims: 16, kernel: "webgpu" });
    expect(await gpu.search("water")).toMatchObject({ hits: [], stats: { kernel: "scalar", exact: true } });
    expect(await gpu.searchAll([])).toEqual([]);
    await gpu.close();
  });

  test("unsupported queries and a lost device fall back to the CPU, and the stats say why", async () => {
    const gpu = await Sluice.build(
      Array.from({ length: 300 }, (_, i) => document(i)),
      { encoder: "none", analyzer: whitespace, dims: 24, kernel: "webgpu" },
    );
    const many = await gpu.search(queries[0], { k: 20_000 });
    expect(many.stats).toMatchObject({ kernel: "webgpu" }); // no more are wanted of it than there are
    expect(many.hits).toHaveLength(300);
    const plan = { kind: "inner-product", candidates: 70_000 } as const;
    const wide = await gpu.search(queries[0], { plan });
    expect(wide.stats).toMatchObject({ kernel: "wasm", fallback: expect.stringContaining("65535") });
    const before = await gpu.search(queries[0]);
    getInternals(gpu).device!.close(); // the device is gone, as after a driver's reset
    const after = await gpu.search(queries[0]);
    expect(after.hits.map(({ id }) => id)).toEqual(before.hits.map(({ id }) => id));
    expect(after.stats).toMatchObject({ kernel: "wasm", fallback: expect.stringContaining("was lost") });
    expect(gpu.kernel).toEqual({ name: "wasm", reason: "the GPU was lost" });
  });

  test("too little memory is refused with the numbers", async () => {
    const gpu = await Sluice.build(
      Array.from({ length: 300 }, (_, i) => document(i)),
      { encoder: "none", analyzer: whitespace, dims: 24, kernel: "webgpu", gpu: { memoryBytes: 10_000 } },
    );
    await expect(gpu.search(queries[0])).rejects.toThrow(
      /300 rows of 24 \+ 20 dims needs .* of the .* allowed/,
    );
    await gpu.close();
  });

  test("auto does not take a program for a GPU, and says so", async () => {
    const index = await Sluice.build([document(1)], {
      encoder: "none",
      analyzer: whitespace,
      dims: 24,
      kernel: "auto",
    });
    const { name, reason } = index.kernel;
    expect(name === "webgpu" ? reason : `${name}: ${reason}`).toMatch(
      /was found|wasm: .*computes on the CPU/,
    );
    await index.close();
  });
});

test("a kernel that is none", async () => {
  const build = Sluice.build([document(1)], {
    encoder: "none",
    analyzer: whitespace,
    dims: 24,
    kernel: "cuda" as "auto",
  });
  await expect(build).rejects.toThrow(/no kernel "cuda"/);
});
