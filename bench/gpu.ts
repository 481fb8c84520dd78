// Measures every plan on a GPU at the paper's size, compared with a plain read of the same bytes.
//
// It can run on its own: a machine with a GPU needs only node and the webgpu package:
//   node dist/bench/gpu.js [--docs N] [--dims 768,128] [--batches 1,8,64,256] [--only exact,bytes,…] [--tune] [--quick]

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { QueryRow } from "../src/densify/rows.ts";
import { selectDimensions } from "../src/query/plan/select-dimensions.ts";
import { formatTable } from "../src/report/format-table.ts";
import { type Device, formatBytes, openDevice } from "../src/scan/webgpu/device.ts";
import {
  DEVICE_TUNING,
  type DeviceAnswer,
  type DevicePlan,
  type DeviceQuery,
} from "../src/scan/webgpu/device-plan.ts";
import { DeviceSearch } from "../src/scan/webgpu/device-search.ts";
import type { StageTime } from "../src/scan/webgpu/recorder.ts";
import { ResidentRows } from "../src/scan/webgpu/resident-rows.ts";
import { check } from "./gpu/check.ts";
import { type MemorySpeed, measureMemorySpeed } from "./gpu/memory.ts";
import { GpuShape } from "./gpu/shape.ts";
import { type Times, timeCalls } from "./gpu/timing.ts";
import { type Bench, keepInOut, runAlone } from "./support/bench.ts";

const PASSAGES = 8_841_823;
const SEMANTIC_DIMS = 128;
/** Hits per query. */
const K = 1000;
/** Documents that the second stage rescores. */
const CANDIDATES = 10_000;
/** The paper's θ for every DHR. */
const THETA = 0.3;
/** The plans to measure. The number after @ is the candidates of bytes, or the share of the query's weight for ceiling. */
const PLANS = "exact,bytes@2000,ceiling@0.65,ceiling@0.7,theta,inner-product";
const QUERIES = 256;
/** Queries that recall and certificates are measured on. */
const JUDGED = 32;

interface KernelTimes extends Partial<Times> {
  readonly dims: number;
  readonly batch: number;
  readonly plan: string;
  /** Milliseconds per query. */
  readonly perQuery: number;
  readonly recall: number;
  /** Share of the queries whose answer was proved exact without a full pass. */
  readonly certified: number;
  /** Slots and dimensions that the first stage read. */
  readonly read: number;
  readonly stages: StageTime[];
}

/** Table 12, on an A6000, milliseconds without encoding: first stage and rescoring. */
const PAPER: Record<string, string> = { exact: "670", theta: "23 + 10", "inner-product": "37 + 10" };

/** Limits in milliseconds per query for 768 + 128 dims. */
const TARGETS: readonly { batch: number; plan: string; ms: number }[] = [
  { batch: 1, plan: "exact", ms: 5.9 },
  { batch: 1, plan: "bytes", ms: 4.0 },
  { batch: 1, plan: "ceiling", ms: 2.0 },
  { batch: 1, plan: "theta", ms: 1.0 },
  { batch: 64, plan: "exact", ms: 1.0 },
];

const OPTIONS = {
  docs: { type: "string" },
  dims: { type: "string", default: "768,128" },
  batches: { type: "string", default: "1,8,64,256" },
  only: { type: "string", default: PLANS },
  tune: { type: "boolean", default: false },
  quick: { type: "boolean", default: false },
} as const;

export const gpu: Bench = {
  name: "gpu",
  flags: "[--docs N] [--dims 768,128] [--batches 1,8,64,256] [--only PLANS] [--tune] [--quick]",
  about:
    "8,841,823 rows (as many as MS MARCO has passages) in the shape of DeLADE+[CLS] (bench/gpu/shape.ts), made on the device: 768 or 128 " +
    "slots, all filled, and 128 semantic dims; top 1000, λ 1. Times are wall-clock times of whole calls, from the query on the host to sorted " +
    "results on the host, without encoding text. 'stages' are the device's own timestamps of a separate run. exact: all dims. bytes@n: upper " +
    "bounds from bytes, n rescored; a query whose answer is not proved exact gets a full pass, which is included. ceiling@m: the fewest slots " +
    "that hold the share m of the query's weight and all semantic dims, with a bound of the rest, 10,000 rescored, full passes included. " +
    "theta: the paper's two stages (θ 0.3, 10,000 rescored). inner-product: the same by inner product.",

  async run(print, args) {
    const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
    const docs = Number(flags.docs ?? (flags.quick ? 4000 : PASSAGES));
    const numbers = (list: string) => list.split(",").map(Number);
    const batches =
      flags.quick && flags.batches === OPTIONS.batches.default ? [1, 8] : numbers(flags.batches);
    const all: KernelTimes[] = [];
    const speeds: (MemorySpeed & { dims: number })[] = [];
    const lines: string[] = [];
    const say = (text: string) => {
      lines.push(text);
      print(text);
    };
    // By default Dawn rounds timestamps to 65 µs, to protect web pages from each other.
    const device = await openDevice({ dawnFlags: ["disable-dawn-features=timestamp_quantization"] });
    say(
      `\n${device.name}; bindings of ${formatBytes(device.limits.bindingBytes)}, ${device.limits.storageBuffers} storage buffers, workgroups of ${device.limits.threads}`,
    );
    for (const dims of numbers(flags.dims)) {
      const shape = new GpuShape(docs, dims, SEMANTIC_DIMS);
      const { resident, search } = await prepare(device, shape, say);
      speeds.push({ dims, ...(await measureMemorySpeed(resident)) });
      say(speedLine(speeds[speeds.length - 1]));
      const lab = new Lab(shape, search, flags.quick);
      for (const batch of batches) {
        for (const plan of flags.only.split(",")) {
          if (batch > 1 && isCertified(plan) && flags.only === PLANS) continue;
          const measured = await lab.measure(plan, batch);
          all.push(measured);
          say(progressLine(measured));
          keepInOut("gpu", lines, { speeds, all });
        }
      }
      say(await lab.checkAgainstCpu());
      search.close();
      if (flags.tune) for await (const line of tune(shape, resident)) say(line);
      resident.close();
    }
    say(
      `\n${formatTable(
        HEAD,
        all.map((row) => cells(row, speeds.find(({ dims }) => dims === row.dims)!)),
      )}`,
    );
    for (const line of verdicts(all)) say(line);
    keepInOut("gpu", lines, { speeds, all });
    device.close();
  },
};

async function prepare(device: Device, shape: GpuShape, say: (text: string) => void) {
  const start = performance.now();
  const resident = await ResidentRows.reserve(device, shape, { bytes: true, rows: true });
  await shape.fill(resident);
  const seconds = (performance.now() - start) / 1000;
  const sizes = `${shape.docs.toLocaleString("en")} documents × (${shape.dims} + ${shape.semanticDims})`;
  say(
    `\n${sizes}: ${formatBytes(resident.bytes)} resident in ${resident.chunks.length} chunks, made in ${seconds.toFixed(1)} s`,
  );
  return { resident, search: new DeviceSearch(resident) };
}

/** Measures plans. Keeps the exact answers to compute their recall. */
class Lab {
  readonly #shape: GpuShape;
  readonly #search: DeviceSearch;
  readonly #judged: number;
  readonly #queries: QueryRow[];
  readonly #exact: DeviceAnswer[] = [];

  constructor(shape: GpuShape, search: DeviceSearch, isQuick: boolean) {
    this.#shape = shape;
    this.#search = search;
    this.#judged = isQuick ? 4 : JUDGED;
    this.#queries = Array.from({ length: QUERIES }, (_, i) => shape.query(i));
  }

  async measure(name: string, batch: number): Promise<KernelTimes> {
    const plan = planOf(name);
    const queries = this.#queries.map((query) => deviceQueryOf(name, query));
    const turn = (run: number) =>
      Array.from({ length: batch }, (_, i) => queries[(run * batch + i) % QUERIES]);
    const times = await timeCalls((run) => this.#ask(turn(run), plan), batch === 1 ? JUDGED : 15);
    let stages: StageTime[] = [];
    // Queries are searched in groups. The time of a call is the sum over its groups.
    const onStages = (found: StageTime[]) => {
      stages = found.map(({ stage, ms }, i) => ({ stage, ms: ms + (stages[i]?.ms ?? 0) }));
    };
    await this.#search.searchAll(turn(0), K, plan, { onStages });
    const judged = await this.#judge(queries, plan);
    const { query, selected = query } = queries[0];
    const read = kindOf(name) === "bytes" || name === "exact" ? query : selected;
    const filled = (x: Iterable<number>) => [...x].filter((value) => value !== 0).length;
    return {
      dims: this.#shape.dims,
      batch,
      plan: name,
      ...times,
      perQuery: times.median / batch,
      stages,
      read: filled(read.values) + filled(read.semantic ?? []),
      ...judged,
    };
  }

  /** Searches like a caller who wants exact answers: queries that a certified plan did not prove exact are searched again. */
  async #ask(queries: DeviceQuery[], plan: DevicePlan): Promise<DeviceAnswer[]> {
    const answers = await this.#search.searchAll(queries, K, plan);
    if (plan.kind !== "certified") return answers;
    const open = [...answers.keys()].filter((i) => !answers[i].exact);
    if (open.length === 0) return answers;
    const again = await this.#search.searchAll(
      open.map((i) => queries[i]),
      K,
      { kind: "exact" },
    );
    for (const [j, i] of open.entries()) answers[i] = again[j];
    return answers;
  }

  /** Measures recall and certificates of single answers, without the full pass. */
  async #judge(queries: DeviceQuery[], plan: DevicePlan): Promise<{ recall: number; certified: number }> {
    let [found, wanted, certified] = [0, 0, 0];
    for (let i = 0; i < this.#judged; i++) {
      this.#exact[i] ??= await this.#search.search({ query: this.#queries[i] }, K, { kind: "exact" });
      const answer = await this.#search.search(queries[i], K, plan);
      const best = new Set(this.#exact[i].docs);
      found += answer.docs.reduce((sum, doc) => sum + Number(best.has(doc)), 0);
      wanted += best.size;
      certified += Number(answer.exact);
    }
    return { recall: found / wanted, certified: certified / this.#judged };
  }

  async checkAgainstCpu(): Promise<string> {
    const lines: string[] = [];
    for (let i = 0; i < 3; i++) {
      this.#exact[i] ??= await this.#search.search({ query: this.#queries[i] }, K, { kind: "exact" });
      const { returned, others, difference, bound, missed } = await check(
        this.#shape,
        this.#queries[i],
        this.#exact[i],
        3000,
      );
      const verdict = difference <= bound && missed === 0 ? "agrees with the definition" : "DISAGREES";
      lines.push(
        `query ${i}: ${verdict}: ${returned} returned, scores differ by at most ${difference.toExponential(1)} (bound ${bound.toExponential(1)}); ` +
          `${missed} of ${others} others should have been returned`,
      );
    }
    return `\n${lines.join("\n")}`;
  }
}

function planOf(name: string): DevicePlan {
  if (name === "exact") return { kind: "exact" };
  if (name === "theta") return { kind: "stages", by: "gated", candidates: CANDIDATES };
  if (name === "inner-product") return { kind: "stages", by: "inner-product", candidates: CANDIDATES };
  if (kindOf(name) === "bytes") return { kind: "certified", by: "bytes", candidates: numberOf(name) };
  if (kindOf(name) === "ceiling") return { kind: "certified", by: "ceiling", candidates: CANDIDATES };
  throw new Error(`there is no plan ${name}; the plans are ${PLANS}`);
}

const kindOf = (name: string) => name.split("@")[0];
const numberOf = (name: string) => Number(name.split("@")[1]);
const isCertified = (name: string) => name.includes("@");

function deviceQueryOf(name: string, query: QueryRow): DeviceQuery {
  if (name === "theta")
    return { query, selected: selectDimensions(query, query.semantic, 1, { theta: THETA }).query };
  if (kindOf(name) === "ceiling") {
    return {
      query,
      selected: selectDimensions(query, query.semantic, 1, { mass: numberOf(name) }, "all").query,
    };
  }
  return { query };
}

/** Times other settings of the two scans, to find the best ones for a device. */
async function* tune(shape: GpuShape, resident: ResidentRows): AsyncGenerator<string> {
  const queries = Array.from({ length: 64 }, (_, i): DeviceQuery => ({ query: shape.query(i) }));
  for (const threads of [128, 256]) {
    for (const parts of [1, 2, 4, 8]) {
      for (const unroll of [1, 2, 4]) {
        const search = new DeviceSearch(resident, { scan: { threads, parts, unroll } });
        const ask = (plan: string) => async (run: number) =>
          search.search(deviceQueryOf(plan, queries[run % 64].query), K, planOf(plan));
        const times: string[] = [];
        for (const plan of ["exact", "bytes@4000", "theta"]) {
          times.push(`${plan} ${(await timeCalls(ask(plan), 9)).median.toFixed(2)} ms`);
        }
        yield `tune: scan, ${threads} threads, ${parts} parts, ${unroll} entries at once: ${times.join(", ")}`;
        search.close();
      }
    }
  }
  for (const [docs, queriesEach] of [
    [4, 16],
    [8, 8],
    [8, 16],
  ] as const) {
    for (const threads of [64, 128, 256]) {
      const batch = { ...DEVICE_TUNING.batch, threads, docs, queries: queriesEach };
      const search = new DeviceSearch(resident, { batch });
      let scan = 0;
      const onStages = (stages: StageTime[]) => {
        scan += stages[0].ms;
      };
      await search.searchAll(queries, K, { kind: "exact" });
      await search.searchAll(queries, K, { kind: "exact" }, { onStages });
      yield `tune: batch of 64, ${threads} threads of ${docs} documents and ${queriesEach} queries: scan ${scan.toFixed(1)} ms`;
      search.close();
    }
  }
}

const speed = (bytes: number, ms: number) => `${(bytes / ms / 1e6).toFixed(0)} GB/s`;

function speedLine({ bytes, readMs, copiedBytes, copyMs }: MemorySpeed): string {
  return `plain read of all columns: ${(bytes / 1e9).toFixed(2)} GB in ${readMs.toFixed(2)} ms, ${speed(bytes, readMs)}; copy: ${speed(copiedBytes, copyMs)} read and written`;
}

const stagesOf = (stages: readonly StageTime[]) =>
  stages.map(({ stage, ms }) => `${stage} ${ms.toFixed(3)}`).join(", ") || "not timed";

function progressLine({
  dims,
  batch,
  plan,
  perQuery,
  best = 0,
  certified,
  recall,
  stages,
}: KernelTimes): string {
  return `${dims} dims, batch ${batch}, ${plan}: ${perQuery.toFixed(3)} ms a query, best call ${best.toFixed(3)} ms; recall ${recall.toFixed(4)}, certified ${(100 * certified).toFixed(0)} %; ${stagesOf(stages)}`;
}

const HEAD = [
  ...["plan", "dims", "batch", "ms a query", "best call ms", "runs", "dims read", "× plain read"],
  ...["recall@1000", "certified", "paper (A6000) ms", "stages of a call, ms"],
];

function cells(row: KernelTimes, { readMs }: MemorySpeed): string[] {
  return [
    row.plan,
    `${row.dims} + ${SEMANTIC_DIMS}`,
    String(row.batch),
    row.perQuery.toFixed(3),
    (row.best ?? 0).toFixed(3),
    String(row.runs),
    String(row.read),
    (row.perQuery / readMs).toFixed(2),
    row.recall.toFixed(4),
    isCertified(row.plan) ? `${(100 * row.certified).toFixed(0)} %` : "",
    row.dims === 768 && row.batch === 1 ? (PAPER[row.plan] ?? "") : "",
    stagesOf(row.stages),
  ];
}

function verdicts(all: readonly KernelTimes[]): string[] {
  return TARGETS.flatMap(({ batch, plan, ms }) => {
    const [row] = all
      .filter((found) => found.dims === 768 && found.batch === batch && kindOf(found.plan) === plan)
      .sort((a, b) => a.perQuery - b.perQuery);
    if (!row) return [];
    const verdict = row.perQuery <= ms ? "met" : "missed";
    return [`${verdict}: ${row.plan}, batch ${batch}: ${row.perQuery.toFixed(2)} ms a query, limit ${ms} ms`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runAlone(gpu);
