// The public API for pages: searching an export, read-only. Nothing here needs Node.

export type { Answer, Explanation, Hit, KernelOptions, SearchOptions } from "./answer.ts";
export type { QuestionEncoding } from "./ask.ts";
export { type ReaderInfo, type ReaderOptions, SluiceReader } from "./browser/reader.ts";
export { type ErrorCode, UsageError } from "./errors.ts";
export type { Filter } from "./filter.ts";
export type { IndexInfo } from "./info.ts";
export type { Fate, Query, QueryTerm } from "./query.ts";
export type { MatchedTerm, MissedTerm } from "./search/explain.ts";
export type { GpuOptions, KernelInfo, KernelName } from "./search/kernels.ts";
export type { Plan } from "./search/plan.ts";
export type { SearchStats } from "./search/request.ts";
export type { Fields } from "./store/documents.ts";
export type { ExportedFields } from "./store/web-format.ts";
