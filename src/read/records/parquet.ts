// Parquet → documents, one for each row. Row groups are read one at a time, so one is in memory. The optional package
// hyparquet reads the format.

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { AsyncBuffer, Compressors, RowGroup } from "hyparquet";
import type { FileDocument } from "../../documents/document.ts";
import { missingPackageError } from "../../support/environment/packages.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { OnBytes } from "../../support/files/text-file.ts";
import { type FieldNames, toDocument } from "../stream/line-documents.ts";
import { statPath } from "../stream/list-files.ts";
import type { PageContext } from "./parquet-pages.ts";

/** What Node unpacks. hyparquet unpacks Snappy itself; hyparquet-compressors has the rest. */
const OWN_COMPRESSORS: Compressors = {
  GZIP: (input, bytes) => gunzipSync(input, { maxOutputLength: Math.max(1, bytes) }),
  BROTLI: (input, bytes) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, bytes) }),
};
const BUILT_IN = ["UNCOMPRESSED", "SNAPPY", ...Object.keys(OWN_COMPRESSORS)];

/** The documents of a file. Dates become ISO texts; big integers become numbers if they fit; nulls and NaN are left out. */
export async function* readParquet(
  path: string,
  { onBytes, ...names }: FieldNames & { onBytes?: OnBytes | undefined } = {},
): AsyncGenerator<FileDocument> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema, snappyUncompress } =
    await loadHyparquet(path);
  await statPath(path); // so that a missing file is reported as missing, not as damaged
  const file = await asyncBufferFromFile(path);
  const { checkGroups } = await import("./parquet-pages.ts"); // as late as hyparquet: few programs read Parquet
  const checkedMetadata = async () => {
    const metadata = await parquetMetadataAsync(file);
    checkGroups(metadata, parquetSchema(metadata), file.byteLength);
    return metadata;
  };
  const metadata = await checkedMetadata().catch((error) => {
    throw damagedParquetError(path, error);
  });
  const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map((c) => c.meta_data?.codec));
  const compressors = await loadCompressors(new Set(codecs.map(String)), path);
  const context: PageContext = {
    schema: parquetSchema(metadata),
    unpack: (codec, packed, bytes) => {
      const unpacked = new Uint8Array(codec === "SNAPPY" ? bytes : 0);
      if (codec === "SNAPPY") snappyUncompress(packed, unpacked);
      return codec === "SNAPPY" ? unpacked : compressors[codec as keyof Compressors]!(packed, bytes);
    },
  };
  let row = 0;
  for (const rowGroup of metadata.row_groups) {
    const rows = Number(rowGroup.num_rows);
    const rowEnd = row + rows;
    const read = async () => {
      const checked = await readCheckedGroup(file, rowGroup, context);
      return parquetReadObjects({ file: checked, metadata, compressors, rowStart: row, rowEnd });
    };
    const group = await read().catch((error) => {
      throw damagedParquetError(`${path}: rows ${row + 1} to ${rowEnd}`, error);
    });
    onBytes?.((file.byteLength * rows) / Number(metadata.num_rows));
    for (const fields of group) {
      const where = `${path}: row ${++row}`;
      const plain = Object.entries(fields).map(([name, value]) => [name, plainOf(value)] as const);
      const { title, text, ...rest } = toDocument(Object.fromEntries(plain), where, names);
      const filled = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
      yield { ...Object.fromEntries(filled), id: rest.id, ...(title && { title }), ...(text && { text }) };
    }
  }
}

/** The file, with the pages of a row group in memory, after they were checked. */
async function readCheckedGroup(
  file: AsyncBuffer,
  group: RowGroup,
  context: PageContext,
): Promise<AsyncBuffer> {
  const { checkPages, groupRange } = await import("./parquet-pages.ts");
  const { start, end } = groupRange(group);
  if (start >= end) return file;
  const buffer = await file.slice(start, end);
  checkPages(group, new Uint8Array(buffer), start, context);
  return {
    byteLength: file.byteLength,
    slice: (from, to = file.byteLength) =>
      from >= start && to <= end ? buffer.slice(from - start, to - start) : file.slice(from, to),
  };
}

async function loadHyparquet(path: string): Promise<typeof import("hyparquet")> {
  try {
    return await import("hyparquet");
  } catch (error) {
    throw missingPackageError("hyparquet", `${path}: reading Parquet needs`, error);
  }
}

async function loadCompressors(codecs: ReadonlySet<string>, path: string): Promise<Compressors> {
  const foreign = [...codecs].filter((codec) => !BUILT_IN.includes(codec));
  if (foreign.length === 0) return OWN_COMPRESSORS;
  try {
    return { ...(await import("hyparquet-compressors")).compressors, ...OWN_COMPRESSORS };
  } catch (error) {
    const what = `${path}: compressed with ${foreign.join(" and ")}; reading it needs`;
    throw missingPackageError("hyparquet-compressors", what, error);
  }
}

function damagedParquetError(where: string, error: unknown): SluiceError {
  return new SluiceError(`${where}: not readable as Parquet: ${(error as Error).message}`);
}

/** A value as JSON writes it. */
function plainOf(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value === "number" && Number.isNaN(value)) return null; // what tables have where a number is missing
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value as ArrayLike<unknown>, plainOf);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, plainOf(inside)]));
  return value;
}
