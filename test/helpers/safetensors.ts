// Makes a safetensors file in memory.

import type { Tensors } from "../../src/lab/train/data/batch.ts";
import { safetensorsHead } from "../../src/lab/train/model/safetensors.ts";

export function safetensorsBytes(tensors: Tensors): Uint8Array {
  const numbers = Array.from(tensors.values(), ({ data }) =>
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  );
  return Buffer.concat([safetensorsHead(tensors), ...numbers]);
}
