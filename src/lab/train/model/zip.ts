// Reads ZIP archives: .zip, .jar and .whl files. The table of contents is at the end of the file. Files are stored as they
// are or deflated; other methods, encryption and archives above 4 GB are refused.

import { inflateRawSync } from "node:zlib";
import { SluiceError } from "../../../support/errors/sluice-error.ts";

const END_RECORD = { signature: 0x06054b50, bytes: 22, longestComment: 0xffff };
const ENTRY_RECORD = { signature: 0x02014b50, bytes: 46 };
const LOCAL_HEADER_BYTES = 30;
const [STORED, DEFLATED] = [0, 8];

/** The files of an archive by name. A file is unpacked when it is asked for. */
export function readZip(archive: Uint8Array, where: string): Map<string, () => Uint8Array> {
  const fail = (what: string) =>
    new SluiceError(`${where}: ${what}`, "is it a complete ZIP archive?", "ERR_SLUICE_DAMAGED");
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = archive.length - END_RECORD.bytes;
  const earliest = Math.max(0, end - END_RECORD.longestComment);
  while (end >= earliest && view.getUint32(end, true) !== END_RECORD.signature) end--;
  if (end < earliest) throw fail("no table of contents at the end");
  const files = new Map<string, () => Uint8Array>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_RECORD.bytes > end || view.getUint32(at, true) !== ENTRY_RECORD.signature)
      throw fail("the table of contents is damaged");
    const [method, packed] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const header = view.getUint32(at + 42, true);
    const path = new TextDecoder().decode(
      archive.subarray(at + ENTRY_RECORD.bytes, at + ENTRY_RECORD.bytes + name),
    );
    at += ENTRY_RECORD.bytes + name + extra + comment;
    if (path.endsWith("/")) continue;
    files.set(path, () => {
      if (header + LOCAL_HEADER_BYTES > archive.length) throw fail(`${path} is outside of the file`);
      // The lengths of the local header may differ from those in the table.
      const start =
        header + LOCAL_HEADER_BYTES + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
      if (start + packed > archive.length) throw fail(`${path} is outside of the file`);
      const bytes = archive.subarray(start, start + packed);
      if (method === STORED) return bytes;
      if (method !== DEFLATED)
        throw fail(`${path} is packed by method ${method}, expected ${DEFLATED}, deflate`);
      try {
        return inflateRawSync(bytes);
      } catch (error) {
        throw fail(`${path} cannot be unpacked: ${(error as Error).message}`);
      }
    });
  }
  return files;
}
