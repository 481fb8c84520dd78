// Questions → the best documents, on the device: everything in one submission, and only k documents come back.
//
//   exact      scan of all that is asked → the k best
//   stages     scan of the heavy part, or the inner product → candidates → their exact scores → the k best
//   certified  scan of the most that each document can score → candidates → their exact scores → the k best, and whether
//              anyone who is no candidate could have been among them
//
// Scores are float32 sums; `error` of an answer says how far from the definition one can be, at most.

import type { QueryRow } from "../rows.ts";
import { BATCH_TUNING, type BatchTuning, batchShader, batchTile } from "./batch-shader.ts";
import { ceilingOf, leftOutOf, scoreError, semanticLength, termsOf } from "./bounds.ts";
import { indexBytes } from "./chunks.ts";
import { type Header, layOutBatch, layOutDense } from "./question.ts";
import { ranked } from "./ranked.ts";
import { Recorder, StageClock, type StageTime } from "./recorder.ts";
import { denseWords, rescoreFromColumns, rescoreFromRows } from "./rescore-shaders.ts";
import type { ResidentRows } from "./resident.ts";
import {
  chunksAtOnce,
  SCAN_TUNING,
  type ScanKind,
  type ScanTuning,
  scanBindings,
  scanShader,
  scanTile,
  scanUniform,
} from "./scan-shader.ts";
import {
  collectShader,
  countShader,
  keyGroups,
  LIST_HEADER_PAIRS,
  pickShader,
  rankShader,
  SORTED,
} from "./select-shaders.ts";
import { BIN_SHIFT, BINS, float32Up, keyOf, scoreOf } from "./wgsl.ts";
import { BATCH_WIDTH, Workspace } from "./workspace.ts";

export type DevicePlan =
  | { readonly kind: "exact" }
  | { readonly kind: "stages"; readonly by: "gated" | "inner-product"; readonly candidates: number }
  | { readonly kind: "certified"; readonly by: "ceiling" | "bytes"; readonly candidates: number };

export interface Question {
  /** With λ in its semantic part. */
  readonly query: QueryRow;
  /** The part that the first stage looks at; all of it where there is none. Bytes are always asked everything. */
  readonly selected?: QueryRow;
}

export interface Answer {
  /** Best first, equal scores by lower number. */
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
  /** Whether no other document can belong here, but for scores that differ by less than twice the error. */
  readonly exact: boolean;
  /** How far a score can be from the definition, at most. */
  readonly error: number;
  /** Documents that were rescored. */
  readonly candidates: number;
  /** Of a certified plan: the most that a document which was not rescored can score. */
  readonly bound?: number;
}

export interface SearchOptions {
  /** Documents with a score of 0 or less are no hits: for queries without a semantic part. */
  readonly positive?: boolean;
  /** Called with the time each stage took, where the device has timestamps. */
  readonly onStages?: (times: StageTime[]) => void;
}

export interface Tuning {
  /** One for all kinds of scans; by default each has its own. */
  readonly scan?: ScanTuning;
  readonly batch: BatchTuning;
  /** From so many queries on, exact scans share a pass. */
  readonly shareFrom: number;
  /** Queries at a time. */
  readonly queries: number;
  /** Documents that a query of a batch may collect before it is asked again alone, with room for all. */
  readonly capacity: number;
}

export const TUNING: Tuning = {
  batch: BATCH_TUNING,
  shareFrom: 3,
  queries: 64,
  capacity: 65_536,
};

export const MOST_RESULTS = 10_000;
/** Workgroups in one direction: a candidate each. */
export const MOST_CANDIDATES = 65_535;

export class DeviceSearch {
  readonly rows: ResidentRows;
  readonly #tuning: Tuning;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  #workspaces = new Map<string, Workspace>();
  #clock: StageClock | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(rows: ResidentRows, tuning: Partial<Tuning> = {}) {
    this.rows = rows;
    this.#tuning = { ...TUNING, ...tuning };
  }

  /** One question. */
  async search(
    question: Question,
    k: number,
    plan: DevicePlan,
    options: SearchOptions = {},
  ): Promise<Answer> {
    return (await this.searchAll([question], k, plan, options))[0];
  }

  /** Many questions, which share what they can. Searches wait for each other. */
  searchAll(
    questions: readonly Question[],
    k: number,
    plan: DevicePlan,
    options: SearchOptions = {},
  ): Promise<Answer[]> {
    const run = this.#turn.then(() => this.#searchAll(questions, k, plan, options));
    this.#turn = run.catch(() => {});
    return run;
  }

  async #searchAll(
    questions: readonly Question[],
    k: number,
    plan: DevicePlan,
    options: SearchOptions,
  ): Promise<Answer[]> {
    check(questions, k, plan, this.rows);
    const most = this.#queriesAtOnce();
    const groups = Array.from({ length: Math.ceil(questions.length / most) }, (_, i) =>
      questions.slice(i * most, (i + 1) * most),
    );
    // Two groups are under way at a time: what the host does for one, it does while the device works on the other.
    const runs: Promise<(Answer | undefined)[]>[] = [];
    for (const [i, group] of groups.entries()) {
      if (i > 1 || (i > 0 && options.onStages)) await runs[options.onStages ? i - 1 : i - 2];
      const run = this.#run(group, k, plan, options, i % 2);
      run.catch(() => {}); // told to whoever waits for it below
      runs.push(run);
    }
    const found = (await Promise.all(runs)).flat();
    const answers: Answer[] = [];
    for (const [i, answer] of found.entries()) {
      // More documents shared the last bin than a list of a batch holds: asked alone, there is room for all.
      answers.push(answer ?? (await this.#run([questions[i]], k, plan, options, 0))[0]!);
    }
    return answers;
  }

  /** As many as are asked for, and as the keys of a chunk have room for. */
  #queriesAtOnce(): number {
    const stride = Math.max(...this.rows.chunks.map((chunk) => chunk.stride));
    const fit = Math.floor(this.rows.device.limits.bindingBytes / (stride * 4));
    return Math.max(1, Math.min(this.#tuning.queries, fit));
  }

  /** One of two workspaces for so many queries: one, or as many as go at once. */
  async #workspace(queries: number, candidates: number, which: number): Promise<Workspace> {
    const most = queries === 1 ? 1 : this.#queriesAtOnce();
    const key = `${most} ${which}`;
    const existing = this.#workspaces.get(key);
    if (existing && existing.size.candidates >= candidates) return existing;
    existing?.close();
    this.#workspaces.delete(key);
    const capacity =
      most === 1 ? this.rows.docs : Math.min(this.rows.docs, Math.max(this.#tuning.capacity, 2 * candidates));
    const workspace = await Workspace.make(this.rows, {
      queries: most,
      candidates: Math.max(candidates, existing?.size.candidates ?? 0, 1000),
      capacity: Math.max(1, capacity),
    });
    this.#workspaces.set(key, workspace);
    return workspace;
  }

  #pipeline(name: string, code: () => string): Promise<GPUComputePipeline> {
    let pipeline = this.#pipelines.get(name);
    if (!pipeline) {
      pipeline = this.rows.device.pipeline(code(), name);
      this.#pipelines.set(name, pipeline);
      pipeline.catch(() => this.#pipelines.delete(name));
    }
    return pipeline;
  }

  /** Undefined where a list overflowed. */
  async #run(
    questions: readonly Question[],
    k: number,
    plan: DevicePlan,
    options: SearchOptions,
    which: number,
  ): Promise<(Answer | undefined)[]> {
    const { device, docs } = this.rows;
    const wanted = Math.min(k, docs);
    const first =
      plan.kind === "exact" ? wanted : Math.min(Math.max(plan.candidates, wanted), docs, MOST_CANDIDATES);
    if (wanted === 0) return questions.map(() => nothing());
    const space = await this.#workspace(questions.length, first, which);
    // A first stage over few slices is not shared: every query has others, and reading its own is less than reading all.
    const whole = plan.kind === "exact" || (plan.kind === "stages" && plan.by === "inner-product");
    const shared = whole && questions.length >= this.#tuning.shareFrom;
    this.#ask(questions, space, plan, { first, second: wanted }, options, shared);

    const timed = options.onStages && device.hasTimestamps;
    if (timed) this.#clock ??= new StageClock(device);
    const recorder = new Recorder(device, timed ? this.#clock : undefined);
    const kind = this.#scanKind(plan);
    if (shared) await this.#scanTogether(recorder, space, kind, questions.length);
    else await this.#scan(recorder, space, kind, questions.length);
    await this.#rank(
      recorder,
      space,
      questions.length,
      plan.kind === "exact" ? space.results : space.candidates,
    );
    if (plan.kind !== "exact") {
      await this.#rescore(recorder, space, questions.length, first);
      await this.#rankAgain(recorder, space, questions.length);
    }
    recorder.end();
    const stride = (wanted + LIST_HEADER_PAIRS) * 8;
    const bytes = stride * questions.length;
    recorder.encoder.copyBufferToBuffer(space.results, 0, space.readback, 0, bytes);
    device.gpu.queue.submit([recorder.encoder.finish()]);
    await device.untilLost(space.readback.mapAsync(1, 0, bytes));
    const read = space.readback.getMappedRange(0, bytes).slice(0);
    space.readback.unmap();
    if (timed) options.onStages?.(await this.#clock!.times(recorder.stages));
    return questions.map((question, i) =>
      this.#answer(
        question,
        plan,
        new Uint32Array(read, i * stride, stride / 4),
        wanted,
        first,
        space.size.capacity,
      ),
    );
  }

  #scanKind(plan: DevicePlan): ScanKind {
    return {
      values: plan.kind === "certified" && plan.by === "bytes" ? "bytes" : "float16",
      gated: !(plan.kind === "stages" && plan.by === "inner-product"),
      ceiling: plan.kind === "certified" && plan.by === "ceiling",
      indexBytes: indexBytes(this.rows.shape),
    };
  }

  /** Sends the questions to the device. */
  #ask(
    questions: readonly Question[],
    space: Workspace,
    plan: DevicePlan,
    sizes: Pick<Header, "first" | "second">,
    { positive = false }: SearchOptions,
    shared: boolean,
  ): void {
    const { shape, statistics } = this.rows;
    const { queue } = this.rows.device.gpu;
    const padded = Math.ceil(questions.length / BATCH_WIDTH) * BATCH_WIDTH;
    const { questions: words } = space;
    words.start(padded);
    if (shared) words.words.fill(0, 0, words.usedWords);
    const bytes = plan.kind === "certified" && plan.by === "bytes";
    const ceiling = plan.kind === "certified" && plan.by === "ceiling";
    questions.forEach(({ query, selected = query }, i) => {
      const asked = bytes || plan.kind === "exact" ? query : selected;
      const left = ceiling ? leftOutOf(query, asked, statistics) : { length: 0, most: 0 };
      const gated = !(plan.kind === "stages" && plan.by === "inner-product");
      // Rounding up to bytes adds a 255th of a slice's largest value at most, and half a per cent to a vector.
      const within = ceilingOf(asked, statistics, gated && !bytes) * (bytes ? 1.02 : 1);
      const slack =
        bytes || ceiling
          ? (termsOf(query) + 16) * 2 ** -23 * (within + left.length * statistics.maxLength)
          : 0;
      const most = within + Math.min(left.most, left.length * statistics.maxLength) + slack;
      const header: Header = {
        ...sizes,
        lowKey: lowKeyFor(most),
        leastKey: positive && plan.kind === "exact" ? keyOf(0) + 1 : 1,
        capacity: space.size.capacity,
        leftLength: float32Up(left.length),
        leftMost: float32Up(left.most),
        slack: float32Up(slack),
        semanticLength: float32Up(semanticLength(query) * (1 + 2 ** -20)),
      };
      const { byteScales } = statistics;
      const weigh = bytes
        ? (slice: number, value: number) => float32Up(value * byteScales[slice])
        : undefined;
      // A shared pass reads the table, not the entries.
      const entries = shared ? { ...query, slices: NONE, semantic: undefined } : asked;
      words.write(i, entries, header, this.#scanTuning(bytes ? "bytes" : "float16").unroll, weigh);
    });
    let used = words.usedWords;
    if (plan.kind !== "exact") {
      const each = denseWords(shape);
      space.denseWords.fill(0, 0, questions.length * each);
      for (const [i, { query }] of questions.entries()) {
        layOutDense(query, shape.dims, space.denseWords, i * each);
      }
      used = words.words.length + questions.length * each;
    }
    queue.writeBuffer(space.input, 0, space.inputWords, 0, used);
    if (shared) {
      const width = this.#batchWidth(questions.length);
      const groups = Math.ceil(questions.length / width);
      const tabled = groups * (shape.dims * 2 + shape.semanticDims) * width;
      space.tableWords.fill(0, 0, tabled);
      layOutBatch(
        questions.map(({ query, selected = query }) => (plan.kind === "exact" ? query : selected)),
        shape,
        width,
        space.tableWords,
      );
      queue.writeBuffer(space.table, 0, space.tableWords, 0, tabled);
    }
  }

  async #scan(recorder: Recorder, space: Workspace, kind: ScanKind, queries: number): Promise<void> {
    const scan = this.#scanTuning(kind.values);
    const { chunks, device, shape, allowed } = this.rows;
    const most = chunksAtOnce(kind, device.limits.storageBuffers);
    const each = Math.ceil(chunks.length / Math.ceil(chunks.length / most));
    const name = `scan ${JSON.stringify(kind)}`;
    recorder.stage("scan");
    for (let from = 0; from < chunks.length; from += each) {
      const some = chunks.slice(from, from + each);
      const pipeline = await this.#pipeline(`${name} ${some.length}`, () =>
        scanShader(kind, some.length, shape.semanticDims, scan),
      );
      const group = space.group(`${name} from ${from}`, pipeline, () =>
        scanBindings<GPUBuffer | GPUBufferBinding>(
          kind,
          [space.uniform(scanUniform(some, kind, scan)), space.asked, allowed],
          some.map((chunk, i) => ({
            ...(kind.values === "bytes" ? chunk.bytes! : chunk),
            indices: chunk.indices,
            keys: space.keys[from + i],
          })) as unknown as Record<string, GPUBuffer | GPUBufferBinding>[],
        ),
      );
      const tiles = some.reduce((sum, { stride }) => sum + stride / scanTile(kind, scan), 0);
      recorder.dispatch(pipeline, group, tiles, queries);
    }
  }

  #scanTuning(values: ScanKind["values"]): ScanTuning {
    return this.#tuning.scan ?? SCAN_TUNING[values];
  }

  #batchWidth(queries: number): number {
    const { queries: width } = this.#tuning.batch;
    return Math.min(width, queries <= 4 ? 4 : queries <= 8 ? 8 : BATCH_WIDTH);
  }

  async #scanTogether(recorder: Recorder, space: Workspace, kind: ScanKind, queries: number): Promise<void> {
    const width = this.#batchWidth(queries);
    const tuning = { ...this.#tuning.batch, queries: width };
    const name = `batch ${width} ${kind.gated ? "gated" : "open"}`;
    const pipeline = await this.#pipeline(name, () => batchShader(kind, tuning));
    recorder.stage("scan");
    this.rows.chunks.forEach((chunk, i) => {
      const group = space.group(`${name} ${i}`, pipeline, () => [
        space.chunkUniforms[i],
        space.asked,
        chunk.values,
        chunk.semantic,
        this.rows.allowedOf(chunk),
        space.keys[i],
        space.table,
        ...(kind.gated ? [chunk.indices] : []),
      ]);
      recorder.dispatch(pipeline, group, Math.ceil(queries / width), chunk.stride / batchTile(tuning));
    });
  }

  /** The first stage's best, from its keys. */
  async #rank(recorder: Recorder, space: Workspace, queries: number, to: GPUBuffer): Promise<void> {
    const { device } = this.rows;
    const each = device.limits.storageBuffers - 3;
    const parts = Array.from({ length: Math.ceil(this.rows.chunks.length / each) }, (_, part) =>
      this.rows.chunks
        .map((chunk, i) => ({ ...chunk, keys: space.keys[i] }))
        .slice(part * each, (part + 1) * each),
    );
    const counting = await Promise.all(
      parts.map((part, i) => this.#pipeline(`count ${i}`, () => countShader(part))),
    );
    const collecting = await Promise.all(
      parts.map((part, i) => this.#pipeline(`collect ${i}`, () => collectShader(part))),
    );
    const pick = await this.#pipeline("pick", pickShader);
    const threads = this.#rankThreads();
    const rank = await this.#pipeline("rank", () => rankShader({ from: "collected", threads }));
    recorder.stage("count");
    parts.forEach((part, i) => {
      const keys = part.map((chunk) => chunk.keys);
      const group = space.group(`count ${i}`, counting[i], () => [space.asked, space.counts, ...keys]);
      recorder.dispatch(counting[i], group, keyGroups(part), queries);
    });
    recorder.stage("pick");
    const picking = space.group("pick", pick, () => [space.asked, space.counts, space.state]);
    recorder.dispatch(pick, picking, 1, queries);
    recorder.stage("collect");
    parts.forEach((part, i) => {
      const keys = part.map((chunk) => chunk.keys);
      const group = space.group(`collect ${i}`, collecting[i], () => [
        ...[space.asked, space.state, space.collected],
        ...keys,
      ]);
      recorder.dispatch(collecting[i], group, keyGroups(part), queries);
    });
    recorder.stage("rank");
    const name = to === space.results ? "rank results" : "rank candidates";
    const ranking = space.group(name, rank, () => [space.asked, space.state, space.collected, to]);
    recorder.dispatch(rank, ranking, 1, queries);
  }

  #rankThreads(): number {
    return this.rows.device.limits.threads >= 1024 ? 1024 : 256;
  }

  async #rescore(recorder: Recorder, space: Workspace, queries: number, candidates: number): Promise<void> {
    const { device, shape, rowBuffers, chunks, words, docsPerRowBuffer } = this.rows;
    const kind = { ...shape, indexBytes: indexBytes(shape) };
    const room = device.limits.storageBuffers - 3;
    recorder.stage("rescore");
    if (rowBuffers.length > 0) {
      for (let at = 0; at < rowBuffers.length; at += room) {
        const some = rowBuffers.slice(at, at + room);
        const name = `rescore rows ${at}`;
        const place = { first: at * docsPerRowBuffer, docsEach: docsPerRowBuffer, count: some.length };
        const pipeline = await this.#pipeline(name, () => rescoreFromRows(kind, words, place));
        const group = space.group(name, pipeline, () => [
          space.asked,
          space.candidates,
          space.dense,
          ...some,
        ]);
        recorder.dispatch(pipeline, group, candidates, queries);
      }
      return;
    }
    const each = Math.floor(room / 3);
    for (let at = 0; at < chunks.length; at += each) {
      const some = chunks.slice(at, at + each);
      const name = `rescore columns ${at}`;
      const pipeline = await this.#pipeline(name, () => rescoreFromColumns(kind, some));
      const group = space.group(name, pipeline, () => [
        ...[space.asked, space.candidates, space.dense],
        ...some.flatMap(({ values, indices, semantic }) => [values, indices, semantic]),
      ]);
      recorder.dispatch(pipeline, group, candidates, queries);
    }
  }

  async #rankAgain(recorder: Recorder, space: Workspace, queries: number): Promise<void> {
    const threads = this.#rankThreads();
    const rank = await this.#pipeline("rank rescored", () => rankShader({ from: "rescored", threads }));
    recorder.stage("rank again");
    const group = space.group("rank rescored", rank, () => [
      ...[space.asked, space.state, space.candidates, space.results],
    ]);
    recorder.dispatch(rank, group, 1, queries);
  }

  #answer(
    { query }: Question,
    plan: DevicePlan,
    words: Uint32Array<ArrayBuffer>,
    wanted: number,
    first: number,
    capacity: number,
  ): Answer | undefined {
    const [count, lowest, candidates, lowestCandidate, collected] = words;
    if (collected > capacity) return undefined;
    const start = LIST_HEADER_PAIRS * 2;
    const { docs, scores } = ranked(words.subarray(start, start + count * 2), wanted <= SORTED);
    const error = scoreError(query, this.rows.statistics);
    const all = candidates < first || candidates >= this.rows.docs; // nobody was left out
    const isCertain =
      plan.kind === "certified" && count > 0 && scoreOf(lowestCandidate) < scoreOf(lowest) - error;
    return {
      docs,
      scores,
      exact: plan.kind === "exact" || all || isCertain,
      error,
      candidates: plan.kind === "exact" ? 0 : candidates,
      ...(plan.kind === "certified" && { bound: scoreOf(lowestCandidate) }),
    };
  }

  /** Bytes on the device that searches hold beside the rows. */
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

const NONE = new Uint32Array();

const nothing = (): Answer => ({
  docs: new Uint32Array(),
  scores: new Float32Array(),
  exact: true,
  error: 0,
  candidates: 0,
});

/** Bins end at the highest possible score, and never begin below 0. */
function lowKeyFor(most: number): number {
  return Math.max(0x8000_0000, keyOf(float32Up(most)) - (BINS - 1) * 2 ** BIN_SHIFT);
}

function check(
  questions: readonly Question[],
  k: number,
  plan: DevicePlan,
  { shape, forms }: ResidentRows,
): void {
  if (!Number.isInteger(k) || k < 1 || k > MOST_RESULTS) {
    throw new RangeError(`k must be a whole number from 1 to ${MOST_RESULTS}, not ${k}`);
  }
  if (plan.kind === "certified" && plan.by === "bytes" && !forms.bytes) {
    throw new RangeError("the resident rows have no bytes: upload them with bytes");
  }
  for (const { query } of questions) {
    if (query.semantic && query.semantic.length !== shape.semanticDims) {
      throw new RangeError(
        `query has ${query.semantic.length} semantic dims, rows have ${shape.semanticDims}`,
      );
    }
    if (query.slices.some((slice) => slice >= shape.dims)) {
      throw new RangeError(`query has a slice beyond the ${shape.dims} of the rows`);
    }
    if (plan.kind === "certified" && query.values.some((value) => value < 0)) {
      throw new RangeError("bounds count on weights of at least 0: use the exact plan");
    }
  }
}
