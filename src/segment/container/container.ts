// One file → named arrays. Opening reads the header only; each array is read, and its checksum verified, on first use. The
// file stays open until `close`: on POSIX systems it can be removed in the meantime without harm to its readers.

import { close, closeSync, fstatSync, openSync, read as readCallback, readSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { closedError } from "../../support/errors/index-errors.ts";
import { abridge, SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { isObject } from "../../support/options/options.ts";
import {
  alignOffset,
  CHUNK_BYTES,
  damagedError,
  FORMAT_VERSION,
  formatError,
  MAGIC,
  type Meta,
  PREFIX_BYTES,
  requireLittleEndian,
  type SectionArray,
  type SectionEntry,
  TYPES,
  type TypeName,
  viewBytes,
} from "./container-format.ts";

/** Bytes read at a time to verify a section without keeping it. */
const WINDOW_BYTES = 1 << 20;

const read = promisify(readCallback);

/** A file that is open for reading, section by section. */
export class Container {
  readonly path: string;
  readonly version: number;
  readonly meta: Meta;
  readonly bytes: number;
  /** The checksum of the header. It covers the checksums of the sections, so equal checksums mean equal content. */
  readonly checksum: number;
  readonly #fd: number;
  readonly #start: number;
  readonly #entries: ReadonlyMap<string, SectionEntry & { readonly padded: number }>;
  readonly #loaded = new Map<string, SectionArray>();
  readonly #loading = new Map<string, Promise<SectionArray>>();
  readonly #verified = new Map<string, Promise<void>>();
  #isClosed = false;

  private constructor(path: string, fd: number, header: Header) {
    this.path = path;
    this.#fd = fd;
    this.version = header.version;
    this.meta = header.meta;
    this.bytes = header.size;
    this.checksum = header.checksum;
    this.#start = header.start;
    const { entries } = header;
    this.#entries = new Map(
      entries.map((entry, i) => [
        entry.name,
        { ...entry, padded: (entries[i + 1]?.offset ?? entry.offset + entry.bytes) - entry.offset },
      ]),
    );
  }

  /** Reads and verifies the header. Throws the system's error if there is no such file. */
  static open(path: string): Container {
    requireLittleEndian();
    const fd = openSync(path, "r");
    try {
      return new Container(path, fd, readHeader(fd, path));
    } catch (error) {
      closeSync(fd);
      throw fileError(error, path);
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Bytes of a section. */
  bytesOf(name: string): number {
    return this.#entry(name).bytes;
  }

  typeOf(name: string): TypeName {
    return this.#entry(name).type;
  }

  /** A whole section. It is read and verified once, and kept. */
  async loadSection(name: string): Promise<SectionArray> {
    const loaded = this.#loaded.get(name);
    if (loaded) return loaded;
    let loading = this.#loading.get(name);
    if (!loading) {
      loading = this.#load(name).finally(() => this.#loading.delete(name));
      this.#loading.set(name, loading);
    }
    return loading;
  }

  /** A whole section, read synchronously. It is for small sections: nothing else runs meanwhile. */
  sectionSync(name: string): SectionArray {
    const loaded = this.#loaded.get(name);
    if (loaded) return loaded;
    const entry = this.#entry(name);
    const bytes = new Uint8Array(entry.padded);
    this.#readSync(bytes, this.#start + entry.offset);
    return this.#keep(name, this.#verify(entry, bytes));
  }

  /** Reads a whole section into the caller's memory and verifies it. Nothing is kept here. */
  async readInto(name: string, into: Uint8Array): Promise<void> {
    const entry = this.#entry(name);
    if (into.length < entry.bytes)
      throw new RangeError(`"${name}" has ${entry.bytes} bytes, the target has room for ${into.length}`);
    const target = into.subarray(0, entry.bytes);
    await this.#read(target, this.#start + entry.offset);
    const padding = new Uint8Array(entry.padded - entry.bytes);
    await this.#read(padding, this.#start + entry.offset + entry.bytes);
    if (crc32(target) !== entry.checksum || padding.some((byte) => byte !== 0))
      throw this.#mismatchError(name);
  }

  /** Verifies a section without keeping it. `readRange` may then read parts of it. */
  verifySection(name: string): Promise<void> {
    let verified = this.#verified.get(name);
    if (!verified) {
      verified = this.#loaded.has(name) ? Promise.resolve() : this.#verifyOnDisk(name);
      verified.catch(() => this.#verified.delete(name));
      this.#verified.set(name, verified);
    }
    return verified;
  }

  /** Reads a part of a section that was verified before: from memory if the section is loaded, else from disk. */
  readRange(name: string, offset: number, length: number, into: Uint8Array): void {
    const entry = this.#entry(name);
    if (offset < 0 || length < 0 || offset + length > entry.bytes || length > into.length) {
      throw new RangeError(
        `"${name}" has ${entry.bytes} bytes, and the target has room for ${into.length}: bytes ${offset} to ${offset + length} cannot be read`,
      );
    }
    const loaded = this.#loaded.get(name);
    if (loaded) into.set(viewBytes(loaded).subarray(offset, offset + length));
    else if (!this.#verified.has(name))
      throw new Error(`the section "${name}" must be verified by check() before readRange()`);
    else this.#readSync(into.subarray(0, length), this.#start + entry.offset + offset);
  }

  /** Drops a loaded section from memory. The next use reads it again. */
  forget(name: string): void {
    this.#loaded.delete(name);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Nobody waits for this: closing a file that was removed frees its blocks, which can take tens of milliseconds.
    close(this.#fd, () => {});
  }

  #entry(name: string): SectionEntry & { readonly padded: number } {
    const entry = this.#entries.get(name);
    if (!entry)
      throw new SluiceError(
        `${this.path}: the section "${name}" is missing`,
        "build the index again",
        "ERR_SLUICE_DAMAGED",
      );
    return entry;
  }

  async #load(name: string): Promise<SectionArray> {
    const entry = this.#entry(name);
    const bytes = new Uint8Array(entry.padded);
    await this.#read(bytes, this.#start + entry.offset);
    return this.#keep(name, this.#verify(entry, bytes));
  }

  #keep(name: string, array: SectionArray): SectionArray {
    const before = this.#loaded.get(name);
    if (before) return before; // two callers loaded it at the same time
    this.#loaded.set(name, array);
    this.#verified.set(name, Promise.resolve());
    return array;
  }

  /** Verifies a section's bytes and the padding after them, and returns them as an array. */
  #verify(entry: SectionEntry, bytes: Uint8Array<ArrayBuffer>): SectionArray {
    const isPadded = bytes.subarray(entry.bytes).some((byte) => byte !== 0);
    if (isPadded || crc32(bytes.subarray(0, entry.bytes)) !== entry.checksum)
      throw this.#mismatchError(entry.name);
    const Type = TYPES[entry.type];
    return new Type(bytes.buffer, 0, entry.bytes / Type.BYTES_PER_ELEMENT);
  }

  async #verifyOnDisk(name: string): Promise<void> {
    const entry = this.#entry(name);
    const window = new Uint8Array(Math.min(WINDOW_BYTES, entry.padded));
    let checksum = 0;
    for (let done = 0; done < entry.padded; ) {
      const part = window.subarray(0, Math.min(window.length, entry.padded - done));
      await this.#read(part, this.#start + entry.offset + done);
      const content = part.subarray(0, Math.max(0, Math.min(part.length, entry.bytes - done)));
      checksum = crc32(content, checksum);
      if (part.subarray(content.length).some((byte) => byte !== 0)) throw this.#mismatchError(name);
      done += part.length;
    }
    if (checksum !== entry.checksum) throw this.#mismatchError(name);
  }

  async #read(into: Uint8Array, offset: number): Promise<void> {
    this.#requireOpen();
    for (let done = 0; done < into.length; ) {
      const length = Math.min(CHUNK_BYTES, into.length - done);
      const { bytesRead } = await read(this.#fd, into, done, length, offset + done).catch((error) => {
        throw fileError(error, this.path);
      });
      if (bytesRead === 0) throw damagedError(this.path, `it ends at byte ${offset + done}`);
      done += bytesRead;
    }
  }

  #readSync(into: Uint8Array, offset: number): void {
    this.#requireOpen();
    readAllSync(this.#fd, into, offset, this.path);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closedError(this.path);
  }

  #mismatchError(name: string): SluiceError {
    return damagedError(this.path, `the checksum of its section "${name}" does not match`);
  }
}

interface Header {
  readonly version: number;
  readonly meta: Meta;
  readonly entries: readonly SectionEntry[];
  readonly start: number;
  readonly size: number;
  readonly checksum: number;
}

function readHeader(fd: number, path: string): Header {
  const { size } = fstatSync(fd);
  if (size < PREFIX_BYTES) throw damagedError(path, `it is ${size} bytes long, too short for an index`);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  readAllSync(fd, prefix, 0, path);
  if (!prefix.subarray(0, 8).equals(MAGIC))
    throw new SluiceError(`${path}: not an index of Sluice`, undefined, "ERR_SLUICE_DAMAGED");
  const version = prefix.readUInt32LE(8);
  if (version !== FORMAT_VERSION) throw formatError(path, version, FORMAT_VERSION);
  const headerBytes = prefix.readUInt32LE(12);
  if (PREFIX_BYTES + headerBytes > size) throw damagedError(path, "it ends inside its header");
  const header = Buffer.alloc(headerBytes);
  readAllSync(fd, header, PREFIX_BYTES, path);
  const checksum = prefix.readUInt32LE(16);
  if (checksum !== crc32(header) || prefix.readUInt32LE(20) !== 0) {
    throw damagedError(path, "the checksum of its header does not match");
  }
  const { sections, meta } = parseHeader(header.toString(), path);
  const start = alignOffset(PREFIX_BYTES + headerBytes);
  const end = sections.reduce((most, { offset, bytes }) => Math.max(most, start + offset + bytes), start);
  if (size !== end) throw damagedError(path, `it is ${size} bytes long, its header says ${end}`);
  const padding = Buffer.alloc(start - PREFIX_BYTES - headerBytes);
  readAllSync(fd, padding, PREFIX_BYTES + headerBytes, path);
  if (padding.some((byte) => byte !== 0))
    throw damagedError(path, "the padding after its header is not zero");
  return { version, meta, entries: sections, start, size, checksum };
}

/** The parts of a header. The checksum shows that nobody changed the header; this shows that we can use it. */
function parseHeader(json: string, path: string): { sections: readonly SectionEntry[]; meta: Meta } {
  const headerError = (what: string) => damagedError(path, `its header ${what}`);
  let header: unknown;
  try {
    header = JSON.parse(json);
  } catch {
    throw headerError("is not JSON");
  }
  if (!isObject(header)) throw headerError("is not an object");
  const { sections, ...meta } = header as Meta;
  if (!Array.isArray(sections)) throw headerError("has no list of sections");
  let end = 0;
  for (const section of sections) {
    if (!isSection(section, end))
      throw headerError(`has a section that cannot be: ${abridge(JSON.stringify(section))}`);
    end = section.offset + section.bytes;
  }
  if (new Set(sections.map(({ name }) => name)).size < sections.length)
    throw headerError("names a section twice");
  return { sections, meta };
}

/** Whether a section is one that a writer may write after `end`. */
function isSection(section: unknown, end: number): section is SectionEntry {
  if (!isObject(section)) return false;
  const { name, type, offset, bytes, checksum } = section as Partial<SectionEntry>;
  return (
    typeof name === "string" &&
    typeof type === "string" &&
    Object.hasOwn(TYPES, type) &&
    offset === alignOffset(end) &&
    Number.isSafeInteger(bytes) &&
    bytes! >= 0 &&
    bytes! % TYPES[type].BYTES_PER_ELEMENT === 0 &&
    Number.isInteger(checksum)
  );
}

function readAllSync(fd: number, into: Uint8Array, offset: number, path: string): void {
  for (let done = 0; done < into.length; ) {
    const bytesRead = readSync(fd, into, done, Math.min(CHUNK_BYTES, into.length - done), offset + done);
    if (bytesRead === 0) throw damagedError(path, `it ends at byte ${offset + done}`);
    done += bytesRead;
  }
}
