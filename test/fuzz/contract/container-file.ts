// The bytes that a fuzzer changes ↔ the bytes of a container (src/segment/container). The first form is JSON, a zero byte, and the
// sections. It has no checksums: they are computed, so that a change is not noticed by its checksum alone.

import { crc32 } from "node:zlib";
import {
  alignOffset,
  FORMAT_VERSION,
  MAGIC,
  PREFIX_BYTES,
  type SectionArray,
  type SectionEntry,
  sectionType,
  viewBytes,
} from "../../../src/segment/container/container-format.ts";
import { bytesOfText, textOf } from "./target.ts";

/** The first form of a header and its sections. */
export function taken(meta: object, sections: Readonly<Record<string, SectionArray>>): Uint8Array {
  let end = 0;
  const entries = Object.entries(sections).map(([name, array]) => {
    const offset = alignOffset(end);
    end = offset + array.byteLength;
    return { name, type: sectionType(array), offset, bytes: array.byteLength };
  });
  const body = new Uint8Array(end);
  for (const [i, array] of Object.values(sections).entries()) body.set(viewBytes(array), entries[i].offset);
  return new Uint8Array([...bytesOfText(JSON.stringify({ ...meta, sections: entries })), 0, ...body]);
}

/** The first form of a file. */
export function takenFile(file: Uint8Array): Uint8Array {
  const headerBytes = new DataView(file.buffer, file.byteOffset).getUint32(12, true);
  const end = PREFIX_BYTES + headerBytes;
  return new Uint8Array([...file.subarray(PREFIX_BYTES, end), 0, ...file.subarray(alignOffset(end))]);
}

/** The file of the first form. */
export function assembled(input: Uint8Array): Uint8Array {
  const zero = input.indexOf(0);
  const head = zero < 0 ? input : input.subarray(0, zero);
  const body = zero < 0 ? new Uint8Array() : input.subarray(zero + 1);
  const header = withChecksums(head, body);
  const start = alignOffset(PREFIX_BYTES + header.length);
  const file = new Uint8Array(start + body.length);
  const view = new DataView(file.buffer);
  file.set(MAGIC);
  view.setUint32(8, FORMAT_VERSION, true);
  view.setUint32(12, header.length, true);
  view.setUint32(16, crc32(header), true);
  file.set(header, PREFIX_BYTES);
  file.set(body, start);
  return file;
}

function withChecksums(head: Uint8Array, body: Uint8Array): Uint8Array {
  try {
    const header = JSON.parse(textOf(head));
    for (const section of header.sections as SectionEntry[]) {
      const { offset, bytes } = section;
      Object.assign(section, { checksum: crc32(body.subarray(offset, offset + bytes)) });
    }
    return bytesOfText(JSON.stringify(header));
  } catch {
    return head;
  }
}
