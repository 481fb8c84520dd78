// Bytes → their CRC-32: by zlib in Node, and by tables in a page, which has no zlib. With eight tables it takes eight bytes a step.

type Crc32 = (bytes: Uint8Array, before?: number) => number;

/** The CRC-32 of bytes. Pass the result as `before` to go on with the bytes that follow. */
export const crc32: Crc32 = findInZlib() ?? crc32ByTables;

/** Node's own. It is asked for at run time, so that a bundle for pages needs no zlib. */
function findInZlib(): Crc32 | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return (process?.getBuiltinModule?.("node:zlib") as { crc32?: Crc32 } | undefined)?.crc32;
}

let made: Int32Array | undefined;

/** The definition, and what a page uses. */
export function crc32ByTables(bytes: Uint8Array, before = 0): number {
  made ??= tables();
  const t = made;
  let crc = ~before;
  let i = 0;
  for (const last = bytes.length - 8; i <= last; i += 8) {
    crc ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    crc =
      t[0x700 | (crc & 0xff)] ^
      t[0x600 | ((crc >>> 8) & 0xff)] ^
      t[0x500 | ((crc >>> 16) & 0xff)] ^
      t[0x400 | (crc >>> 24)] ^
      t[0x300 | bytes[i + 4]] ^
      t[0x200 | bytes[i + 5]] ^
      t[0x100 | bytes[i + 6]] ^
      t[bytes[i + 7]];
  }
  for (; i < bytes.length; i++) crc = t[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Table n holds what a byte adds to the checksum when n bytes follow it. */
function tables(): Int32Array {
  const all = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
    all[byte] = crc;
  }
  for (let i = 256; i < all.length; i++) all[i] = all[all[i - 256] & 0xff] ^ (all[i - 256] >>> 8);
  return all;
}
