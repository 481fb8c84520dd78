// Queries → the k best documents, computed on the device. A search is one submission, and only k documents come back.
//
//   exact      scan with the whole query → the k best
//   stages     scan with the heavy part, or by the inner product → candidates → their exact scores → the k best
//   certified  scan for an upper bound on each score → candidates → their exact scores → the k best, and whether a
//              document that is no candidate could have been among them
//
// Scores are float32 sums; `error` of an answer is how far they can be from the definition, at most.

import { scoreError } from "./bounds.ts";
import {
  chooseScanKind,
  DEVICE_TUNING,
  type DeviceAnswer,
  type DevicePlan,
  type DeviceQuery,
  type DeviceSearchOptions,
  type DeviceTuning,
} from "./device-plan.ts";
import { indexBytes } from "./document-chunks.ts";
import { Passes } from "./passes.ts";
import { readResults } from "./read-results.ts";
import { Recorder, StageClock, type Step, Steps } from "./recorder.ts";
import type { ResidentRows } from "./resident-rows.ts";
import { LIST_HEADER_PAIRS, SORTED } from "./select-shaders.ts";
import { uploadQueries } from "./upload-queries.ts";
import { keyToScore } from "./wgsl.ts";
import { Workspace } from "./workspace.ts";

/** The largest k. */
export const MOST_RESULTS = 10_000;
/** The largest number of candidates: rescoring uses a workgroup for each, and WebGPU allows 65,535 in one dimension. */
export const MOST_CANDIDATES = 65_535;

export class DeviceSearch {
  readonly rows: ResidentRows;
  readonly #tuning: DeviceTuning;
  readonly #passes: Passes;
  #workspaces = new Map<string, Workspace>();
  #clock: StageClock | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(rows: ResidentRows, tuning: Partial<DeviceTuning> = {}) {
    this.rows = rows;
    this.#tuning = { ...DEVICE_TUNING, ...tuning };
    this.#passes = new Passes(rows, this.#tuning);
  }

  async search(
    query: DeviceQuery,
    k: number,
    plan: DevicePlan,
    options: DeviceSearchOptions = {},
  ): Promise<DeviceAnswer> {
    return (await this.searchAll([query], k, plan, options))[0];
  }

  /** Many queries at once, which share passes if they can. Searches wait for each other. */
  searchAll(
    queries: readonly DeviceQuery[],
    k: number,
    plan: DevicePlan,
    options: DeviceSearchOptions = {},
  ): Promise<DeviceAnswer[]> {
    const run = this.#turn.then(() => this.#searchAll(queries, k, plan, options));
    this.#turn = run.catch(() => {});
    return run;
  }

  async #searchAll(
    queries: readonly DeviceQuery[],
    k: number,
    plan: DevicePlan,
    options: DeviceSearchOptions,
  ): Promise<DeviceAnswer[]> {
    checkDeviceSearch(queries, k, plan, this.rows);
    const most = this.#queriesAtOnce();
    const groups = Array.from({ length: Math.ceil(queries.length / most) }, (_, i) =>
      queries.slice(i * most, (i + 1) * most),
    );
    // Two groups run at a time: the host prepares one while the device works on the other.
    const runs: Promise<(DeviceAnswer | undefined)[]>[] = [];
    for (const [i, group] of groups.entries()) {
      if (i > 1 || (i > 0 && options.onStages)) await runs[options.onStages ? i - 1 : i - 2];
      const run = this.#run(group, k, plan, options, i % 2);
      run.catch(() => {}); // `Promise.all` below reports it
      runs.push(run);
    }
    const found = (await Promise.all(runs)).flat();
    const answers: DeviceAnswer[] = [];
    for (const [i, answer] of found.entries()) {
      // The last bin had more documents than a list of a batch holds. Alone, the query has room for all.
      answers.push(answer ?? (await this.#run([queries[i]], k, plan, options, 0))[0]!);
    }
    return answers;
  }

  /** The tuning's number of queries, or as many as a binding has room for keys. */
  #queriesAtOnce(): number {
    const stride = Math.max(...this.rows.chunks.map((chunk) => chunk.stride));
    const fit = Math.floor(this.rows.device.limits.bindingBytes / (stride * 4));
    return Math.max(1, Math.min(this.#tuning.queries, fit));
  }

  /** A workspace for one query, or for as many as run at once. `which` is 0 or 1: two groups run at a time. */
  async #takeWorkspace(queries: number, candidates: number, which: number): Promise<Workspace> {
    const most = queries === 1 ? 1 : this.#queriesAtOnce();
    const key = `${most} ${which}`;
    const existing = this.#workspaces.get(key);
    if (existing && existing.size.candidates >= candidates) return existing;
    existing?.close();
    this.#workspaces.delete(key);
    const capacity =
      most === 1 ? this.rows.docs : Math.min(this.rows.docs, Math.max(this.#tuning.capacity, 2 * candidates));
    const workspace = await Workspace.create(this.rows, {
      queries: most,
      candidates: Math.max(candidates, existing?.size.candidates ?? 0, 1000),
      capacity: Math.max(1, capacity),
    });
    this.#workspaces.set(key, workspace);
    return workspace;
  }

  /** An answer is undefined if its list overflowed. */
  async #run(
    queries: readonly DeviceQuery[],
    k: number,
    plan: DevicePlan,
    options: DeviceSearchOptions,
    which: number,
  ): Promise<(DeviceAnswer | undefined)[]> {
    const { device, docs } = this.rows;
    const wanted = Math.min(k, docs);
    const first =
      plan.kind === "exact" ? wanted : Math.min(Math.max(plan.candidates, wanted), docs, MOST_CANDIDATES);
    if (wanted === 0) return queries.map(() => emptyAnswer());
    const space = await this.#takeWorkspace(queries.length, first, which);
    // A first stage over few slices is not shared: queries have different slices, and reading a query's own is less than all.
    const needsAllDocuments =
      plan.kind === "exact" || (plan.kind === "stages" && plan.by === "inner-product");
    const isShared = needsAllDocuments && queries.length >= this.#tuning.shareFrom;
    uploadQueries(
      this.rows,
      this.#tuning,
      space,
      queries,
      plan,
      { first, second: wanted },
      options,
      isShared,
    );

    const isTimed = options.onStages && device.hasTimestamps;
    if (isTimed) this.#clock ??= new StageClock(device);
    const recorder = new Recorder(device, isTimed ? this.#clock : undefined);
    recorder.record(await this.#prepareSteps(space, plan, isShared, queries.length, first));
    const stride = (wanted + LIST_HEADER_PAIRS) * 8;
    const bytes = stride * queries.length;
    recorder.encoder.copyBufferToBuffer(space.results, 0, space.readback, 0, bytes);
    device.gpu.queue.submit([recorder.encoder.finish()]);
    await device.waitUnlessLost(space.readback.mapAsync(1, 0, bytes));
    const read = space.readback.getMappedRange(0, bytes).slice(0);
    space.readback.unmap();
    if (isTimed) options.onStages?.(await this.#clock!.readTimes(recorder.stages));
    return queries.map((query, i) =>
      this.#answer(
        query,
        plan,
        new Uint32Array(read, i * stride, stride / 4),
        wanted,
        first,
        space.size.capacity,
      ),
    );
  }

  /** The dispatches of a plan, found once for each kind of search. */
  async #prepareSteps(
    space: Workspace,
    plan: DevicePlan,
    isShared: boolean,
    queries: number,
    candidates: number,
  ): Promise<readonly Step[]> {
    const by = "by" in plan ? plan.by : "";
    const name = `${plan.kind} ${by} ${isShared} ${queries} ${candidates}`;
    const known = space.steps.get(name);
    if (known) return known;
    const steps = new Steps();
    const kind = chooseScanKind(plan, indexBytes(this.rows.shape));
    if (isShared) await this.#passes.scanTogether(steps, space, kind, queries);
    else await this.#passes.scan(steps, space, kind, queries);
    const hasTwoStages = plan.kind !== "exact";
    await this.#passes.rank(steps, space, queries, hasTwoStages ? space.candidates : space.results);
    if (hasTwoStages) {
      await this.#passes.rescore(steps, space, queries, candidates);
      await this.#passes.rankAgain(steps, space, queries);
    }
    space.steps.set(name, steps.all);
    return steps.all;
  }

  #answer(
    { query }: DeviceQuery,
    plan: DevicePlan,
    words: Uint32Array<ArrayBuffer>,
    wanted: number,
    first: number,
    capacity: number,
  ): DeviceAnswer | undefined {
    const [count, lowest, candidates, lowestCandidate, collected] = words;
    if (collected > capacity) return undefined;
    const start = LIST_HEADER_PAIRS * 2;
    const { docs, scores } = readResults(words.subarray(start, start + count * 2), wanted <= SORTED);
    const error = scoreError(query, this.rows.statistics);
    const isComplete = candidates < first || candidates >= this.rows.docs; // no document was left out
    const isCertain =
      plan.kind === "certified" && count > 0 && keyToScore(lowestCandidate) < keyToScore(lowest) - error;
    return {
      docs,
      scores,
      exact: plan.kind === "exact" || isComplete || isCertain,
      error,
      candidates: plan.kind === "exact" ? 0 : candidates,
      ...(plan.kind === "certified" && { bound: keyToScore(lowestCandidate) }),
    };
  }

  /** Bytes that searches hold on the device, beside the rows. */
  get bytes(): number {
    return [...this.#workspaces.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  close(): void {
    for (const workspace of this.#workspaces.values()) workspace.close();
    this.#workspaces.clear();
    this.#clock?.close();
    this.#clock = undefined;
  }
}

const emptyAnswer = (): DeviceAnswer => ({
  docs: new Uint32Array(),
  scores: new Float32Array(),
  exact: true,
  error: 0,
  candidates: 0,
});

function checkDeviceSearch(
  queries: readonly DeviceQuery[],
  k: number,
  plan: DevicePlan,
  { shape, forms }: ResidentRows,
): void {
  if (!Number.isInteger(k) || k < 1 || k > MOST_RESULTS) {
    throw new RangeError(`k must be a whole number from 1 to ${MOST_RESULTS}, not ${k}`);
  }
  if (plan.kind === "certified" && plan.by === "bytes" && !forms.bytes) {
    throw new RangeError('the plan "certified" by "bytes" needs rows uploaded with the form `bytes`');
  }
  for (const { query } of queries) {
    if (query.semantic && query.semantic.length !== shape.semanticDims) {
      throw new RangeError(
        `the query has ${query.semantic.length} semantic dims, the rows have ${shape.semanticDims}`,
      );
    }
    if (query.slices.some((slice) => slice >= shape.dims)) {
      throw new RangeError(`the query has a slice beyond the ${shape.dims} slices of the rows`);
    }
    if (plan.kind === "certified" && query.values.some((value) => value < 0)) {
      throw new RangeError('the plan "certified" needs weights of at least 0; use the plan "exact"');
    }
  }
}
