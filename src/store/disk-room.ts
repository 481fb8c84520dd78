// Room on the disk for what LMDB is about to write. When one of its writes fails, LMDB prints a line of its own to standard
// error ("Write error: …", "mdb_page_spill flushing error …"), or crashes while it makes a new file, and nobody can catch
// that. So when a disk is nearly full, the room is taken first, by writes of ours, whose errors we can tell.

import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A disk with so much more room than is needed is not looked at closely: zeros cost time. */
const PLENTY_BYTES = 16 << 20;
const ZEROS = Buffer.alloc(1 << 16);

/** Whether a disk may become full by so many more bytes. False where the system does not say. */
export function isNearlyFull(path: string, bytes: number): boolean {
  const free = freeBytes(path);
  return free !== undefined && free < bytes + PLENTY_BYTES;
}

/** Refuses, like a write to a full disk, where a new file of so many bytes beside `path` would not fit. */
export function requireRoom(path: string, bytes: number): void {
  if (!isNearlyFull(dirname(path), bytes)) return;
  const trial = `${path}.${process.pid}.room`;
  try {
    fill(trial, 0, bytes, "w");
  } finally {
    rmSync(trial, { force: true });
  }
}

/**
 * Writes zeros over a part of a file at its end, so that writing there again cannot fail for lack of room. `besides` is room
 * that must be left after that. A disk without as much throws ENOSPC.
 */
export function takeRoom(path: string, from: number, to: number, besides: number): void {
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

/** What anyone may still write; undefined where the system does not say. */
function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize, blocks } = statfsSync(path);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}
