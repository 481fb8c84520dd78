// sluice/read: files → documents, queries and vectors.

export type { ReadDocument } from "../documents/document.ts";
export type { Skipped } from "./folder.ts";
export { type FileOptions, type Format, readFiles } from "./formats.ts";
export type { Chunking } from "./prose/chunk.ts";
export type { PassageOptions } from "./prose/passages.ts";
export { readQueries, type TextQuery } from "./queries.ts";
export type { OnBytes } from "./stream/lines.ts";
export type { ByteStream, FileSource } from "./stream/source.ts";
export { readVectors, type VectorsById, writeVectors } from "./weights/vector-files.ts";
