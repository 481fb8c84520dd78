// sluice/browser, the public API for web pages: opens an export and searches it, read-only. Nothing here needs Node.

export type { Fields } from "../documents/document.ts";
export type { QueryEncoding } from "../query/prepare/query-preparer.ts";
export type * from "../search/index.ts";
export type { FieldInfo } from "../store/snapshot/fields.ts";
export type { IndexInfo } from "../store/snapshot/index-info.ts";
export { type ErrorCode, UsageError } from "../support/errors/usage-error.ts";
export type { OnProgress, Progress } from "../support/options/progress.ts";
export type { WorkOptions } from "../support/options/work-options.ts";
export { type ReaderInfo, type ReaderOptions, SluiceReader } from "./reader.ts";
