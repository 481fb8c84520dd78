// Named arrays ↔ one file, all or nothing. What the arrays mean is the business of index-file.ts.
//
//   FILE    := MAGIC version:u32 headerBytes:u32 headerChecksum:u32 zero:u32 HEADER padding SECTIONS
//   MAGIC   := "SLUICE\r\n"                  8 bytes; the line end shows a transfer that changed line ends
//   HEADER  := JSON, UTF-8: { …, "sections": [{ name, type, offset, bytes, checksum }] }
//   SECTION := the bytes of a typed array, little-endian, or of a JSON text
//
// Sections begin at multiples of 64 bytes, counted from the first multiple of 64 behind the header. Checksums are
// CRC-32, over the header's JSON and over each section.

import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { endianness } from "node:os";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { UsageError } from "../errors.ts";
import { fileError } from "../files/errors.ts";

export const FORMAT_VERSION = 1;

const MAGIC = Buffer.from("SLUICE\r\n", "latin1");
const PREFIX_BYTES = 24;
const ALIGNMENT = 64;
/** No system call is asked for more at once. */
const CHUNK_BYTES = 1 << 30;

const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array } as const;
type TypeName = keyof typeof TYPES;
export type SectionArray = Uint8Array | Uint16Array | Uint32Array | Float32Array;

interface SectionEntry {
  readonly name: string;
  readonly type: TypeName;
  readonly offset: number;
  readonly bytes: number;
  readonly checksum: number;
}

export type Meta = Readonly<Record<string, unknown>>;

/** Writes a file beside the old one, makes sure it is on the disk, and only then takes the old one's place. */
export async function writeContainer(
  path: string,
  meta: Meta,
  sections: Record<string, SectionArray>,
): Promise<void> {
  requireLittleEndian();
  let offset = 0;
  const entries = Object.entries(sections).map(([name, array]): SectionEntry => {
    const bytes = bytesOf(array);
    const entry = { name, type: typeOf(array), offset, bytes: bytes.length, checksum: crc32(bytes) };
    offset = aligned(offset + bytes.length);
    return entry;
  });
  const header = Buffer.from(JSON.stringify({ ...meta, sections: entries }));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  MAGIC.copy(prefix);
  prefix.writeUInt32LE(FORMAT_VERSION, 8);
  prefix.writeUInt32LE(header.length, 12);
  prefix.writeUInt32LE(crc32(header), 16);

  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, "w");
    try {
      const start = aligned(PREFIX_BYTES + header.length);
      await writeAll(file, prefix, 0);
      await writeAll(file, header, PREFIX_BYTES);
      await writeAll(file, Buffer.alloc(start - PREFIX_BYTES - header.length), PREFIX_BYTES + header.length);
      for (const { name, offset } of entries) await writeAll(file, bytesOf(sections[name]), start + offset);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(error, path, "; what was there before is unchanged");
  }
  await syncFolder(dirname(path));
}

/** Reads a file whole and checks every byte of it. */
export async function readContainer(
  path: string,
): Promise<{ meta: Meta; sections: Map<string, SectionArray> }> {
  requireLittleEndian();
  const file = await openIndex(path);
  try {
    const { meta, entries, start } = await readHeader(file, path);
    const sections = new Map<string, SectionArray>();
    for (const [i, entry] of entries.entries()) {
      const next = entries[i + 1]?.offset ?? entry.offset + entry.bytes;
      const bytes = await readAll(file, start + entry.offset, next - entry.offset, path);
      const padded = bytes.subarray(entry.bytes).some((byte) => byte !== 0);
      if (padded || crc32(bytes.subarray(0, entry.bytes)) !== entry.checksum) {
        throw damaged(path, `the checksum of its section "${entry.name}" does not match`);
      }
      const Type = TYPES[entry.type];
      sections.set(entry.name, new Type(bytes.buffer, 0, entry.bytes / Type.BYTES_PER_ELEMENT));
    }
    return { meta, sections };
  } finally {
    await file.close();
  }
}

async function readHeader(file: FileHandle, path: string) {
  const { size } = await file.stat();
  if (size < PREFIX_BYTES) throw damaged(path, `it is ${size} bytes long, too short for an index`);
  const prefix = Buffer.from(await readAll(file, 0, PREFIX_BYTES, path));
  if (!prefix.subarray(0, 8).equals(MAGIC)) throw new UsageError(`${path}: not an index of Sluice`);
  const version = prefix.readUInt32LE(8);
  if (version !== FORMAT_VERSION) {
    throw new UsageError(
      `${path}: format ${version}; this build reads format ${FORMAT_VERSION}`,
      version > FORMAT_VERSION ? "upgrade Sluice, or build the index again" : "build the index again",
    );
  }
  const headerBytes = prefix.readUInt32LE(12);
  if (PREFIX_BYTES + headerBytes > size) throw damaged(path, "it ends inside its header");
  const header = Buffer.from(await readAll(file, PREFIX_BYTES, headerBytes, path));
  if (prefix.readUInt32LE(16) !== crc32(header) || prefix.readUInt32LE(20) !== 0) {
    throw damaged(path, "the checksum of its header does not match");
  }
  const { sections, ...meta } = JSON.parse(header.toString()) as Meta & { sections: SectionEntry[] };
  const start = aligned(PREFIX_BYTES + headerBytes);
  const end = Math.max(start, ...sections.map(({ offset, bytes }) => start + offset + bytes));
  if (size !== end) throw damaged(path, `it is ${size} bytes long, its header says ${end}`);
  const padding = await readAll(file, PREFIX_BYTES + headerBytes, start - PREFIX_BYTES - headerBytes, path);
  if (padding.some((byte) => byte !== 0)) throw damaged(path, "there is data where its header is padded");
  return { meta, entries: sections, start };
}

async function openIndex(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw fileError(error, path);
    throw new UsageError(`${path}: there is no index`, "build one: sluice index DIR --jsonl FILE");
  }
}

async function readAll(
  file: FileHandle,
  position: number,
  length: number,
  path: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, Math.min(CHUNK_BYTES, length - done), position + done);
    if (bytesRead === 0) throw damaged(path, `it ends at byte ${position + done}`);
    done += bytesRead;
  }
  return bytes;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(CHUNK_BYTES, bytes.length - done);
    done += (await file.write(bytes, done, length, position + done)).bytesWritten;
  }
}

/** A file that was renamed is there after a power cut only when its folder was written too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function damaged(path: string, reason: string): UsageError {
  return new UsageError(
    `${path}: the file is damaged: ${reason}`,
    "restore it from a copy, or build the index again",
  );
}

function bytesOf(array: SectionArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function typeOf(array: SectionArray): TypeName {
  return (Object.keys(TYPES) as TypeName[]).find((name) => array instanceof TYPES[name])!;
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

function requireLittleEndian(): void {
  if (endianness() !== "LE") throw new UsageError("index files need a little-endian machine");
}
