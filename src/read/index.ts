// sluice/read: files → documents, queries and vectors.

export type { FileDocument } from "../documents/document.ts";
export type { PassageSize } from "../passages/cut-blocks.ts";
export type { PassageOptions } from "../passages/cut-passages.ts";
export type { PassageOrigin } from "../passages/passage.ts";
export type { ByteStream, FileSource } from "../support/files/source.ts";
export type { OnBytes } from "../support/files/text-file.ts";
export type { Skipped } from "./folder.ts";
export { type FileOptions, type Format, readFiles } from "./formats.ts";
export { readQueries, type TextQuery } from "./queries.ts";
export { readVectors, type VectorsById, writeVectors } from "./weights/vector-files.ts";
