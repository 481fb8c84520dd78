// The kernels that a user can choose, their options, and the checks of these. The types are public, so they use no type of WebGPU.

import {
  checkFunction,
  checkNumber,
  checkParts,
  type KnownOptions,
  optionError,
  showValue,
} from "../../support/options/options.ts";
import type { OnProgress } from "../../support/options/progress.ts";

export const KERNELS = ["auto", "wasm", "webgpu"] as const;
export type KernelName = (typeof KERNELS)[number];

export interface GpuOptions {
  /** The most bytes of the GPU's memory to take; as much as it gives by default. */
  readonly memoryBytes?: number | undefined;
  readonly powerPreference?: "low-power" | "high-performance" | undefined;
  /** Called while rows are uploaded, with the number of documents that are on the GPU: the task `uploading`. */
  readonly onUpload?: OnProgress | undefined;
}

export interface KernelOptions {
  /**
   * What scores documents. `wasm`, the default, is the CPU. `webgpu` is a GPU; the first search uploads the rows. `auto` takes
   * a GPU if the machine has one that fits this index. The `kernel` property of an index says which it is, and why.
   */
  readonly kernel?: KernelName | undefined;
  /** How to use the GPU. */
  readonly gpu?: GpuOptions | undefined;
}

/** Which kernel scores documents, and why it was chosen. */
export interface KernelInfo {
  readonly name: "wasm" | "webgpu" | "opensearch";
  readonly reason: string;
  /** The bytes that the index takes of the GPU's memory. */
  readonly bytes?: number;
}

/** The names of the kernel options. */
export const KERNEL_OPTIONS: KnownOptions<KernelOptions> = { kernel: true, gpu: true };
const GPU_OPTIONS: KnownOptions<GpuOptions> = { memoryBytes: true, powerPreference: true, onUpload: true };

export function checkKernelOptions({ kernel, gpu }: KernelOptions): void {
  if (kernel !== undefined && !KERNELS.includes(kernel))
    throw optionError("kernel", `there is no kernel ${showValue(kernel)}`, `one of ${KERNELS.join(", ")}`);
  if (gpu === undefined) return;
  checkParts("gpu", gpu, GPU_OPTIONS);
  checkNumber("gpu.memoryBytes", gpu.memoryBytes, { least: 0 });
  checkFunction("gpu.onUpload", gpu.onUpload);
}
