// A backup ↔ one file, in the tar format of POSIX (ustar), which every system can unpack.
//
//   FILE   := (HEADER content, padded to 512 bytes)… 1024 zero bytes
//   HEADER := name:100 mode:8 uid:8 gid:8 size:12 time:12 checksum:8 type:1 link:100 "ustar" … in 512 bytes
//
// Numbers are octal texts. A size of 8 GiB or more is a binary number, with the first bit set. Only the files of an index are
// unpacked, so no name leads out of the folder.

import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SEGMENTS_FOLDER } from "../../segment/segment-file.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { makeFolders } from "../../support/files/make-folders.ts";
import { DATABASE_FILE } from "../database/lmdb-database.ts";

const BLOCK = 512;
/** Bytes that are copied at once. */
const COPIED_AT_ONCE = 1 << 20;
/** Where the fields of a header begin. */
const [AT_MODE, AT_UID, AT_GID, AT_SIZE, AT_TIME, AT_CHECKSUM, AT_TYPE, AT_MAGIC] = [
  100, 108, 116, 124, 136, 148, 156, 257,
];
/** The largest number of 11 octal digits. */
const LARGEST_OCTAL = 8 ** 11 - 1;
/** The only names that are packed and unpacked. A backup's marker is left out: what is unpacked is an index. */
const NAME = new RegExp(`^(?:${DATABASE_FILE.replace(".", "\\.")}|${SEGMENTS_FOLDER}/[\\w-]+\\.sluice)$`);

interface PackedFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/** The files of an index, and how long their tar file is. */
export async function createTar(
  folder: string,
): Promise<{ bytes: number; content: AsyncGenerator<Uint8Array> }> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const files: PackedFile[] = [];
  for (const name of names.filter((name) => NAME.test(name)).sort()) {
    const path = join(folder, name);
    files.push({ name, path, bytes: (await stat(path)).size });
  }
  const bytes = files.reduce((sum, file) => sum + BLOCK + padToBlock(file.bytes), 2 * BLOCK);
  return { bytes, content: packFiles(files) };
}

async function* packFiles(files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  for (const { name, path, bytes } of files) {
    yield createHeader(name, bytes);
    yield* createReadStream(path, { highWaterMark: COPIED_AT_ONCE }) as AsyncIterable<Uint8Array>;
    yield new Uint8Array(padToBlock(bytes) - bytes);
  }
  yield new Uint8Array(2 * BLOCK);
}

/** Unpacks the tar file of an index into a folder. Throws if it is something else, or was cut short. */
export async function unpackTar(path: string, folder: string): Promise<void> {
  await makeFolders(join(folder, SEGMENTS_FOLDER));
  const file = await open(path);
  try {
    const end = (await file.stat()).size;
    let offset = 0;
    for (;;) {
      const header = await readAt(file, offset, BLOCK, path);
      if (header.every((byte) => byte === 0)) return;
      const { name, bytes } = readHeader(header, path);
      offset += BLOCK;
      if (offset + padToBlock(bytes) > end) throw damagedTarError(path, `it ends within ${name}`);
      await copyRange(file, offset, bytes, join(folder, name), path);
      offset += padToBlock(bytes);
    }
  } finally {
    await file.close();
  }
}

async function copyRange(
  from: FileHandle,
  start: number,
  bytes: number,
  to: string,
  path: string,
): Promise<void> {
  const target = await open(to, "wx");
  try {
    for (let done = 0; done < bytes; done += COPIED_AT_ONCE)
      await target.writeFile(await readAt(from, start + done, Math.min(COPIED_AT_ONCE, bytes - done), path));
  } finally {
    await target.close();
  }
}

async function readAt(file: FileHandle, offset: number, length: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  if (bytesRead < length) throw damagedTarError(path, "it was cut short");
  return bytes;
}

function createHeader(name: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write("0000644\0", AT_MODE);
  header.write("0000000\0", AT_UID);
  header.write("0000000\0", AT_GID);
  if (bytes <= LARGEST_OCTAL) header.write(bytes.toString(8).padStart(11, "0"), AT_SIZE);
  else {
    header[AT_SIZE] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), AT_SIZE + 4);
  }
  header.write("00000000000\0", AT_TIME);
  header.write("0", AT_TYPE);
  header.write("ustar\x0000", AT_MAGIC);
  header.write(`${computeChecksum(header).toString(8).padStart(6, "0")}\0 `, AT_CHECKSUM);
  return header;
}

function readHeader(header: Buffer, path: string): { name: string; bytes: number } {
  const text = (start: number, length: number) =>
    header.toString("latin1", start, start + length).split("\0")[0];
  if (text(AT_MAGIC, 5) !== "ustar") throw damagedTarError(path, "it is not a tar file");
  if (Number.parseInt(text(AT_CHECKSUM, 8), 8) !== computeChecksum(header))
    throw damagedTarError(path, "the checksum of a header is wrong");
  const name = text(0, AT_MODE);
  if (!NAME.test(name) || text(AT_TYPE, 1) !== "0")
    throw damagedTarError(path, "it holds other things than an index");
  const isBinary = (header[AT_SIZE] & 0x80) !== 0;
  const bytes = isBinary
    ? Number(header.readBigUInt64BE(AT_SIZE + 4))
    : Number.parseInt(text(AT_SIZE, 12), 8);
  if (!Number.isSafeInteger(bytes)) throw damagedTarError(path, "the size of a file is wrong");
  return { name, bytes };
}

/** The sum of all bytes, with spaces in the field of the checksum itself. */
function computeChecksum(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < AT_CHECKSUM || i >= AT_TYPE) sum += header[i];
  return sum;
}

function padToBlock(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function damagedTarError(path: string, why: string): SluiceError {
  return new SluiceError(
    `${path}: ${why}`,
    "give a backup of an index: a folder, or a tar file",
    "ERR_SLUICE_DAMAGED",
  );
}
