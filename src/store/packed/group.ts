// A group: documents with neighboring serial numbers as one value of the database. Its key is the last of these numbers. Single
// documents would fill pages badly, and short texts alone do not compress. To read one document fast, a group consists of blocks
// that are compressed one by one.
//
//   GROUP := HEAD BLOCK…
//   HEAD  := checksum:u32 blocks:u32 docs:u32 dictionary:f64 ENTRY…      the checksum is the CRC-32 of the rest of HEAD
//   ENTRY := firstSerial:f64 lines:u32 jsonBytes:u32 bytes:u32 checksum:u32            one for each block: 24 bytes
//   BLOCK := LINES, or, if `bytes` is less than `jsonBytes`, LINES deflated (RFC 1951) with the dictionary
//   LINES := for each serial number from `firstSerial` on: the JSON of its document, or nothing; and a line feed
//
// Our JSON has no line feeds, so lines need no table. `dictionary` is a key of the table of dictionaries, or 0.

import { crc32, inflateRawSync } from "node:zlib";
import { damagedError } from "../../segment/container/container-format.ts";

const HEAD_BYTES = 20;
const ENTRY_BYTES = 24;
const LINE_FEED = 10;

/** A document as the database stores it. */
export interface DocumentJson {
  readonly serial: number;
  readonly json: Uint8Array;
}

/** What the head of a group says about a block. */
interface BlockEntry {
  readonly firstSerial: number;
  readonly lines: number;
  readonly jsonBytes: number;
  readonly bytes: number;
  readonly checksum: number;
}

/** A block with its bytes. */
export interface JsonBlock extends BlockEntry {
  readonly content: Uint8Array;
  /** How many lines are not empty. */
  readonly docs: number;
}

/** Finds a dictionary by its key. */
export type DictionaryOf = (key: number) => Uint8Array;

export function groupBytes(blocks: number, contentBytes: number): number {
  return HEAD_BYTES + blocks * ENTRY_BYTES + contentBytes;
}

export function packGroup(blocks: readonly JsonBlock[], dictionary: number): Buffer {
  const head = Buffer.alloc(groupBytes(blocks.length, 0));
  head.writeUInt32LE(blocks.length, 4);
  head.writeUInt32LE(
    blocks.reduce((sum, { docs }) => sum + docs, 0),
    8,
  );
  head.writeDoubleLE(dictionary, 12);
  for (const [i, { firstSerial, lines, jsonBytes, bytes, checksum }] of blocks.entries()) {
    const at = HEAD_BYTES + i * ENTRY_BYTES;
    head.writeDoubleLE(firstSerial, at);
    head.writeUInt32LE(lines, at + 8);
    head.writeUInt32LE(jsonBytes, at + 12);
    head.writeUInt32LE(bytes, at + 16);
    head.writeUInt32LE(checksum, at + 20);
  }
  head.writeUInt32LE(crc32(head.subarray(4)), 0);
  return Buffer.concat([head, ...blocks.map(({ content }) => content)]);
}

/** Reads a group: its head at once, its blocks when they are needed. */
export class Group {
  /** The key of the group: the serial number of its last document. */
  readonly last: number;
  readonly docs: number;
  readonly dictionary: number;
  readonly blocks: readonly BlockEntry[];
  readonly #value: Buffer;
  readonly #path: string;

  /** Throws if the head is damaged. `path` is the file it comes from. */
  constructor(value: Buffer, last: number, path: string) {
    const broken = () =>
      damagedError(path, `the group of documents up to ${last} does not match its checksum`);
    if (value.length < HEAD_BYTES) throw broken();
    const count = value.readUInt32LE(4);
    const headBytes = groupBytes(count, 0);
    if (value.length < headBytes || value.readUInt32LE(0) !== crc32(value.subarray(4, headBytes))) {
      throw broken();
    }
    this.last = last;
    this.docs = value.readUInt32LE(8);
    this.dictionary = value.readDoubleLE(12);
    this.blocks = Array.from({ length: count }, (_, i) => readEntry(value, HEAD_BYTES + i * ENTRY_BYTES));
    const contentBytes = this.blocks.reduce((sum, { bytes }) => sum + bytes, 0);
    if (count === 0 || value.length !== headBytes + contentBytes) throw broken();
    this.#value = value;
    this.#path = path;
  }

  get first(): number {
    return this.blocks[0].firstSerial;
  }

  /** Bytes of all lines. */
  get jsonBytes(): number {
    return this.blocks.reduce((sum, { jsonBytes }) => sum + jsonBytes, 0);
  }

  get isCompressed(): boolean {
    return this.blocks.some(({ bytes, jsonBytes }) => bytes < jsonBytes);
  }

  /** The number of the block with a line for this serial number. */
  blockWith(serial: number): number | undefined {
    const found = this.blocks.findIndex(
      ({ firstSerial, lines }) => serial >= firstSerial && serial < firstSerial + lines,
    );
    return found < 0 ? undefined : found;
  }

  /** The lines of a block, verified and copied. */
  lines(block: number, dictionaryOf: DictionaryOf): BlockDocuments {
    const { firstSerial, lines, jsonBytes, bytes, checksum } = this.blocks[block];
    let start = groupBytes(this.blocks.length, 0);
    for (let before = 0; before < block; before++) start += this.blocks[before].bytes;
    // A copy, because the value may be borrowed from the database, and reading the dictionary would end that.
    const stored = Buffer.from(this.#value.subarray(start, start + bytes));
    const name = `documents ${firstSerial} to ${firstSerial + lines - 1}`;
    if (crc32(stored) !== checksum) throw damagedError(this.#path, `${name} do not match their checksum`);
    if (bytes === jsonBytes) return new BlockDocuments(firstSerial, lines, stored);
    try {
      const json = inflateRawSync(stored, {
        ...(this.dictionary !== 0 && { dictionary: dictionaryOf(this.dictionary) }),
        chunkSize: jsonBytes + SPARE_BYTES,
      });
      if (json.length === jsonBytes) return new BlockDocuments(firstSerial, lines, json);
    } catch (error) {
      if (typeof (error as NodeJS.ErrnoException).errno !== "number") throw error;
    }
    throw damagedError(this.#path, `${name} cannot be decompressed`);
  }

  /** All documents, in order. */
  *documents(dictionaryOf: DictionaryOf): Generator<{ serial: number; json: Buffer }> {
    for (const block of this.blocks.keys()) yield* this.lines(block, dictionaryOf);
  }
}

/** Spare bytes after the inflated ones: without them, zlib asks for a second buffer. */
const SPARE_BYTES = 64;

function readEntry(value: Buffer, at: number): BlockEntry {
  return {
    firstSerial: value.readDoubleLE(at),
    lines: value.readUInt32LE(at + 8),
    jsonBytes: value.readUInt32LE(at + 12),
    bytes: value.readUInt32LE(at + 16),
    checksum: value.readUInt32LE(at + 20),
  };
}

/** The documents of a block, as JSON. */
export class BlockDocuments {
  readonly firstSerial: number;
  readonly count: number;
  readonly #json: Buffer;

  constructor(firstSerial: number, count: number, json: Buffer) {
    this.firstSerial = firstSerial;
    this.count = count;
    this.#json = json;
  }

  get bytes(): number {
    return this.#json.length;
  }

  has(serial: number): boolean {
    return serial >= this.firstSerial && serial < this.firstSerial + this.count;
  }

  /** The JSON of a document; undefined if its line is empty. */
  at(serial: number): Buffer | undefined {
    let start = 0;
    for (let line = this.firstSerial; line < serial; line++) start = this.#json.indexOf(LINE_FEED, start) + 1;
    const end = this.#json.indexOf(LINE_FEED, start);
    return end > start ? this.#json.subarray(start, end) : undefined;
  }

  *[Symbol.iterator](): Generator<{ serial: number; json: Buffer }> {
    let start = 0;
    for (let line = 0; line < this.count; line++) {
      const end = this.#json.indexOf(LINE_FEED, start);
      if (end > start) yield { serial: this.firstSerial + line, json: this.#json.subarray(start, end) };
      start = end + 1;
    }
  }
}
