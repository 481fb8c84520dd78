// The encodings of texts ↔ a file, written while texts are being encoded. Encoding takes minutes or hours. When it is repeated,
// or goes on after an interruption, no text is encoded twice. This file has the format; logged-encoder.ts is the encoder that
// uses it.
//
// The file: a JSON line with the encoder's fingerprint, then records.
//   record := length:u32 (of what follows), key:16 bytes, numbers:u32, vector:float32 × numbers, terms: JSON or nothing
//   terms  := { weights: [[term, weight], …] } or { termFactors: … }
// The key is a hash of the text. A record that an interruption cut off is ignored, and overwritten.

import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "../support/files/make-folders.ts";
import type { Encoding } from "./contract/encoding.ts";

const KEY_BYTES = 16;
/** Records are written when this many bytes wait. An interruption loses at most so much. */
const WRITE_BYTES = 1 << 16;
/** The bytes that are read at once. More: fewer reads, more memory. */
const READ_BYTES = 1 << 22;

export class EncodingLog {
  readonly path: string;
  readonly #head: Buffer;
  readonly #known = new Map<string, Encoding>();
  readonly #waiting: Buffer[] = [];
  readonly #writes: Promise<void>[] = [];
  #waitingBytes = 0;
  #file: FileHandle | undefined;
  #end = 0;

  /** A log of the encoder with this fingerprint. `open` reads it. */
  constructor(path: string, fingerprint: string) {
    this.path = path;
    this.#head = Buffer.from(`${JSON.stringify({ encoder: fingerprint })}\n`);
  }

  /** How many encodings it had when it was opened. */
  get size(): number {
    return this.#known.size;
  }

  /** Reads the file. If another encoder wrote it, it is emptied, and `wasOther` says so. */
  async open(): Promise<{ readonly wasOther: boolean }> {
    const head = this.#head;
    await makeFolders(dirname(this.path));
    const existing = await open(this.path, "r+").catch(() => undefined);
    const size = (await existing?.stat())?.size ?? 0;
    const begin = Buffer.alloc(head.length);
    await existing?.read(begin, 0, begin.length, 0);
    if (existing && begin.equals(head)) {
      this.#file = existing;
      this.#end = await readWholeRecords(existing, head.length, size, this.#known);
      return { wasOther: false };
    }
    await existing?.close();
    this.#file = await open(this.path, "w");
    await this.#file.write(head, 0, head.length, 0);
    this.#end = head.length;
    return { wasOther: size > 0 };
  }

  /** The encoding of a text, by its key, if the log had it when it was opened. */
  find(key: string): Encoding | undefined {
    return this.#known.get(key);
  }

  /** Keeps an encoding. It is written soon; `flush` waits for it. */
  append(key: string, encoding: Encoding): void {
    const record = encodingBytes(key, encoding);
    this.#waiting.push(record);
    this.#waitingBytes += record.length;
    if (this.#waitingBytes < WRITE_BYTES) return;
    const write = this.#write();
    write.catch(() => {}); // `flush` throws it
    this.#writes.push(write);
  }

  /** Writes all that was appended. */
  async flush(): Promise<void> {
    await this.#write();
    await Promise.all(this.#writes.splice(0));
  }

  /** Deletes the file. */
  async remove(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await rm(this.path, { force: true });
  }

  /** Leaves the file for the next time, if it holds anything. */
  async close(): Promise<void> {
    if (!this.#file) return;
    await this.flush();
    const { size } = await this.#file.stat();
    if (size <= this.#head.length) await this.remove();
    else await this.#file.close();
    this.#file = undefined;
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting.splice(0));
    this.#waitingBytes = 0;
    const at = this.#end;
    this.#end += bytes.length;
    if (bytes.length > 0) await this.#file!.write(bytes, 0, bytes.length, at);
  }
}

/** The key of a text in a log. */
export function encodingKey(text: string): string {
  return createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, 2 * KEY_BYTES);
}

function encodingBytes(
  key: string,
  { vector = new Float32Array(0), weights, termFactors }: Encoding,
): Buffer {
  const terms = {
    ...(weights && { weights: [...weights] }),
    ...(termFactors && { termFactors: [...termFactors] }),
  };
  const json = weights || termFactors ? Buffer.from(JSON.stringify(terms)) : Buffer.alloc(0);
  const head = Buffer.alloc(4 + KEY_BYTES + 4);
  head.writeUInt32LE(KEY_BYTES + 4 + vector.byteLength + json.length, 0);
  head.write(key, 4, "hex");
  head.writeUInt32LE(vector.length, 4 + KEY_BYTES);
  return Buffer.concat([head, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength), json]);
}

function termsOfJson(json: string): Pick<Encoding, "weights" | "termFactors"> {
  const { weights, termFactors } = JSON.parse(json) as Record<string, [string, number][] | undefined>;
  return {
    ...(weights && { weights: new Map(weights) }),
    ...(termFactors && { termFactors: new Map(termFactors) }),
  };
}

/** Reads all whole records from `start` on, a few megabytes at a time. Returns where they end. */
async function readWholeRecords(
  file: FileHandle,
  start: number,
  size: number,
  into: Map<string, Encoding>,
): Promise<number> {
  let [end, rest] = [start, Buffer.alloc(0)];
  for (let at = start; at < size; ) {
    const part = Buffer.alloc(Math.min(READ_BYTES, size - at));
    const { bytesRead } = await file.read(part, 0, part.length, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const bytes = Buffer.concat([rest, part.subarray(0, bytesRead)]);
    const { taken, isDamaged } = takeRecords(bytes, size - end, into);
    end += taken;
    if (isDamaged) break;
    rest = bytes.subarray(taken);
  }
  return end;
}

/** Takes the whole records at the beginning of some bytes. `left` is how many bytes the file has from there on. */
function takeRecords(
  bytes: Buffer,
  left: number,
  into: Map<string, Encoding>,
): { readonly taken: number; readonly isDamaged: boolean } {
  let at = 0;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const end = at + 4 + length;
    if (length < KEY_BYTES + 4 || end > left) return { taken: at, isDamaged: true };
    if (end > bytes.length) break;
    const numbers = at + 4 + KEY_BYTES;
    const from = numbers + 4;
    const to = from + 4 * bytes.readUInt32LE(numbers);
    if (to > end) return { taken: at, isDamaged: true };
    const json = bytes.toString("utf8", to, end);
    into.set(bytes.toString("hex", at + 4, numbers), {
      ...(to > from && { vector: floatsIn(bytes.subarray(from, to)) }),
      ...(json !== "" && termsOfJson(json)),
    });
    at = end;
  }
  return { taken: at, isDamaged: false };
}

/** A copy of the numbers: a record may begin at any byte. */
function floatsIn({ buffer, byteOffset, byteLength }: Buffer): Float32Array {
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}
