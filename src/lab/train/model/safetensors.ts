// Reads and writes safetensors, the format of Hugging Face's checkpoints: eight bytes with the length of a JSON header, the
// header, then the numbers. We read float32, float16 and bfloat16, and write float32.

import { readFile } from "node:fs/promises";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { withFileErrors } from "../../../support/files/file-error.ts";
import { toFloat32s } from "../../../support/numbers/float16.ts";
import { isObject } from "../../../support/options/options.ts";
import type { Tensors } from "../data/batch.ts";

interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Start and end of its bytes, counted from the end of the header. */
  readonly data_offsets: readonly [number, number];
}

const LENGTH_BYTES = 8;
const BYTES: Record<string, number> = { F32: 4, F16: 2, BF16: 2 };

/** Reads all tensors of floating-point numbers. Others, such as integer positions, are left out. */
export async function readSafetensors(path: string): Promise<Tensors> {
  return parseSafetensors(await withFileErrors(path, () => readFile(path)), path);
}

export function parseSafetensors(bytes: Uint8Array, path: string): Tensors {
  const fail = (what: string) =>
    new SluiceError(`${path}: ${what}`, "check that it is a complete .safetensors file");
  if (bytes.length < LENGTH_BYTES) throw fail(`${bytes.length} bytes is too short for safetensors`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const start = LENGTH_BYTES + length;
  if (start > bytes.length) throw fail(`the header has ${length} bytes, but the file only ${bytes.length}`);
  let header: Record<string, TensorEntry>;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, start)));
  } catch {
    throw fail("the header is not JSON");
  }
  const tensors = new Map<string, { shape: readonly number[]; data: Float32Array }>();
  if (!isObject(header)) throw fail("the header is not an object of tensors");
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    if (!isEntry(entry)) throw fail(`"${name}" has no dtype, shape and data_offsets`);
    if (!Object.hasOwn(BYTES, entry.dtype)) continue;
    const [from, to] = entry.data_offsets;
    const size = entry.shape.reduce((product, dim) => product * dim, 1);
    if (to - from !== size * BYTES[entry.dtype] || start + to > bytes.length) {
      throw fail(`"${name}" is outside of the file or has another size than its shape`);
    }
    // Copy the bytes: those of the file may not be aligned for their type.
    const at = bytes.byteOffset + start;
    const copy = bytes.buffer.slice(at + from, at + to) as ArrayBuffer;
    tensors.set(name, { shape: entry.shape, data: numbers(entry.dtype, copy) });
  }
  return tensors;
}

/** Whether an entry has what the format demands. */
function isEntry(entry: unknown): entry is TensorEntry {
  if (!isObject(entry)) return false;
  const { dtype, shape, data_offsets: offsets } = entry as Partial<TensorEntry>;
  return typeof dtype === "string" && isCounts(shape) && isCounts(offsets) && offsets.length === 2;
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
}

function numbers(type: string, buffer: ArrayBuffer): Float32Array {
  if (type === "F32") return new Float32Array(buffer);
  const halves = new Uint16Array(buffer);
  if (type === "F16") return toFloat32s(halves);
  const words = new Float32Array(halves.length);
  // A bfloat16 is the upper half of a float32.
  new Uint32Array(words.buffer).set(Uint32Array.from(halves, (bits) => bits << 16));
  return words;
}

/** Returns the head of a file. The numbers must follow it in the order of the tensors, as float32, without gaps. */
export function safetensorsHead(tensors: Tensors, metadata?: Readonly<Record<string, string>>): Uint8Array {
  const header: Record<string, TensorEntry | Readonly<Record<string, string>>> = metadata
    ? { __metadata__: metadata }
    : {};
  let at = 0;
  for (const [name, { shape, data }] of tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  // Pad the header with spaces, so that the numbers begin at a multiple of eight bytes.
  const bytes = new Uint8Array(LENGTH_BYTES + Math.ceil(json.length / 8) * 8).fill(32);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(bytes.length - LENGTH_BYTES), true);
  bytes.set(json, LENGTH_BYTES);
  return bytes;
}
