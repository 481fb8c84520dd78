// Finds a GPU for tests: the machine's own, or SwiftShader, the software GPU of Chromium.

import { existsSync } from "node:fs";
import { type Device, type DeviceOptions, openDevice } from "../../src/scan/webgpu/device.ts";

const SWIFTSHADER = "/usr/lib/chromium/vk_swiftshader_icd.json";

if (!process.env.VK_ICD_FILENAMES && existsSync(SWIFTSHADER)) process.env.VK_ICD_FILENAMES = SWIFTSHADER;

/** A device, or why there is none. */
export async function tryDevice(options?: DeviceOptions): Promise<Device | string> {
  try {
    return await openDevice({ validates: true, ...options });
  } catch (error) {
    return (error as Error).message;
  }
}
