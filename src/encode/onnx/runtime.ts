// Loads onnxruntime-node and opens models with it. The package is optional: it takes 280 MB, and only encoders need it.

import type * as ort from "onnxruntime-node";
import { missingPackageError } from "../../support/environment/packages.ts";
import { UsageError } from "../../support/errors/usage-error.ts";
import type { Provider } from "../contract/encoding.ts";

export type Runtime = typeof ort;
export type Session = ort.InferenceSession;
export type Tensor = ort.Tensor;

/** A product and a sum stay two operations: on an H200, WebGPU takes an eighth longer for the operation that joins them, Gemm. */
const UNFUSED = { extra: { optimization: { disable_specified_optimizers: "MatMulAddFusion" } } };

export async function loadRuntime(): Promise<Runtime> {
  try {
    return await import("onnxruntime-node");
  } catch (error) {
    throw missingPackageError("onnxruntime-node", "encoders need", error, "or do without an encoder");
  }
}

/** Opens a model from its file, or from `bytes` if they are given. With `threads` 0 the runtime decides. */
export async function openSession(
  runtime: Runtime,
  path: string,
  threads: number,
  bytes?: Uint8Array,
  provider: Provider = "cpu",
): Promise<Session> {
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
    throw new UsageError(
      `${path}: onnxruntime cannot load it: ${(error as Error).message}`,
      undefined,
      "ERR_SLUICE_DAMAGED",
    );
  }
}
