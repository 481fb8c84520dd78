// A batch in, better parameters out: one optimisation step, and what the model says meanwhile.

import type { Role } from "../encode/description.ts";
import type { Batch, StepReport, Tensors, TokenRows, TrainerState } from "./batch.ts";
import type { LossSettings, ModelSettings, OptimiserSettings, Rates } from "./model/settings.ts";

export interface TrainerOptions {
  /** What computes: the processor unless said otherwise. */
  readonly provider?: "cpu" | "webgpu";
  /** Threads of the runtime; 0, the default, leaves it to the runtime. With 1 a run repeats bit for bit. */
  readonly threads?: number;
  /** Positions (rows × longest) that are computed at once: what bounds the memory. */
  readonly chunkPositions?: number;
  readonly loss?: LossSettings;
  readonly optimiser?: OptimiserSettings;
}

/** What the model says about texts, one after the other. */
export interface Representations {
  /** By text: ids with a weight above the threshold, ascending, and the weights. Absent without a lexical part. */
  readonly lexical?: readonly { readonly ids: Uint32Array; readonly weights: Float32Array }[];
  /** By text: the vector. Absent without a semantic part. */
  readonly semantic?: readonly Float32Array[];
}

export class Trainer {
  readonly model: ModelSettings;

  private constructor(model: ModelSettings) {
    this.model = model;
  }

  /** Parameters by the names of `parameterShapes`; each that the model needs must be there. */
  static async create(model: ModelSettings, parameters: Tensors, options: TrainerOptions): Promise<Trainer> {
    void [parameters, options];
    return new Trainer(model);
  }

  /** Steps made. */
  get steps(): number {
    throw new Error("not built yet");
  }

  /** One optimisation step. A loss or gradient that is no number is a UsageError, and no parameter has changed. */
  async step(batch: Batch, rates: Rates): Promise<StepReport> {
    void [batch, rates];
    throw new Error("not built yet");
  }

  /** The fused scores of a batch: B rows of B × n. */
  async score(batch: Omit<Batch, "teacher">): Promise<Float32Array> {
    void batch;
    throw new Error("not built yet");
  }

  /** What the model says about texts: weights above `least` (what vanishes in float16 unless given), and vectors. */
  async encode(rows: TokenRows, role: Role, least?: number): Promise<Representations> {
    void [rows, role, least];
    throw new Error("not built yet");
  }

  /** A copy of everything a run needs to go on from here. */
  async state(): Promise<TrainerState> {
    throw new Error("not built yet");
  }

  async restore(state: TrainerState): Promise<void> {
    void state;
    throw new Error("not built yet");
  }

  async close(): Promise<void> {}
}
