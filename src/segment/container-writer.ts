// Named arrays → one file, completely or not at all.

import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { fileError } from "../support/file-error.ts";
import {
  aligned,
  bytesOf,
  CHUNK_BYTES,
  FORMAT_VERSION,
  MAGIC,
  type Meta,
  PREFIX_BYTES,
  requireLittleEndian,
  type SectionArray,
  type SectionEntry,
  typeOf,
} from "./container-format.ts";

/**
 * Writes a temporary file beside the old one, syncs it to disk, and only then renames it over the old one. With `exclusive`
 * it writes to `path` directly, and an existing file is an error. Returns the size and the checksum of the header, which
 * covers the checksums of the sections.
 */
export async function writeContainer(
  path: string,
  meta: Meta,
  sections: Readonly<Record<string, SectionArray>>,
  { exclusive = false } = {},
): Promise<{ bytes: number; checksum: number }> {
  requireLittleEndian();
  let offset = 0;
  let end = 0;
  const entries = Object.entries(sections).map(([name, array]): SectionEntry => {
    const bytes = bytesOf(array);
    const entry = { name, type: typeOf(array), offset, bytes: bytes.length, checksum: crc32(bytes) };
    end = offset + bytes.length;
    offset = aligned(end);
    return entry;
  });
  const header = Buffer.from(JSON.stringify({ ...meta, sections: entries }));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const checksum = crc32(header);
  prefix.set(MAGIC);
  prefix.writeUInt32LE(FORMAT_VERSION, 8);
  prefix.writeUInt32LE(header.length, 12);
  prefix.writeUInt32LE(checksum, 16);

  const start = aligned(PREFIX_BYTES + header.length);
  const target = exclusive ? path : `${path}.${process.pid}.tmp`;
  let isOurs = false;
  try {
    const file = await open(target, exclusive ? "wx" : "w");
    isOurs = true;
    try {
      await writeAll(file, prefix, 0);
      await writeAll(file, header, PREFIX_BYTES);
      await writeAll(file, Buffer.alloc(start - PREFIX_BYTES - header.length), PREFIX_BYTES + header.length);
      for (const { name, offset } of entries) await writeAll(file, bytesOf(sections[name]), start + offset);
      await file.truncate(start + end); // if the last section is empty, nothing was written after the padding before it
      await file.sync();
    } finally {
      await file.close();
    }
    if (!exclusive) await rename(target, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (isOurs) await rm(target, { force: true }).catch(() => {});
    throw fileError(error, path, "; what was there before is unchanged");
  }
  return { bytes: start + end, checksum };
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(CHUNK_BYTES, bytes.length - done);
    done += (await file.write(bytes, done, length, position + done)).bytesWritten;
  }
}

/** Syncs a folder to disk. Without it, a renamed file may be gone after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
