// A graph that is open: batches of token ids in, its outputs out. This file runs it on the thread that calls it, and
// graph-pool.ts on a thread of its own.

import type { OrtSession, Runtime } from "./runtime.ts";

/** Texts that run together, each padded with 0 to the same width. */
export interface GraphBatch {
  /** rows × width */
  readonly ids: Int32Array;
  /** By row: the tokens that are no padding. */
  readonly lengths: Int32Array;
  readonly width: number;
}

/** The outputs by name. The numbers of all rows are in one array, row by row. */
export type GraphOutputs = Readonly<Record<string, { readonly type: string; readonly data: unknown }>>;

export interface GraphSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** How many batches may wait or run at the same time. */
  readonly atOnce: number;
  run(batch: GraphBatch): Promise<GraphOutputs>;
  release(): Promise<void>;
}

/** Runs on the thread that calls it. The runtime blocks this thread while a batch runs. */
export class LocalGraph implements GraphSession {
  readonly atOnce = 1;
  readonly #runtime: Runtime;
  readonly #session: OrtSession;

  constructor(runtime: Runtime, session: OrtSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  get inputNames(): readonly string[] {
    return this.#session.inputNames;
  }

  get outputNames(): readonly string[] {
    return this.#session.outputNames;
  }

  async run({ ids, lengths, width }: GraphBatch): Promise<GraphOutputs> {
    const rows = lengths.length;
    const feeds = this.inputNames.map((name) => {
      const data = new BigInt64Array(rows * width);
      if (name === "input_ids") for (let i = 0; i < ids.length; i++) data[i] = BigInt(ids[i]);
      if (name === "attention_mask")
        for (let row = 0; row < rows; row++) data.fill(1n, row * width, row * width + lengths[row]);
      return [name, new this.#runtime.Tensor("int64", data, [rows, width])] as const;
    });
    const outputs = await this.#session.run(Object.fromEntries(feeds));
    return Object.fromEntries(
      Object.entries(outputs).map(([name, { type, data }]) => [name, { type, data }]),
    );
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
