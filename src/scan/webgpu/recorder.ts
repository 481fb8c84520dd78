// The dispatches of one search → GPU commands: one encoder, one pass, one submission. If stages are timed, each gets its
// own pass, since only a pass can have timestamps.

import { BufferUsage, type Device } from "./device.ts";

/** How long a stage took on the device. */
export interface StageTime {
  readonly stage: string;
  readonly ms: number;
}

/** The timestamps of a search: two for each stage. */
export class StageClock {
  /** The most stages that can be timed. */
  static readonly most = 32;
  readonly set: GPUQuerySet;
  readonly resolved: GPUBuffer;
  readonly read: GPUBuffer;
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
    this.set = device.gpu.createQuerySet({ type: "timestamp", count: StageClock.most * 2 });
    const bytes = StageClock.most * 16;
    this.resolved = device.buffer(bytes, BufferUsage.queryResolve | BufferUsage.copySource, "timestamps");
    this.read = device.buffer(bytes, BufferUsage.mapRead | BufferUsage.copyTarget, "timestamps to read");
  }

  async readTimes(stages: readonly string[]): Promise<StageTime[]> {
    await this.#device.waitUnlessLost(this.read.mapAsync(1));
    const ticks = new BigUint64Array(this.read.getMappedRange().slice(0));
    this.read.unmap();
    return stages.map((stage, i) => ({ stage, ms: Number(ticks[2 * i + 1] - ticks[2 * i]) / 1e6 }));
  }

  close(): void {
    this.set.destroy();
    this.#device.free([this.resolved, this.read]);
  }
}

/** A dispatch, and the stage it belongs to. */
export interface Step {
  readonly stage: string;
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly x: number;
  readonly y: number;
}

/** The dispatches of a search. They are the same for every search of its kind, so they are found once and then recorded. */
export class Steps {
  readonly all: Step[] = [];
  #stage = "";

  /** Begins a stage. The dispatches that follow belong to it. */
  beginStage(name: string): void {
    this.#stage = name;
  }

  dispatch(pipeline: GPUComputePipeline, group: GPUBindGroup, x: number, y = 1): void {
    this.all.push({ stage: this.#stage, pipeline, group, x, y });
  }
}

export class Recorder {
  readonly encoder: GPUCommandEncoder;
  readonly stages: string[] = [];
  readonly #clock: StageClock | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #pipeline: GPUComputePipeline | undefined;

  constructor(device: Device, clock?: StageClock) {
    this.encoder = device.gpu.createCommandEncoder();
    this.#clock = clock;
  }

  /** Records steps and ends the pass, so that copies can follow. */
  record(steps: readonly Step[]): void {
    for (const { stage, pipeline, group, x, y } of steps) {
      if (this.#clock && stage !== this.stages.at(-1)) this.#beginTimedPass(stage, this.#clock);
      this.#pass ??= this.encoder.beginComputePass();
      if (pipeline !== this.#pipeline) this.#pass.setPipeline(pipeline);
      this.#pipeline = pipeline;
      this.#pass.setBindGroup(0, group);
      this.#pass.dispatchWorkgroups(x, y);
    }
    this.#end();
  }

  #beginTimedPass(stage: string, { set }: StageClock): void {
    this.#pass?.end();
    this.#pipeline = undefined;
    const first = this.stages.push(stage) * 2 - 2;
    this.#pass = this.encoder.beginComputePass({
      timestampWrites: {
        querySet: set,
        beginningOfPassWriteIndex: first,
        endOfPassWriteIndex: first + 1,
      },
    });
  }

  #end(): void {
    this.#pass?.end();
    this.#pass = undefined;
    if (!this.#clock || this.stages.length === 0) return;
    const { set, resolved, read } = this.#clock;
    this.encoder.resolveQuerySet(set, 0, this.stages.length * 2, resolved, 0);
    this.encoder.copyBufferToBuffer(resolved, 0, read, 0, this.stages.length * 16);
  }
}
