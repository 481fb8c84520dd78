// A kind of search → its dispatches, one after another: a scan, the k best of it, and with two stages also the exact
// scores of those and the best of them.

import { batchShader, batchTile } from "./batch-shader.ts";
import { batchWidth, type DeviceTuning, scanTuning } from "./device-plan.ts";
import { indexBytes } from "./document-chunks.ts";
import type { Steps } from "./recorder.ts";
import { rescoreFromColumns, rescoreFromRows } from "./rescore-shaders.ts";
import type { ResidentRows } from "./resident-rows.ts";
import {
  chunksAtOnce,
  type ScanKind,
  scanBindings,
  scanShader,
  scanTile,
  scanUniform,
} from "./scan-shader.ts";
import { collectShader, countShader, findBinShader, keyGroups, rankShader } from "./select-shaders.ts";
import type { Workspace } from "./workspace.ts";

export class Passes {
  readonly #rows: ResidentRows;
  readonly #tuning: DeviceTuning;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();

  constructor(rows: ResidentRows, tuning: DeviceTuning) {
    this.#rows = rows;
    this.#tuning = tuning;
  }

  /** A scan for each query on its own. */
  async scan(steps: Steps, space: Workspace, kind: ScanKind, queries: number): Promise<void> {
    const scan = scanTuning(this.#tuning, kind.values);
    const { chunks, device, shape, allowed } = this.#rows;
    const most = chunksAtOnce(kind, device.limits.storageBuffers);
    const each = Math.ceil(chunks.length / Math.ceil(chunks.length / most));
    const name = `scan ${JSON.stringify(kind)}`;
    steps.beginStage("scan");
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
      steps.dispatch(pipeline, group, tiles, queries);
    }
  }

  /** A scan that all queries share. */
  async scanTogether(steps: Steps, space: Workspace, kind: ScanKind, queries: number): Promise<void> {
    const width = batchWidth(this.#tuning, queries);
    const tuning = { ...this.#tuning.batch, queries: width };
    const name = `batch ${width} ${kind.isGated ? "gated" : "inner-product"}`;
    const pipeline = await this.#pipeline(name, () => batchShader(kind, tuning));
    steps.beginStage("scan");
    this.#rows.chunks.forEach((chunk, i) => {
      const group = space.group(`${name} ${i}`, pipeline, () => [
        space.chunkUniforms[i],
        space.asked,
        chunk.values,
        chunk.semantic,
        this.#rows.allowedOf(chunk),
        space.keys[i],
        space.table,
        ...(kind.isGated ? [chunk.indices] : []),
      ]);
      steps.dispatch(pipeline, group, Math.ceil(queries / width), chunk.stride / batchTile(tuning));
    });
  }

  /** The k best of a scan, from its keys. */
  async rank(steps: Steps, space: Workspace, queries: number, to: GPUBuffer): Promise<void> {
    const { device } = this.#rows;
    const each = device.limits.storageBuffers - 3;
    const parts = Array.from({ length: Math.ceil(this.#rows.chunks.length / each) }, (_, part) =>
      this.#rows.chunks
        .map((chunk, i) => ({ ...chunk, keys: space.keys[i] }))
        .slice(part * each, (part + 1) * each),
    );
    const counting = await Promise.all(
      parts.map((part, i) => this.#pipeline(`count ${i}`, () => countShader(part))),
    );
    const collecting = await Promise.all(
      parts.map((part, i) => this.#pipeline(`collect ${i}`, () => collectShader(part))),
    );
    const pick = await this.#pipeline("pick", findBinShader);
    const threads = this.#rankThreads();
    const rank = await this.#pipeline("rank", () => rankShader({ from: "collected", threads }));
    steps.beginStage("count");
    parts.forEach((part, i) => {
      const keys = part.map((chunk) => chunk.keys);
      const group = space.group(`count ${i}`, counting[i], () => [space.asked, space.counts, ...keys]);
      steps.dispatch(counting[i], group, keyGroups(part), queries);
    });
    steps.beginStage("pick");
    const picking = space.group("pick", pick, () => [space.asked, space.counts, space.state]);
    steps.dispatch(pick, picking, 1, queries);
    steps.beginStage("collect");
    parts.forEach((part, i) => {
      const keys = part.map((chunk) => chunk.keys);
      const group = space.group(`collect ${i}`, collecting[i], () => [
        ...[space.asked, space.state, space.collected],
        ...keys,
      ]);
      steps.dispatch(collecting[i], group, keyGroups(part), queries);
    });
    steps.beginStage("rank");
    const name = to === space.results ? "rank results" : "rank candidates";
    const ranking = space.group(name, rank, () => [space.asked, space.state, space.collected, to]);
    steps.dispatch(rank, ranking, 1, queries);
  }

  #rankThreads(): number {
    return this.#rows.device.limits.threads >= 1024 ? 1024 : 256;
  }

  /** The exact scores of the candidates, from whole rows if they are on the device, else from columns. */
  async rescore(steps: Steps, space: Workspace, queries: number, candidates: number): Promise<void> {
    const { device, shape, rowBuffers, chunks, words, docsPerRowBuffer } = this.#rows;
    const kind = { ...shape, indexBytes: indexBytes(shape) };
    const most = device.limits.storageBuffers - 3;
    steps.beginStage("rescore");
    if (rowBuffers.length > 0) {
      for (let at = 0; at < rowBuffers.length; at += most) {
        const some = rowBuffers.slice(at, at + most);
        const name = `rescore rows ${at}`;
        const place = { first: at * docsPerRowBuffer, docsEach: docsPerRowBuffer, count: some.length };
        const pipeline = await this.#pipeline(name, () => rescoreFromRows(kind, words, place));
        const group = space.group(name, pipeline, () => [
          space.asked,
          space.candidates,
          space.dense,
          ...some,
        ]);
        steps.dispatch(pipeline, group, candidates, queries);
      }
      return;
    }
    const each = Math.floor(most / 3);
    for (let at = 0; at < chunks.length; at += each) {
      const some = chunks.slice(at, at + each);
      const name = `rescore columns ${at}`;
      const pipeline = await this.#pipeline(name, () => rescoreFromColumns(kind, some));
      const group = space.group(name, pipeline, () => [
        ...[space.asked, space.candidates, space.dense],
        ...some.flatMap(({ values, indices, semantic }) => [values, indices, semantic]),
      ]);
      steps.dispatch(pipeline, group, candidates, queries);
    }
  }

  /** The k best of the rescored candidates. */
  async rankAgain(steps: Steps, space: Workspace, queries: number): Promise<void> {
    const threads = this.#rankThreads();
    const rank = await this.#pipeline("rank rescored", () => rankShader({ from: "rescored", threads }));
    steps.beginStage("rank again");
    const group = space.group("rank rescored", rank, () => [
      ...[space.asked, space.state, space.candidates, space.results],
    ]);
    steps.dispatch(rank, group, 1, queries);
  }

  #pipeline(name: string, code: () => string): Promise<GPUComputePipeline> {
    let pipeline = this.#pipelines.get(name);
    if (!pipeline) {
      pipeline = this.#rows.device.pipeline(code(), name);
      this.#pipelines.set(name, pipeline);
      pipeline.catch(() => this.#pipelines.delete(name));
    }
    return pipeline;
  }
}
