// Checks what a Parquet file says about itself before its values are decoded. hyparquet believes the heads of row groups, columns
// and pages, and the lengths of runs: a damaged number there makes it loop for minutes, ask for gigabytes, or end the process.
//
// The head of a page is a struct in Thrift's compact protocol: a list of fields, each with a type and an id above the one before.

import type { FileMetaData, RowGroup, SchemaTree } from "hyparquet";
import {
  bitsAt,
  checkDeltas,
  checkSnappy,
  DELTA_LENGTHS,
  DELTA_NUMBERS,
  DELTA_TEXTS,
} from "./parquet-values.ts";

/** The most rows, and the most values of a column, for each byte of the file. Ids differ, so a row takes some bits at least. */
const MOST_VALUES_OF_BYTE = 64;
/** So many rows are allowed in any file, even in one of a few bytes. */
const ALWAYS_ALLOWED = 1000;
/** The most bytes of a page, unless it is packed from many bytes. Writers aim at one MiB. */
const PAGE_BYTES = 16 * 2 ** 20;
/** What gzip makes of one byte at the most. */
const MOST_UNPACKED = 1100;

/**
 * Throws if the numbers about rows and bytes are impossible, or if a column is not in the schema. hyparquet would notice such a
 * column only while it reads others, and an error of theirs would then end the process.
 */
export function checkGroups(
  { row_groups: groups }: FileMetaData,
  schema: SchemaTree,
  fileBytes: number,
): void {
  const most = MOST_VALUES_OF_BYTE * fileBytes + ALWAYS_ALLOWED;
  for (const { num_rows: rows, columns } of groups) {
    requireBetween("rows of a group", rows, 0, most);
    for (const { meta_data: column } of columns) {
      if (!column) throw new Error("a column has no metadata");
      if (!isInSchema(column.path_in_schema, schema)) throw new Error("a column is not in the schema");
      requireBetween("values of a column", column.num_values, 0, most);
      const { start, end } = rangeOf(column);
      requireBetween("bytes of a column", end, Math.max(0, start), fileBytes);
    }
  }
}

function isInSchema(path: unknown, schema: SchemaTree): boolean {
  let found: SchemaTree | undefined = schema;
  if (!Array.isArray(path) || path.length === 0) return false;
  for (const name of path) found = found?.children.find(({ element }) => element.name === name);
  return found !== undefined;
}

/** What a check of pages needs to know of the file. */
export interface PageContext {
  readonly schema: SchemaTree;
  /** Unpacks a page. */
  readonly unpack: (codec: string, packed: Uint8Array, bytes: number) => Uint8Array;
}

/** Throws if what a page of a row group says about itself is impossible. `bytes` begins at `first` in the file. */
export function checkPages(
  { columns }: RowGroup,
  bytes: Uint8Array,
  first: number,
  { schema, unpack }: PageContext,
): void {
  for (const { meta_data: column } of columns) {
    const { start, end } = rangeOf(column!);
    const chunk = bytes.subarray(start - first, end - first);
    const levels = levelsOf(column!.path_in_schema, schema);
    let left = Number(column!.num_values);
    for (let at = 0; at < chunk.length - 1; ) {
      const reader = new ThriftReader(chunk, at);
      const head = reader.struct();
      const packed = requireBetween("packed bytes of a page", head.get(3), 0, chunk.length - reader.at);
      const mostBytes = Math.max(PAGE_BYTES, MOST_UNPACKED * packed);
      const size = requireBetween("bytes of a page", head.get(2), 0, mostBytes);
      const content = chunk.subarray(reader.at, reader.at + packed);
      at = reader.at + packed;
      const page = pageOf(head, size);
      if (!page) continue;
      left = checkValues(page, left, packed);
      const { codec } = column!;
      if (codec === "SNAPPY" && !page.isPlain) checkSnappy(content.subarray(page.levelBytes));
      checkEncoded(page, content, {
        ...levels,
        mostBytes,
        isBoolean: column!.type === "BOOLEAN",
        unpack: (part, size) => (codec === "UNCOMPRESSED" ? part : unpack(codec, part, size)),
      });
    }
  }
}

/** How often the path of a column repeats, and how many of its parts may be missing: the highest levels of its values. */
function levelsOf(path: readonly string[], schema: SchemaTree) {
  let [node, repetition, definition] = [schema, 0, 0];
  for (const name of path) {
    node = node.children.find(({ element }) => element.name === name)!;
    if (node.element.repetition_type === "REPEATED") repetition++;
    if (node.element.repetition_type !== "REQUIRED") definition++;
  }
  return { repetition, definition };
}

/** A page, as its head describes it. */
interface ParquetPage {
  readonly kind: "data" | "dictionary" | "data-v2";
  /** The part of the head that is about this kind of page. */
  readonly own: Struct;
  /** Bytes of the page when it is unpacked. */
  readonly size: number;
  /** Bytes of levels before the packed bytes: only data pages of version 2 have them there. */
  readonly levelBytes: number;
  /** Whether its bytes are not packed, whatever the column says. */
  readonly isPlain: boolean;
}

/** By type of page: its kind, and the field of the head that describes it. hyparquet looks at no other. */
const KINDS: Readonly<Record<number, readonly [ParquetPage["kind"], number]>> = {
  0: ["data", 5],
  2: ["dictionary", 7],
  3: ["data-v2", 8],
};
const INDEX_PAGE = 1;

/** Undefined for a page without values. Throws if a page does not describe itself: hyparquet would read undefined numbers. */
function pageOf(head: Struct, size: number): ParquetPage | undefined {
  const type = Number(head.get(1));
  if (type === INDEX_PAGE) return undefined;
  const [kind, field] = KINDS[type] ?? [];
  const own = kind && head.get(field!);
  if (!kind || !(own instanceof Map)) throw new Error(`a page of type ${type} does not say what it holds`);
  const isDataV2 = kind === "data-v2";
  const levelBytes = isDataV2 ? Number(own.get(5)) + Number(own.get(6)) : 0;
  return { kind, own, size, levelBytes, isPlain: isDataV2 && own.get(7) === false };
}

interface ValueContext extends ReturnType<typeof levelsOf> {
  readonly isBoolean: boolean;
  /** The most bytes that texts of a page have together. */
  readonly mostBytes: number;
  readonly unpack: (packed: Uint8Array, bytes: number) => Uint8Array;
}

/** Encodings by runs: of booleans, and of the codes of a dictionary. */
const [RLE, OLD_DICTIONARY, DICTIONARY] = [3, 2, 8];
const RUNS: readonly unknown[] = [RLE, OLD_DICTIONARY, DICTIONARY];
const DELTAS: readonly unknown[] = [DELTA_NUMBERS, DELTA_LENGTHS, DELTA_TEXTS];

/** Throws if levels or values of a page repeat more often than the page has values, or have lengths that cannot be. */
function checkEncoded(page: ParquetPage, content: Uint8Array, context: ValueContext): void {
  const { kind, own, size, levelBytes, isPlain } = page;
  if (kind === "dictionary") return;
  const { repetition, definition, isBoolean, mostBytes, unpack } = context;
  const values = Number(own.get(1));
  const encoding = own.get(kind === "data-v2" ? 4 : 2);
  const isDelta = DELTAS.includes(encoding);
  const isCoded = RUNS.includes(encoding) || isDelta;
  let rest: Uint8Array;
  let filled = values; // without nulls
  if (kind === "data-v2") {
    const ofRepetition = Number(own.get(6));
    if (repetition > 0) requireRuns(content.subarray(0, ofRepetition), repetition, values);
    if (definition > 0) requireRuns(content.subarray(ofRepetition, levelBytes), definition, values);
    if (!isCoded) return;
    filled -= Number(own.get(2));
    rest = content.subarray(levelBytes);
    if (!isPlain) rest = unpack(rest, size - levelBytes);
  } else {
    if (repetition === 0 && definition === 0 && !isCoded) return;
    rest = unpack(content, size);
    for (const [i, most] of [repetition, definition].entries()) {
      if (most === 0) continue;
      const length = lengthAt(rest);
      const found = requireRuns(rest.subarray(4), most, values, isDelta);
      if (i === 1 && isDelta) filled = found;
      rest = rest.subarray(4 + length);
    }
  }
  if (isDelta) checkDeltas(rest, encoding as number, filled, mostBytes);
  else if (isCoded) requireCoded(rest, kind === "data-v2" ? encoding === RLE : isBoolean, values);
}

/** Throws if the codes of a page have runs that are too long. Booleans begin with a length, other codes with their width. */
function requireCoded(bytes: Uint8Array, isBoolean: boolean, values: number): void {
  if (isBoolean) requireRuns(bytes.subarray(4), 1, values);
  else if (bytes.length > 0) requireRunsOfWidth(bytes.subarray(1), bytes[0], values);
}

function lengthAt(bytes: Uint8Array): number {
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/**
 * Throws if the levels of values have runs that are too long, or too few. `most` is the highest level. With `counts`, returns how
 * many values have it; counting takes longer than the check.
 */
function requireRuns(bytes: Uint8Array, most: number, values: number, counts = false): number {
  const width = 32 - Math.clz32(most);
  const { seen, found } = requireRunsOfWidth(bytes, width, values, counts ? most : undefined);
  if (seen < values) throw new Error(`a page has ${seen} levels, expected ${values}`);
  return found;
}

/** The last run may be longer than what is left, because packed values come in groups of eight. */
const SLACK = 512;

/** Throws if runs of values with `width` bits repeat more than there are. Counts them, and those that are `wanted`. */
function requireRunsOfWidth(bytes: Uint8Array, width: number, values: number, wanted?: number) {
  if (width > 32) throw new Error(`the codes of a page have ${width} bits`);
  const reader = new ThriftReader(bytes, 0);
  let [seen, found] = [0, 0];
  while (seen < values && reader.at < bytes.length) {
    const head = reader.varint();
    const isPacked = head % 2 === 1;
    const count = Math.floor(head / 2) * (isPacked ? 8 : 1);
    requireBetween("values of a run", count, 0, values - seen + SLACK);
    if (wanted !== undefined) {
      const own = Math.min(count, values - seen);
      const isWanted = (i: number) => bitsAt(bytes, reader.at * 8 + i * width, width) === wanted;
      if (!isPacked) found += isWanted(0) ? own : 0;
      else for (let i = 0; i < own; i++) found += Number(isWanted(i));
    }
    seen += count;
    reader.at += Math.ceil(isPacked ? (count * width) / 8 : width / 8);
  }
  return { seen, found };
}

/** Where the pages of a column are in the file. */
function rangeOf(column: NonNullable<RowGroup["columns"][number]["meta_data"]>) {
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  return { start, end: start + Number(column.total_compressed_size) };
}

/** Where the pages of a row group are. */
export function groupRange({ columns }: RowGroup): { readonly start: number; readonly end: number } {
  const ranges = columns.map(({ meta_data: column }) => rangeOf(column!));
  return {
    start: ranges.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY),
    end: ranges.reduce((most, { end }) => Math.max(most, end), 0),
  };
}

/** Throws if a page has more values than its column has left. Returns how many are left after it. */
function checkValues({ kind, own }: ParquetPage, left: number, packed: number): number {
  const values = requireBetween(`values of a ${kind === "dictionary" ? kind : "page"}`, own.get(1), 0, left);
  if (kind === "dictionary") return left;
  if (kind === "data-v2") {
    requireBetween("nulls of a page", own.get(2), 0, values);
    requireBetween("rows of a page", own.get(3), 0, values);
    const levels = requireBetween("levels of a page", own.get(5), 0, packed);
    requireBetween("levels of a page", own.get(6), 0, packed - levels);
  }
  return left - values;
}

function requireBetween(what: string, value: unknown, least: number, most: number): number {
  const number = Number(value);
  if (!(number >= least && number <= most))
    throw new Error(`the ${what} are ${value}, expected ${least} to ${most}`);
  return number;
}

type Struct = ReadonlyMap<number, unknown>;

const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12],
];
/** Bytes of a number with 64 bits. */
const LONGEST_VARINT = 10;
/** Levels of structs in structs. Heads of pages have two. */
const MOST_DEPTH = 8;

/** Reads structs of Thrift's compact protocol. Numbers are kept, and texts are passed over. */
class ThriftReader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(depth = 0): Struct {
    if (depth > MOST_DEPTH) throw new Error("the head of a page is nested too deeply");
    const fields = new Map<number, unknown>();
    for (let id = 0; ; ) {
      const head = this.#byte();
      const type = head & 15;
      if (type === STOP) return fields;
      id = head >> 4 ? id + (head >> 4) : this.#zigzag();
      fields.set(id, this.#value(type, depth));
    }
  }

  #value(type: number, depth: number): unknown {
    if (type === TRUE || type === FALSE) return type === TRUE;
    if (type === BYTE) return (this.#byte() << 24) >> 24;
    if (type === I16 || type === I32) return this.#zigzag();
    // hyparquet makes a bigint of it, which is no length.
    if (type === I64) return void this.#zigzag();
    if (type === DOUBLE) return this.#skip(8);
    if (type === BINARY) return this.#skip(this.varint());
    if (type === STRUCT) return this.struct(depth + 1);
    if (type !== LIST) throw new Error(`the head of a page has a field of type ${type}`);
    const head = this.#byte();
    const length = head >> 4 === 15 ? this.varint() : head >> 4;
    const each = (head & 15) === TRUE || (head & 15) === FALSE ? BYTE : head & 15;
    for (let i = 0; i < length; i++) this.#value(each, depth + 1);
    return undefined;
  }

  #skip(length: number): undefined {
    this.at += length;
    if (this.at > this.#bytes.length) throw new Error("the head of a page does not end");
  }

  #byte(): number {
    if (this.at >= this.#bytes.length) throw new Error("a page ends in the middle");
    return this.#bytes[this.at++];
  }

  varint(): number {
    let [value, factor] = [0, 1];
    for (let i = 0; i < LONGEST_VARINT; i++) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw new Error("a number of a page is too long");
  }

  #zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
