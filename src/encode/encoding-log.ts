// A file of encodings, written while texts are being encoded. Encoding takes minutes or hours; after an interruption the same
// work reads what the file has and goes on from there. It is deleted when the work is done.
//
// The file: a JSON line with the encoder's fingerprint, then records.
//   record := length:u32 (of what follows), key:16 bytes, numbers:u32, vector:float32 × numbers, terms: JSON or nothing
//   terms  := { weights: [[term, weight], …] } or { termFactors: … }
// A record that an interruption cut off is ignored, and overwritten.

import { createHash } from "node:crypto";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Document, indexedText } from "../documents/document.ts";
import type { TextField } from "../documents/text-fields.ts";
import { makeFolders } from "../support/files/make-folders.ts";
import type { OnProgress } from "../support/options/progress.ts";
import { ENCODED_AT_ONCE } from "./encode-documents.ts";
import type { Encoder, Encoding } from "./encoder.ts";

const KEY_BYTES = 16;
/** Records are written when this many bytes wait. An interruption loses at most so much. */
const WRITE_BYTES = 1 << 16;

interface LogOptions {
  /** The fields whose texts are encoded, as one text. By default title and text. */
  readonly textFields?: readonly TextField[] | undefined;
  readonly signal?: AbortSignal;
  /** Called once if the log already holds encodings. */
  readonly onFound?: (count: number) => void;
  readonly onProgress?: OnProgress;
}

export class EncodingLog {
  readonly #path: string;
  readonly #encoder: Encoder;
  readonly #known = new Map<string, Encoding>();
  readonly #waiting: Buffer[] = [];
  readonly #writes: Promise<void>[] = [];
  #waitingBytes = 0;
  #file: FileHandle | undefined;
  #end = 0;

  /** A log at a path. The file is opened when the first document is encoded. */
  constructor(path: string, encoder: Encoder) {
    [this.#path, this.#encoder] = [path, encoder];
  }

  /**
   * Passes documents on after they were encoded, or found in the log. Their encodings are in `encodings`, by id, until a few
   * thousand documents later.
   */
  async *encodeFirst(
    documents: AsyncIterable<Document> | Iterable<Document>,
    encodings: Map<string, Encoding>,
    { textFields, signal, onFound, onProgress }: LogOptions = {},
  ): AsyncGenerator<Document> {
    await this.#open();
    if (this.#known.size > 0) onFound?.(this.#known.size);
    let [group, before, done]: [Document[], readonly Document[], number] = [[], [], 0];
    const flush = async () => {
      const texts = group.map((document) =>
        indexedText(document, `document ${JSON.stringify(document.id)}`, textFields),
      );
      await this.#encode(group, texts, encodings, signal, (count) =>
        onProgress?.({ stage: "encoding", done: done + count }),
      );
      done += group.length;
      for (const { id } of before) encodings.delete(id);
      const ready = group;
      [before, group] = [ready, []];
      return ready;
    };
    for await (const document of documents) {
      group.push(document);
      if (group.length === ENCODED_AT_ONCE) yield* await flush();
    }
    yield* await flush();
  }

  /** Deletes the log: the work is done. */
  async finish(): Promise<void> {
    await this.#file?.close();
    await rm(this.#path, { force: true });
  }

  /** Leaves the log for the next time, if it holds anything. */
  async close(): Promise<void> {
    if (!this.#file) return;
    await this.#write();
    await Promise.all(this.#writes);
    const { size } = await this.#file.stat();
    await this.#file.close();
    if (size <= this.#head().length) await rm(this.#path, { force: true });
  }

  #head(): Buffer {
    return Buffer.from(`${JSON.stringify({ encoder: this.#encoder.fingerprint })}\n`);
  }

  /** Reads what the log holds. A log of another encoder is discarded, and a new one begins. */
  async #open(): Promise<void> {
    const head = this.#head();
    await makeFolders(dirname(this.#path));
    const held = await readFile(this.#path).catch(() => undefined);
    const isOurs = held?.subarray(0, head.length).equals(head);
    this.#file = await open(this.#path, isOurs ? "r+" : "w");
    if (isOurs) this.#end = readRecords(held!, head.length, this.#known);
    else {
      await this.#file.write(head, 0, head.length, 0);
      this.#end = head.length;
    }
  }

  async #encode(
    group: readonly Document[],
    texts: readonly string[],
    encodings: Map<string, Encoding>,
    signal: AbortSignal | undefined,
    onCount: (count: number) => void,
  ): Promise<void> {
    const keys = texts.map(keyOf);
    const missing = keys.flatMap((key, i) => (this.#known.has(key) ? [] : [i]));
    for (const [i, { id }] of group.entries()) {
      const known = this.#known.get(keys[i]);
      if (known) encodings.set(id, known);
    }
    try {
      await this.#encoder.encode(
        missing.map((i) => texts[i]),
        "passage",
        {
          ...(signal && { signal }),
          onEncoded: (at, encoding) => {
            const i = missing[at];
            encodings.set(group[i].id, encoding);
            this.#append(keys[i], encoding);
          },
          onProgress: ({ done }) => onCount(group.length - missing.length + done),
        },
      );
    } finally {
      await this.#write();
      await Promise.all(this.#writes.splice(0));
    }
  }

  #append(key: string, encoding: Encoding): void {
    const record = encodingBytes(key, encoding);
    this.#waiting.push(record);
    this.#waitingBytes += record.length;
    if (this.#waitingBytes < WRITE_BYTES) return;
    const write = this.#write();
    write.catch(() => {}); // the end of the group throws it
    this.#writes.push(write);
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting.splice(0));
    this.#waitingBytes = 0;
    const at = this.#end;
    this.#end += bytes.length;
    if (bytes.length > 0) await this.#file!.write(bytes, 0, bytes.length, at);
  }
}

function keyOf(text: string): string {
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

/** Reads all whole records and returns where they end. */
function readRecords(bytes: Buffer, start: number, into: Map<string, Encoding>): number {
  let at = start;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const end = at + 4 + length;
    if (end > bytes.length || length < KEY_BYTES + 4) break;
    const numbers = at + 4 + KEY_BYTES;
    const from = numbers + 4;
    const count = bytes.readUInt32LE(numbers);
    if (from + 4 * count > end) break;
    const vector = Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(from + 4 * i));
    const json = bytes.toString("utf8", from + 4 * count, end);
    into.set(bytes.toString("hex", at + 4, numbers), {
      ...(count > 0 && { vector }),
      ...(json !== "" && termsOfJson(json)),
    });
    at = end;
  }
  return at;
}
