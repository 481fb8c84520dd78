// Checks what a Parquet file says about itself before its values are decoded. hyparquet believes the heads of row groups, columns and
// pages, and the lengths of runs: a damaged number there makes it loop for minutes, ask for gigabytes, or end the process.
//
// The head of a page is a struct in Thrift's compact protocol: a list of fields, each with a type and an id above the one before.

import type { FileMetaData, RowGroup, SchemaTree } from "hyparquet";

/** A row takes some bits of the file, because ids differ: the most rows, and values of a column, by bytes of the file. */
const MOST_VALUES_OF_BYTE = 64;
/** A few bytes may stand for a thousand rows. */
const ALWAYS_ALLOWED = 1000;
/** The most bytes of a page, unless it is packed from many bytes. Writers aim at one MiB. */
const PAGE_BYTES = 16 * 2 ** 20;
/** What gzip makes of one byte at the most. */
const MOST_UNPACKED = 1100;

/**
 * Throws if the numbers about rows and bytes cannot be, or if a column is not in the schema. hyparquet finds out about the schema when
 * it reads other columns already, and an error of theirs would then end the process.
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

/** Throws if a page of a row group cannot be. `bytes` begins at `first` in the file. */
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
      requireBetween("bytes of a page", head.get(2), 0, Math.max(PAGE_BYTES, MOST_UNPACKED * packed));
      left = checkValues(head, left, packed);
      const content = chunk.subarray(reader.at, reader.at + packed);
      const isBoolean = column!.type === "BOOLEAN";
      checkRuns(head, content, {
        ...levels,
        isBoolean,
        unpack: (part, size) => (column!.codec === "UNCOMPRESSED" ? part : unpack(column!.codec, part, size)),
      });
      at = reader.at + packed;
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

interface RunContext extends ReturnType<typeof levelsOf> {
  readonly isBoolean: boolean;
  readonly unpack: (packed: Uint8Array, bytes: number) => Uint8Array;
}

/** Encodings by runs: of booleans, and of the codes of a dictionary. */
const [RLE, OLD_DICTIONARY, DICTIONARY] = [3, 2, 8];

/** Throws if a run of a page repeats its value more often than the page has values. hyparquet would repeat it. */
function checkRuns(head: Struct, content: Uint8Array, context: RunContext): void {
  const { repetition, definition, isBoolean, unpack } = context;
  const size = Number(head.get(2));
  const [page, second] = [5, 8].map((id) => head.get(id) as Struct | undefined);
  if (second) {
    const [values, encoding] = [Number(second.get(1)), second.get(4)];
    const [ofDefinition, ofRepetition] = [Number(second.get(5)), Number(second.get(6))];
    const data = ofDefinition + ofRepetition;
    if (repetition > 0) requireRuns(content.subarray(0, ofRepetition), repetition, values);
    if (definition > 0) requireRuns(content.subarray(ofRepetition, data), definition, values);
    if (![RLE, OLD_DICTIONARY, DICTIONARY].includes(encoding as number)) return;
    const rest = content.subarray(data);
    const plain = second.get(7) === false ? rest : unpack(rest, size - data);
    requireCoded(plain, encoding === RLE, values);
  } else if (page) {
    const [values, encoding] = [Number(page.get(1)), page.get(2)];
    const isCoded = [RLE, OLD_DICTIONARY, DICTIONARY].includes(encoding as number);
    if (repetition === 0 && definition === 0 && !isCoded) return;
    let rest = unpack(content, size);
    for (const most of [repetition, definition]) {
      if (most === 0) continue;
      const length = lengthAt(rest);
      requireRuns(rest.subarray(4), most, values);
      rest = rest.subarray(4 + length);
    }
    if (isCoded) requireCoded(rest, isBoolean, values);
  }
}

/** Throws if the codes of a page have runs that are too long. Booleans begin with a length, other codes with their width. */
function requireCoded(bytes: Uint8Array, isBoolean: boolean, values: number): void {
  if (isBoolean) requireRuns(bytes.subarray(4), 1, values);
  else if (bytes.length > 0) requireRunsOfWidth(bytes.subarray(1), bytes[0], values);
}

function lengthAt(bytes: Uint8Array): number {
  return bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** Throws if the levels of values have runs that are too long, or too few. `most` is the highest level. */
function requireRuns(bytes: Uint8Array, most: number, values: number): void {
  const found = requireRunsOfWidth(bytes, 32 - Math.clz32(most), values);
  if (found < values) throw new Error(`a page has ${found} levels, expected ${values}`);
}

/** The last run may be longer than what is left, because packed values come in groups of eight. */
const SLACK = 512;

/** Throws if runs of values with `width` bits repeat more than there are. Returns how many there are. */
function requireRunsOfWidth(bytes: Uint8Array, width: number, values: number): number {
  if (width > 32) throw new Error(`the codes of a page have ${width} bits`);
  const reader = new ThriftReader(bytes, 0);
  let seen = 0;
  while (seen < values && reader.at < bytes.length) {
    const head = reader.varint();
    const isPacked = head % 2 === 1;
    const count = Math.floor(head / 2) * (isPacked ? 8 : 1);
    requireBetween("values of a run", count, 0, values - seen + SLACK);
    seen += count;
    reader.at += Math.ceil(isPacked ? (count * width) / 8 : width / 8);
  }
  return seen;
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
function checkValues(head: Struct, left: number, packed: number): number {
  const [data, dictionary, second] = [5, 7, 8].map((id) => head.get(id) as Struct | undefined);
  if (dictionary) requireBetween("values of a dictionary", dictionary.get?.(1), 0, left);
  const page = second ?? data;
  if (!page) return left;
  const values = requireBetween("values of a page", page.get?.(1), 0, left);
  if (second) {
    requireBetween("nulls of a page", second.get(2), 0, values);
    requireBetween("rows of a page", second.get(3), 0, values);
    const levels = requireBetween("levels of a page", second.get(5), 0, packed);
    requireBetween("levels of a page", second.get(6), 0, packed - levels);
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
    if (type === BYTE) return this.#byte();
    if (type === I16 || type === I32 || type === I64) return this.#zigzag();
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
