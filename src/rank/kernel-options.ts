// What may be chosen to score documents. Types of the public API: they name nothing of a device.

export const KERNELS = ["auto", "wasm", "webgpu"] as const;
export type KernelName = (typeof KERNELS)[number];

export interface GpuOptions {
  /** Bytes that may be taken of the device's memory; whatever it gives when left out. */
  readonly memoryBytes?: number;
  readonly powerPreference?: "low-power" | "high-performance";
  /** Called while rows go to the device: documents so far, of how many. */
  readonly onUpload?: (done: number, total: number) => void;
}

/** What scores documents, and why it was taken. */
export interface KernelInfo {
  readonly name: "wasm" | "webgpu";
  readonly because: string;
  /** Of the GPU's memory that are taken. */
  readonly bytes?: number;
}
