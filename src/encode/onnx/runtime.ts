// Loads onnxruntime-node and opens models with it. The package is optional: it takes 280 MB, and only encoders need it.

import type * as ort from "onnxruntime-node";
import { missingPackageError } from "../../support/environment/packages.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { checkNumber } from "../../support/options/options.ts";
import type { Provider } from "../contract/encoding.ts";

export type Runtime = typeof ort;
export type OrtSession = ort.InferenceSession;
export type OrtTensor = ort.Tensor;

/** A product and a sum stay two operations: on an H200, WebGPU takes an eighth longer for the operation that joins them, Gemm. */
const UNFUSED = { extra: { optimization: { disable_specified_optimizers: "MatMulAddFusion" } } };

/** The most threads of a runtime. */
const MOST_THREADS = 256;

export async function loadRuntime(): Promise<Runtime> {
  try {
    return await import("onnxruntime-node");
  } catch (error) {
    throw missingPackageError("onnxruntime-node", "encoders need", error, "or do without an encoder");
  }
}

/** Throws unless it is a number of threads that the runtime can have; 0 lets it decide. */
export function checkRuntimeThreads(threads: unknown): void {
  checkNumber("threads", threads, { least: 0, most: MOST_THREADS, isWhole: true });
}

/** Opens a model from its file, or from `bytes` if they are given. With `threads` 0 the runtime decides. */
export async function openSession(
  runtime: Runtime,
  path: string,
  threads: number,
  bytes?: Uint8Array,
  provider: Provider = "cpu",
): Promise<OrtSession> {
  const options = {
    executionProviders: [provider],
    ...(threads > 0 && { intraOpNumThreads: threads, interOpNumThreads: 1 }),
    graphOptimizationLevel: "all" as const,
    logSeverityLevel: 3 as const,
    ...(provider === "webgpu" && UNFUSED),
  } satisfies ort.InferenceSession.SessionOptions;
  try {
    return await (bytes
      ? runtime.InferenceSession.create(bytes, options)
      : runtime.InferenceSession.create(path, options));
  } catch (error) {
    const { message } = error as Error;
    // The processor reads the same files: what only WebGPU refuses is not their fault.
    const isDevice =
      provider === "webgpu" && /adapter|WebGpuContext|execution provider|backend not found/i.test(message);
    throw new SluiceError(
      `${path}: onnxruntime cannot load it: ${message}`,
      isDevice ? 'leave out the provider "webgpu" to compute on the processor' : undefined,
      isDevice ? "ERR_SLUICE_DEVICE" : "ERR_SLUICE_DAMAGED",
    );
  }
}
