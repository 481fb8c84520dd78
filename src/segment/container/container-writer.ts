// Named arrays → one file, completely or not at all.

import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { fileError } from "../../support/files/file-error.ts";
import { syncFolder } from "../../support/files/sync-folder.ts";
import {
  alignOffset,
  CHUNK_BYTES,
  FORMAT_VERSION,
  MAGIC,
  type Meta,
  PREFIX_BYTES,
  requireLittleEndian,
  type SectionArray,
  type SectionEntry,
  sectionType,
  viewBytes,
} from "./container-format.ts";

/**
 * Writes a new file and makes sure it is on the disk; a file that exists already is an error. Returns the checksum of the
 * header, which covers the checksums of the sections.
 */
export async function writeContainer(
  path: string,
  meta: Meta,
  sections: Readonly<Record<string, SectionArray>>,
): Promise<{ bytes: number; checksum: number }> {
  requireLittleEndian();
  let offset = 0;
  let end = 0;
  const entries = Object.entries(sections).map(([name, array]): SectionEntry => {
    const bytes = viewBytes(array);
    const entry = { name, type: sectionType(array), offset, bytes: bytes.length, checksum: crc32(bytes) };
    end = offset + bytes.length;
    offset = alignOffset(end);
    return entry;
  });
  const header = Buffer.from(JSON.stringify({ ...meta, sections: entries }));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  const checksum = crc32(header);
  prefix.set(MAGIC);
  prefix.writeUInt32LE(FORMAT_VERSION, 8);
  prefix.writeUInt32LE(header.length, 12);
  prefix.writeUInt32LE(checksum, 16);

  const start = alignOffset(PREFIX_BYTES + header.length);
  let isCreated = false;
  try {
    const file = await open(path, "wx");
    isCreated = true;
    try {
      await writeAll(file, prefix, 0);
      await writeAll(file, header, PREFIX_BYTES);
      await writeAll(file, Buffer.alloc(start - PREFIX_BYTES - header.length), PREFIX_BYTES + header.length);
      for (const { name, offset } of entries) await writeAll(file, viewBytes(sections[name]), start + offset);
      await file.truncate(start + end); // if the last section is empty, nothing was written after the padding before it
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dirname(path));
  } catch (error) {
    if (isCreated) await rm(path, { force: true }).catch(() => {});
    throw fileError(error, path, "; the last commit is unchanged");
  }
  return { bytes: start + end, checksum };
}

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(CHUNK_BYTES, bytes.length - done);
    done += (await file.write(bytes, done, length, offset + done)).bytesWritten;
  }
}
