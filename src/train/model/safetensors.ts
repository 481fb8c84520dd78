// Safetensors, the format of Hugging Face's checkpoints: eight bytes with the length of a JSON header, the header, then
// the numbers. We read float32, float16 and bfloat16, and write float32.

import { readFile, rename, writeFile } from "node:fs/promises";
import { UsageError } from "../../errors.ts";
import { FLOAT16 } from "../../kernel/float16.ts";
import type { Tensors } from "../batch.ts";

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Where its bytes lie behind the header. */
  readonly data_offsets: readonly [number, number];
}

const LENGTH_BYTES = 8;
const BYTES: Record<string, number> = { F32: 4, F16: 2, BF16: 2 };

/** All tensors of real numbers; others, such as positions, are left out. */
export async function readSafetensors(path: string): Promise<Tensors> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
  return parseSafetensors(bytes, path);
}

export function parseSafetensors(bytes: Uint8Array, path: string): Tensors {
  const fail = (what: string) => new UsageError(`${path}: ${what}`, "is it a whole .safetensors file?");
  if (bytes.length < LENGTH_BYTES) throw fail(`${bytes.length} bytes are too few for safetensors`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const start = LENGTH_BYTES + length;
  if (start > bytes.length) throw fail(`a header of ${length} bytes in a file of ${bytes.length}`);
  let header: Record<string, Entry>;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, start)));
  } catch {
    throw fail("its header is not JSON");
  }
  const tensors = new Map<string, { shape: readonly number[]; data: Float32Array }>();
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__" || !(entry.dtype in BYTES)) continue;
    const [from, to] = entry.data_offsets ?? [];
    const size = (entry.shape ?? []).reduce((product, dim) => product * dim, 1);
    if (!(from >= 0 && to - from === size * BYTES[entry.dtype] && start + to <= bytes.length)) {
      throw fail(`"${name}" does not lie within the file`);
    }
    // A copy begins where its type may begin; the file's own bytes need not.
    const at = bytes.byteOffset + start;
    const copy = bytes.buffer.slice(at + from, at + to) as ArrayBuffer;
    tensors.set(name, { shape: entry.shape, data: numbers(entry.dtype, copy) });
  }
  return tensors;
}

function numbers(type: string, buffer: ArrayBuffer): Float32Array {
  if (type === "F32") return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  if (type === "F16") return Float32Array.from(halves, (bits) => FLOAT16[bits]);
  const words = new Float32Array(halves.length);
  // A bfloat16 is the upper half of a float32.
  new Uint32Array(words.buffer).set(Uint32Array.from(halves, (bits) => bits << 16));
  return words;
}

export function safetensorsBytes(tensors: Tensors): Uint8Array {
  const header: Record<string, Entry> = {};
  let at = 0;
  for (const [name, { shape, data }] of tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
  }
  const json = JSON.stringify(header);
  // Spaces fill the header, so that numbers begin at a multiple of eight.
  const text = new TextEncoder().encode(json.padEnd(json.length + ((8 - (json.length % 8)) % 8)));
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + at);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, LENGTH_BYTES);
  let place = LENGTH_BYTES + text.length;
  for (const { data } of tensors.values()) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), place);
    place += data.byteLength;
  }
  return bytes;
}

/** Under another name first: a file that is there is a whole one. */
export async function writeSafetensors(path: string, tensors: Tensors): Promise<void> {
  await writeFile(`${path}.tmp`, safetensorsBytes(tensors));
  await rename(`${path}.tmp`, path);
}
