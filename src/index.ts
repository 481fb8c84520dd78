// The public API: the index, what goes into it and what comes out. test/house/api.test.ts limits how many names there are. Every
// type in a signature of `Sluice` is here. `sluice/search` has the parts of these types. Stages of their own are `sluice/read`,
// `sluice/analyze`, `sluice/encode` and `sluice/densify`, and research is `sluice/lab`.

export type { Slicing } from "./densify/slicing.ts";
export type { Boost } from "./documents/boost.ts";
export type { Document, DocumentFields, Fields } from "./documents/document.ts";
export type { Filter } from "./documents/filter.ts";
export type { AddOptions } from "./ingest/options/add-options.ts";
export type { DeleteOptions } from "./ingest/options/delete-options.ts";
export type { ChangeResult } from "./open/change-results.ts";
export type { BuildOptions, ClusterOptions, OpenOptions } from "./open/open-options.ts";
export type { Query, QueryTerm } from "./query/ask/query.ts";
export type { Plan } from "./query/plan/plan.ts";
export type { Explanation } from "./rank/explain.ts";
export type { RepairOptions, RepairResult } from "./repair/repair-options.ts";
export type { KernelInfo } from "./scan/contract/kernel-options.ts";
export type { QueryExplanation } from "./search/explain/explain-query.ts";
export type { Answer, Hit } from "./search/hits/answer.ts";
export type { Highlights } from "./search/hits/highlights.ts";
export type { DocumentList } from "./search/list/list-documents.ts";
export type { ExplainOptions, ExplainQueryOptions } from "./search/options/explain-options.ts";
export type { ListOptions } from "./search/options/list-options.ts";
export type { SearchOptions } from "./search/options/search-options.ts";
export type { SuggestOptions } from "./search/options/suggest-options.ts";
export type { Searchable } from "./search/searchable.ts";
export type { Suggestion } from "./search/suggest/suggest.ts";
export { Sluice } from "./sluice.ts";
export type { BackupResult, CopyResult } from "./store/backup/backup.ts";
export type { FieldInfo } from "./store/snapshot/fields.ts";
export type { IndexInfo } from "./store/snapshot/index-info.ts";
export type { VerifyResult } from "./store/verify/verify.ts";
export type { ExportOptions, ExportResult } from "./store/web/web-export.ts";
export { type ErrorCode, SluiceError } from "./support/errors/sluice-error.ts";
export type { OnProgress, Progress } from "./support/options/progress.ts";
export type { SaveOptions } from "./support/options/save-options.ts";
export type { WorkOptions } from "./support/options/work-options.ts";
