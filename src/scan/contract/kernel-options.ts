// The kernels that a user can choose, and their options. These types are public, so they use no type of WebGPU.

import type { OnProgress } from "../../support/options/progress.ts";

export const KERNELS = ["auto", "wasm", "webgpu"] as const;
export type KernelName = (typeof KERNELS)[number];

export interface GpuOptions {
  /** The most bytes of the GPU's memory to take; as much as it gives by default. */
  readonly memoryBytes?: number | undefined;
  readonly powerPreference?: "low-power" | "high-performance" | undefined;
  /** Called while rows are uploaded, with the number of documents that are on the GPU: the stage `uploading`. */
  readonly onUpload?: OnProgress | undefined;
}

/** Which kernel scores documents, and why it was chosen. */
export interface KernelInfo {
  readonly name: "wasm" | "webgpu" | "opensearch";
  readonly reason: string;
  /** The bytes that the index takes of the GPU's memory. */
  readonly bytes?: number;
}
