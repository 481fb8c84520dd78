// The public API. Research is in `sluice/lab`, rows and slicing in `sluice/densify`. test/api.test.ts limits how many names
// there are.

export { type Analyzer, whitespace } from "./analyze/analyzer.ts";
export { english } from "./analyze/english.ts";
export { WordPiece } from "./analyze/wordpiece.ts";
export type { Document, DocumentFields, Fields, ReadDocument } from "./documents/document.ts";
export type { Filter } from "./documents/filter.ts";
export { type EncodeOptions, Encoder, type EncoderOptions, type Encoding } from "./encode/encoder.ts";
export { type ErrorCode, UsageError } from "./errors.ts";
export type { OpenOptions } from "./open/open-options.ts";
export type { QueryExplanation } from "./query/explain-query.ts";
export type { Highlights } from "./query/highlights.ts";
export type { Plan } from "./query/plan.ts";
export type { Query, QueryTerm } from "./query/query.ts";
export type { Answer, Hit } from "./rank/answer.ts";
export type { ExplainOptions, Explanation } from "./rank/explain.ts";
export type { SearchStats } from "./rank/ranking.ts";
export type { KernelOptions, SearchOptions } from "./rank/search-options.ts";
export { type FileOptions, readFiles } from "./read/formats.ts";
export { readQueries } from "./read/queries.ts";
export { readVectors } from "./read/vector-files.ts";
export type { GpuOptions, KernelInfo } from "./scan/kernel-options.ts";
export { Sluice } from "./sluice.ts";
export type { FieldInfo } from "./store/fields.ts";
export type { BuildOptions } from "./store/index-options.ts";
export type { IndexInfo } from "./store/info.ts";
export type { Verification } from "./store/verify/verify.ts";
export type { Exported, ExportOptions } from "./store/web/web-export.ts";
export type { AddOptions } from "./store/write/add-documents.ts";
export type { OnProgress, Progress } from "./support/progress.ts";
export type { WorkOptions } from "./support/work-options.ts";
