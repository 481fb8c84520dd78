// What the test's page runs: its hits, or why there are none, for the test to fetch.

import { openDevice } from "../../src/scan/webgpu/device.ts";
import { searchSample } from "./gpu-sample.ts";

async function run() {
  const device = await openDevice();
  return { adapter: device.name, hits: await searchSample(device) };
}

(globalThis as { sluice?: unknown }).sluice = run().catch((error: Error) => ({
  error: `${error.name}: ${error.message}`,
}));
