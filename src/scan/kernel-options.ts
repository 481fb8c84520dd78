// The kernels that a user can choose, and their options. These types are public, so they use no type of WebGPU.

export const KERNELS = ["auto", "wasm", "webgpu"] as const;
export type KernelName = (typeof KERNELS)[number];

export interface GpuOptions {
  /** The most bytes of the GPU's memory to take; as much as it gives when left out. */
  readonly memoryBytes?: number;
  readonly powerPreference?: "low-power" | "high-performance";
  /** Called while rows are uploaded, with how many documents are done, of how many. */
  readonly onUpload?: (done: number, total: number) => void;
}

/** Which kernel scores documents, and why it was chosen. */
export interface KernelInfo {
  readonly name: "wasm" | "webgpu";
  readonly because: string;
  /** The bytes that the index takes of the GPU's memory. */
  readonly bytes?: number;
}
