// Reserves space on a nearly full disk before LMDB writes. When a write of LMDB fails, it prints a line to standard error ("Write
// error: …", "mdb_page_spill flushing error …"), or crashes while it makes a new file. Neither can be caught. So we write first:
// our own errors can be reported.

import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A disk with this much more free space than needed counts as not full, so no time is spent on writing zeros. */
const PLENTY_BYTES = 16 << 20;
const ZEROS = Buffer.alloc(1 << 16);

/** Whether this many more bytes may fill the disk. False if the system does not say. */
export function isNearlyFull(path: string, bytes: number): boolean {
  const free = freeBytes(path);
  return free !== undefined && free < bytes + PLENTY_BYTES;
}

/** Throws, like a write to a full disk, if a new file of this size beside `path` would not fit. */
export function requireDiskSpace(path: string, bytes: number): void {
  if (!isNearlyFull(dirname(path), bytes)) return;
  const trial = `${path}.${process.pid}.room`;
  try {
    fill(trial, 0, bytes, "w");
  } finally {
    rmSync(trial, { force: true });
  }
}

/**
 * Fills a part at the end of a file with zeros, so that later writes there cannot fail for lack of space. Throws ENOSPC if the
 * disk has not enough space, or less than `besides` bytes after that.
 */
export function reserveDiskSpace(path: string, from: number, to: number, besides: number): void {
  fill(path, from, to, "r+");
  if ((freeBytes(path) ?? besides) >= besides) return;
  throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
}

function fill(path: string, from: number, to: number, flags: "w" | "r+"): void {
  const fd = openSync(path, flags);
  try {
    for (let at = from; at < to; ) at += writeSync(fd, ZEROS, 0, Math.min(ZEROS.length, to - at), at);
  } finally {
    closeSync(fd);
  }
}

/** Free bytes for users who are not root; undefined if the system does not say. */
function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize, blocks } = statfsSync(path);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}
