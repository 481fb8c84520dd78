// The program of the test's page. It leaves its hits, or an error, where the test reads them.

import { openDevice } from "../../src/scan/webgpu/device.ts";
import { searchSample } from "./gpu-sample.ts";

async function run() {
  const device = await openDevice();
  return { adapter: device.name, hits: await searchSample(device) };
}

(globalThis as { sluice?: unknown }).sluice = run().catch((error: Error) => ({
  error: `${error.name}: ${error.message}`,
}));
