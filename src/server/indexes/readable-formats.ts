// The formats of files that can be read here, with the endings of their names. Parquet needs a package that may be missing.

import { ENDINGS, FORMATS, type Format } from "../../read/formats.ts";

interface ReadableFormat {
  readonly format: Format;
  /** Of plain files. After each, .gz may follow. */
  readonly endings: readonly string[];
}

export async function listReadableFormats(): Promise<ReadableFormat[]> {
  const hasParquet = await import("hyparquet").then(
    () => true,
    () => false,
  );
  return FORMATS.filter((format) => format !== "parquet" || hasParquet).map((format) => ({
    format,
    endings: ENDINGS[format],
  }));
}
