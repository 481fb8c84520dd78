// sluice/browser, the public API for web pages: opens an export and searches it, read-only. Nothing here needs Node.

export type { Fields } from "../documents/document.ts";
export type { ExportedFields } from "../documents/field-choice.ts";
export type { Filter, Operators, Scalar } from "../documents/filter.ts";
export { type ErrorCode, UsageError } from "../errors.ts";
export type { Plan } from "../query/plan.ts";
export type { Fate, Query, QueryTerm } from "../query/query.ts";
export type { QueryEncoding } from "../query/query-encoder.ts";
export type { Answer, Hit } from "../rank/answer.ts";
export type { Explanation, MatchedTerm, MissedTerm } from "../rank/explain.ts";
export type { SearchStats } from "../rank/ranking.ts";
export type { KernelOptions, SearchOptions } from "../rank/search-options.ts";
export type { GpuOptions, KernelInfo, KernelName } from "../scan/kernel-options.ts";
export type { ScanCounts } from "../scan/scan-counts.ts";
export type { IndexInfo } from "../store/info.ts";
export { type ReaderInfo, type ReaderOptions, SluiceReader } from "./reader.ts";
