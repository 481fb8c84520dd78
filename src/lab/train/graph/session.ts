// Loads and runs a graph, on the CPU or on a GPU by the runtime's WebGPU provider. On a GPU, results can stay on the device
// and be inputs of another run.

import type { Provider } from "../../../encode/contract/encoding.ts";
import type { Runtime, OrtTensor as Value } from "../../../encode/onnx/runtime.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { WrittenGraph } from "./graph.ts";

export type { Provider };

interface SessionOptions {
  readonly provider: Provider;
  /** Threads of the runtime; 0 lets the runtime choose. */
  readonly threads: number;
  /** Whether an output stays on the device. Has an effect with webgpu only. */
  readonly isResident?: (output: string) => boolean;
}

export type Values = Readonly<Record<string, Value>>;

export class Session {
  readonly inputs: ReadonlySet<string>;
  readonly outputs: readonly string[];
  readonly #session: Awaited<ReturnType<Runtime["InferenceSession"]["create"]>>;

  private constructor(session: Awaited<ReturnType<Runtime["InferenceSession"]["create"]>>) {
    this.#session = session;
    this.inputs = new Set(session.inputNames);
    this.outputs = session.outputNames;
  }

  static async open(
    runtime: Runtime,
    { bytes, outputs }: WrittenGraph,
    options: SessionOptions,
  ): Promise<Session> {
    const { provider, threads, isResident = () => false } = options;
    try {
      const session = await runtime.InferenceSession.create(bytes, {
        executionProviders: [provider],
        ...(threads > 0 && { intraOpNumThreads: threads, interOpNumThreads: 1 }),
        ...(provider === "webgpu" && {
          preferredOutputLocation: Object.fromEntries(
            outputs.filter(isResident).map((name) => [name, "gpu-buffer"] as const),
          ),
        }),
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
      });
      return new Session(session);
    } catch (error) {
      throw new SluiceError(
        `onnxruntime cannot load a graph of the trainer for ${provider}: ${(error as Error).message}`,
        provider === "webgpu"
          ? "check that there is a GPU with a Vulkan driver, or use the provider cpu"
          : undefined,
      );
    }
  }

  /** Runs the graph. Values that are not inputs of the graph are ignored. */
  async run(values: Values): Promise<Values> {
    const feeds = Object.fromEntries(Object.entries(values).filter(([name]) => this.inputs.has(name)));
    return (await this.#session.run(feeds)) as Values;
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}
