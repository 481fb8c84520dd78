// The name of a kernel → the kernel that answers searches: the CPU, or a GPU if one is wanted and found. It also says why.

import { SluiceError } from "../support/errors/sluice-error.ts";
import type { GpuOptions, KernelInfo, KernelName } from "./contract/kernel-options.ts";
import { NoDevice } from "./webgpu/device-errors.ts";
import type { DeviceIndex } from "./webgpu/device-index.ts";

export interface ChosenKernel {
  /** Undefined: the CPU. */
  readonly device?: DeviceIndex;
  readonly reason: string;
}

export const CPU_KERNEL: ChosenKernel = { reason: "no other kernel was asked for" };

/** WebGPU adapters that compute on the CPU. `auto` does not take them. */
const SOFTWARE = /swiftshader|llvmpipe|basic render/i;

/** Chooses a kernel for rows of `dims` slices. Throws if `webgpu` is asked for and there is no GPU; `auto` then takes the CPU. */
export async function chooseKernel(
  name: KernelName,
  dims: number,
  options: GpuOptions = {},
): Promise<ChosenKernel> {
  if (name === "wasm") return CPU_KERNEL;
  // The shaders are loaded only if a GPU is wanted, so that a page without one stays small.
  const { DeviceIndex } = await import("./webgpu/device-index.ts");
  const refused = DeviceIndex.refusal(dims);
  if (refused && name === "webgpu") {
    throw new SluiceError(refused, "build the index with fewer dims", "ERR_SLUICE_DEVICE");
  }
  if (refused) return { reason: refused };
  try {
    const deviceIndex = await DeviceIndex.open(options, name === "auto");
    const found = deviceIndex.device.name;
    if (name === "auto" && SOFTWARE.test(found)) {
      deviceIndex.close();
      return { reason: `the only WebGPU adapter, ${found}, computes on the CPU` };
    }
    return { device: deviceIndex, reason: `${found} was found` };
  } catch (error) {
    if (name === "webgpu" || !(error instanceof NoDevice)) throw error;
    return { reason: `there is no GPU: ${error.problem}` };
  }
}

/** What users are told: which kernel it is, why, and how much memory of a GPU it takes. */
export function kernelInfo({ device: deviceIndex, reason }: ChosenKernel): KernelInfo {
  if (deviceIndex?.device.isLost) return { name: "wasm", reason: "the GPU was lost" };
  return deviceIndex ? { name: "webgpu", reason, bytes: deviceIndex.bytes } : { name: "wasm", reason };
}
