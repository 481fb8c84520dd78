// Measures the speed of the device's memory in the same run: a shader that only reads the resident columns, and a copy of
// one of the buffers.

import type { ResidentRows } from "../../src/scan/webgpu/resident-rows.ts";
import { timeCalls } from "./timing.ts";

export interface MemorySpeed {
  readonly bytes: number;
  readonly readMs: number;
  /** Bytes read and written. */
  readonly copiedBytes: number;
  readonly copyMs: number;
}

/** Reads every word. The result is used, so that the compiler cannot remove the reads. */
const READ = /* wgsl */ `
@group(0) @binding(0) var<storage, read> data: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  var x = vec4<u32>(0u);
  let step = groups.x * 256u;
  let n = arrayLength(&data);
  var i = id.x;
  for (; i + 3u * step < n; i += 4u * step) { x ^= data[i] ^ data[i + step] ^ data[i + 2u * step] ^ data[i + 3u * step]; }
  for (; i < n; i += step) { x ^= data[i]; }
  if ((x.x ^ x.y ^ x.z ^ x.w) == 0x9e3779b9u) { out[id.x & 3u] = x.x; }
}`;

export async function measureMemorySpeed({ device, chunks }: ResidentRows): Promise<MemorySpeed> {
  const pipeline = await device.pipeline(READ, "plain read");
  const buffers = chunks.flatMap(({ values, indices, semantic }) => [values, indices, semantic]);
  // Each read gets its own sink; with a shared one the reads would wait for each other.
  const sinks = buffers.map(() => device.storage(16, "sink"));
  const groups = buffers.map((buffer, i) => device.bindGroup(pipeline, [buffer, sinks[i]]));
  const read = await timeCalls(async () => {
    const encoder = device.gpu.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const group of groups) {
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(2112);
    }
    pass.end();
    device.gpu.queue.submit([encoder.finish()]);
    await device.idle();
  });
  const from = chunks[0].values;
  const to = device.storage(from.size, "copy");
  const copy = await timeCalls(async () => {
    const encoder = device.gpu.createCommandEncoder();
    encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
    device.gpu.queue.submit([encoder.finish()]);
    await device.idle();
  });
  device.free([...sinks, to]);
  const bytes = buffers.reduce((sum, { size }) => sum + size, 0);
  return { bytes, readMs: read.median, copiedBytes: 2 * from.size, copyMs: copy.median };
}
