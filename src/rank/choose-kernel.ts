// Which kernel answers: the CPU's, or a GPU's where one is wanted and can be had.

import { UsageError } from "../errors.ts";
import { NoDevice } from "../scan/webgpu/device-errors.ts";
import type { DeviceIndex } from "./gpu-index.ts";
import { type GpuOptions, KERNELS, type KernelInfo, type KernelName } from "./kernel-options.ts";

export interface ChosenKernel {
  /** Absent: the CPU's. */
  readonly device?: DeviceIndex;
  readonly because: string;
}

export const WASM: ChosenKernel = { because: "it was not asked for another" };

/** Adapters that are programs. */
const SOFTWARE = /swiftshader|llvmpipe|basic render/i;

/** For rows of so many slices. A GPU that is asked for by name must be there; `auto` says why it took another. */
export async function chooseKernel(
  name: KernelName,
  dims: number,
  options: GpuOptions = {},
): Promise<ChosenKernel> {
  if (!KERNELS.includes(name)) {
    throw new UsageError(`there is no kernel ${JSON.stringify(name)}`, `one of ${KERNELS.join(", ")}`);
  }
  if (name === "wasm") return WASM;
  // Shaders and all are loaded by those who want them: a page that does not stays small.
  const { DeviceIndex } = await import("./gpu-index.ts");
  const refused = DeviceIndex.refusal(dims);
  if (refused && name === "webgpu") {
    throw new UsageError(refused, "build the index with fewer dims", "ERR_SLUICE_DEVICE");
  }
  if (refused) return { because: refused };
  try {
    const device = await DeviceIndex.open(options, name === "auto");
    const found = device.device.name;
    if (name === "auto" && SOFTWARE.test(found)) {
      device.close();
      return { because: `the only WebGPU adapter, ${found}, computes on the CPU` };
    }
    return { device, because: `${found} was found` };
  } catch (error) {
    if (name === "webgpu" || !(error instanceof NoDevice)) throw error;
    return { because: `there is no GPU: ${error.message}` };
  }
}

/** What scores documents, why it is that, and with a GPU how much of its memory is taken. */
export function kernelInfo({ device, because }: ChosenKernel): KernelInfo {
  if (device?.device.isLost) return { name: "wasm", because: "the GPU was lost" };
  return device ? { name: "webgpu", because, bytes: device.bytes } : { name: "wasm", because };
}
