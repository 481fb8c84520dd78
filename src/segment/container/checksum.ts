// Bytes ↔ the same bytes with a CRC-32 checksum in front. For values in the database, whose pages have no checksums.

import { crc32 } from "node:zlib";
import { damagedError } from "./container-format.ts";

const CHECKSUM_BYTES = 4;

/** Puts a checksum in front of the joined parts. */
export function addChecksum(...parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(CHECKSUM_BYTES), ...parts]);
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKSUM_BYTES)), 0);
  return bytes;
}

/**
 * Verifies the checksum and returns the bytes without it. Throws if it does not match or `bytes` is missing; the
 * message names `what`.
 */
export function verifyChecksum(bytes: Uint8Array | undefined, path: string, what: string): Buffer {
  const content = bytes && stripChecksum(bytes);
  if (!content) throw damagedError(path, `${what} ${bytes ? "does not match its checksum" : "is missing"}`);
  return content;
}

/** The bytes without their checksum; undefined if it does not match. */
function stripChecksum(bytes: Uint8Array): Buffer | undefined {
  if (bytes.length < CHECKSUM_BYTES) return undefined;
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const content = whole.subarray(CHECKSUM_BYTES);
  return whole.readUInt32LE(0) === crc32(content) ? content : undefined;
}

/** Bytes → numbers. Copies them, because a view would need an aligned offset. */
export function unpackUint32s(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer, 0, bytes.length >>> 2);
}

export function packUint32s(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
