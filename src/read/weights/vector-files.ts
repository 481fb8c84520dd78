// Files of vectors ↔ vectors by id. The ending of the name says which of three formats it is:
//
//   x.npy     NumPy, float32 or float16, rows × dims, with x.ids beside it: one id a line
//   x.f32     raw float32, little-endian, with x.ids beside it
//   x.jsonl   one {"id", "vector": [numbers]} a line; may be gzip

import { readFile, writeFile } from "node:fs/promises";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { withFileErrors } from "../../support/files/file-error.ts";
import { parseObject } from "../../support/files/json.ts";
import { readLines } from "../../support/files/lines.ts";
import { readText } from "../../support/files/text-file.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";
import { ID_FIELDS } from "../stream/line-documents.ts";
import { readTextField } from "../stream/text-field.ts";

/** Vectors by id, all of the same length. */
export type VectorsById = Map<string, Float32Array>;

export async function readVectors(path: string): Promise<VectorsById> {
  if (/\.jsonl(\.gz)?$/.test(path)) return readVectorLines(path);
  const ids = (await readText(`${path.replace(/\.(npy|f32)$/, "")}.ids`))
    .split(/\r?\n/)
    .filter((id) => id !== "");
  const bytes = await withFileErrors(path, () => readFile(path));
  if (path.endsWith(".npy")) return byRows(ids, npyValues(bytes, ids.length, path), path);
  if (path.endsWith(".f32")) return byRows(ids, floats(bytes, 0, path), path);
  throw new SluiceError(`${path}: unknown file ending, expected .npy, .f32 or .jsonl`);
}

/** Writes a float32 .npy file, and a .ids file beside it. */
export async function writeVectors(path: string, vectors: VectorsById): Promise<void> {
  const [first] = vectors.values();
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${vectors.size}, ${first?.length ?? 0}), }`;
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const prefix = Buffer.alloc(10);
  prefix.write("\x93NUMPY\x01\x00", "latin1");
  prefix.writeUInt16LE(padded.length, 8);
  const rows = Array.from(vectors.values(), (row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength));
  await writeFile(path, Buffer.concat([prefix, Buffer.from(padded, "latin1"), ...rows]));
  await writeFile(`${path.replace(/\.npy$/, "")}.ids`, [...vectors.keys()].map((id) => `${id}\n`).join(""));
}

async function readVectorLines(path: string): Promise<VectorsById> {
  const vectors: VectorsById = new Map();
  let width = -1;
  for await (const line of readLines(path)) {
    const object = parseObject(line);
    const id = readTextField(object, ID_FIELDS, line.where);
    const { vector } = object;
    if (!Array.isArray(vector) || vector.length === 0 || !vector.every((x) => Number.isFinite(x))) {
      throw new SluiceError(`${line.where}: "vector" must be a list of numbers`);
    }
    if (width >= 0 && vector.length !== width) {
      throw new SluiceError(
        `${line.where}: a vector of ${vector.length} numbers, those before have ${width}`,
      );
    }
    if (vectors.has(id)) throw new SluiceError(`${line.where}: the id ${JSON.stringify(id)} appears twice`);
    width = vector.length;
    vectors.set(id, Float32Array.from(vector as number[]));
  }
  return vectors;
}

function byRows(ids: readonly string[], values: Float32Array, path: string): VectorsById {
  const dims = values.length / ids.length;
  if (!Number.isInteger(dims)) {
    throw new SluiceError(`${path}: ${values.length} numbers do not make rows for ${ids.length} ids`);
  }
  const vectors = new Map(ids.map((id, row) => [id, values.subarray(row * dims, (row + 1) * dims)]));
  if (vectors.size !== ids.length) throw new SluiceError(`${path}: an id appears twice in its .ids file`);
  return vectors;
}

function npyValues(bytes: Buffer, ids: number, path: string): Float32Array {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 6) !== "\x93NUMPY")
    throw new SluiceError(`${path}: not a .npy file`);
  const isLong = bytes[6] > 1;
  const start = (isLong ? 12 : 10) + (isLong ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.toString("latin1", 10, start);
  const type = /'descr':\s*'([^']+)'/.exec(header)?.[1];
  if (!/'fortran_order':\s*False/.test(header)) throw new SluiceError(`${path}: must be in C order`);
  const shape = /'shape':\s*\((\d+),\s*(\d+),?\s*\)/.exec(header)?.slice(1).map(Number);
  if (shape?.[0] !== ids) {
    throw new SluiceError(
      `${path}: its shape is ${shape?.join(" × ") ?? "not two-dimensional"}, but there are ${ids} ids`,
    );
  }
  const width = type === "<f2" ? 2 : 4;
  if (bytes.length - start !== shape[0] * shape[1] * width) {
    throw new SluiceError(
      `${path}: ${bytes.length - start} bytes of numbers, its shape says ${shape[0] * shape[1] * width}`,
    );
  }
  if (type === "<f4") return floats(bytes, start, path);
  if (type === "<f2") {
    const halves = new Uint16Array(
      bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length),
    );
    return toFloat32s(halves);
  }
  throw new SluiceError(`${path}: numbers of type ${type ?? "unknown"}, expected float32 or float16`);
}

function floats(bytes: Buffer, start: number, path: string): Float32Array {
  if ((bytes.length - start) % 4 !== 0) throw new SluiceError(`${path}: ends inside a number`);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
}
