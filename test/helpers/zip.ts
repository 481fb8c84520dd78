// Makes a ZIP archive in memory.

import { deflateRawSync } from "node:zlib";

interface ZippedFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** 0: stored as it is; 8: deflated. */
  readonly method: number;
}

/** An archive with these files, each stored or deflated. */
export function zipBytes(files: readonly ZippedFile[]): Buffer {
  const [parts, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const { name, content, method } of files) {
    const packed = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), packed);
    entries.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const table = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, table, end]);
}
