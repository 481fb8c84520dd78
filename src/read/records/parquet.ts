// Parquet → documents, one for each row. Row groups are read one at a time, so one is in memory. The optional package
// hyparquet reads the format.

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Compressors } from "hyparquet";
import type { ReadDocument } from "../../documents/document.ts";
import { UsageError } from "../../errors.ts";
import { missingPackage } from "../../support/environment/packages.ts";
import { statOf } from "../../support/files/list-files.ts";
import type { OnBytes } from "../../support/files/text-file.ts";
import { documentOf, type FieldNames } from "../stream/line-documents.ts";

/** What Node unpacks. hyparquet unpacks Snappy itself; hyparquet-compressors has the rest. */
const OWN: Compressors = {
  GZIP: (input) => gunzipSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
};
const BUILT_IN = ["UNCOMPRESSED", "SNAPPY", ...Object.keys(OWN)];

/** The documents of a file. Dates become ISO texts; big integers become numbers if they fit; nulls are left out. */
export async function* readParquet(
  path: string,
  { onBytes, ...names }: FieldNames & { onBytes?: OnBytes | undefined } = {},
): AsyncGenerator<ReadDocument> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await hyparquet(path);
  await statOf(path); // so that a missing file is reported as missing, not as damaged
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch((error) => {
    throw damaged(path, error);
  });
  const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map((c) => c.meta_data?.codec));
  const compressors = await compressorsFor(new Set(codecs.map(String)), path);
  let row = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = row + Number(num_rows);
    const group = await parquetReadObjects({ file, metadata, compressors, rowStart: row, rowEnd }).catch(
      (error) => {
        throw damaged(`${path}: rows ${row + 1} to ${rowEnd}`, error);
      },
    );
    onBytes?.((file.byteLength * Number(num_rows)) / Number(metadata.num_rows));
    for (const fields of group) {
      const where = `${path}: row ${++row}`;
      const plain = Object.entries(fields).map(([name, value]) => [name, plainOf(value)] as const);
      const { title, text, ...rest } = documentOf(Object.fromEntries(plain), where, names);
      const filled = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
      yield { ...Object.fromEntries(filled), id: rest.id, ...(title && { title }), ...(text && { text }) };
    }
  }
}

async function hyparquet(path: string): Promise<typeof import("hyparquet")> {
  try {
    return await import("hyparquet");
  } catch (error) {
    throw missingPackage("hyparquet", `${path}: reading Parquet needs`, error);
  }
}

async function compressorsFor(codecs: ReadonlySet<string>, path: string): Promise<Compressors> {
  const foreign = [...codecs].filter((codec) => !BUILT_IN.includes(codec));
  if (foreign.length === 0) return OWN;
  try {
    return { ...(await import("hyparquet-compressors")).compressors, ...OWN };
  } catch (error) {
    const what = `${path}: compressed with ${foreign.join(" and ")}; reading it needs`;
    throw missingPackage("hyparquet-compressors", what, error);
  }
}

function damaged(where: string, error: unknown): UsageError {
  return new UsageError(`${where}: not readable as Parquet: ${(error as Error).message}`);
}

/** A value as JSON writes it. */
function plainOf(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value as ArrayLike<unknown>, plainOf);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, plainOf(inside)]));
  return value;
}
