// Checks LMDB's file before LMDB maps it into memory. LMDB trusts the file: if it is something else or was cut short, the
// process ends instead of an error.
//
//   FILE := META META page…, each of pageSize bytes
//   META := pgno:u64 txnid:u64 flags:u64 magic:u32 version:u32 address:u64 mapSize:u64 FREE MAIN lastPage:u64 txnid:u64
//   FREE, MAIN := 48 bytes; the first four of FREE are the page size
//
// The META with the higher txnid counts. LMDB may leave a file that ends before its last page, if a transaction took the page
// and gave it back. So LmdbDatabase.write makes the file long enough.

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { damagedError } from "../../segment/container/container-format.ts";

const MAGIC = 0xbeef_c0de;
const VERSION = 2;
const [AT_MAGIC, AT_VERSION, AT_PAGE_SIZE, AT_LAST_PAGE, AT_TXNID] = [24, 28, 48, 144, 152];
const META_BYTES = 168;
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];

/** Throws if the file is not a database, or ends before its last page. A missing or empty file is fine. */
export function requireDatabase(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const fd = openSync(path, "r");
  try {
    const first = readMeta(fd, 0, path);
    const second = readMeta(fd, first.pageSize, path);
    const { lastPage } = second.txnid > first.txnid ? second : first;
    const length = (lastPage + 1) * first.pageSize;
    // Read after the METAs: a writer makes the file longer before it commits.
    const { size } = fstatSync(fd);
    if (size < length) throw damagedError(path, `it is ${size} bytes long, expected at least ${length}`);
  } finally {
    closeSync(fd);
  }
}

function readMeta(fd: number, offset: number, path: string) {
  const meta = Buffer.alloc(META_BYTES);
  if (readSync(fd, meta, 0, META_BYTES, offset) < META_BYTES)
    throw damagedError(path, "it is too short for a database");
  const pageSize = meta.readUInt32LE(AT_PAGE_SIZE);
  if (meta.readUInt32LE(AT_MAGIC) !== MAGIC || !PAGE_SIZES.includes(pageSize)) {
    throw damagedError(path, "it is no database");
  }
  const version = meta.readUInt32LE(AT_VERSION);
  if (version !== VERSION) throw damagedError(path, `a database of version ${version}, expected ${VERSION}`);
  return {
    pageSize,
    lastPage: Number(meta.readBigUInt64LE(AT_LAST_PAGE)),
    txnid: Number(meta.readBigUInt64LE(AT_TXNID)),
  };
}
