// sluice/search, types alone: the parts of the options and answers of an index, such as `Facet` or `SortOptions`. `sluice` has the
// options and answers themselves, so no type is at both entries. `sluice/browser` has all of them, since a page needs no `sluice`.

export type { TextRange } from "../analyze/highlight.ts";
export type { Bag } from "../documents/bag.ts";
export type { BoostPart, Decay } from "../documents/boost.ts";
export type { FieldName, FilterField, Operators, Scalar } from "../documents/filter.ts";
export type { FieldWeights, KnownFieldWeights } from "../documents/text-fields.ts";
export type { Clause, Demands, Phrase, PreferredPhrase, WordsClause } from "../query/ask/clause.ts";
export type { Notice, NoticeCode } from "../query/ask/notice.ts";
export type { Fate, QueryParts } from "../query/ask/query.ts";
export type { CandidateOptions, PlanName, PruningOptions } from "../query/plan/plan.ts";
export type { SemanticSelection } from "../query/plan/select-dimensions.ts";
export type { Synonyms } from "../query/words/synonyms.ts";
export type { TypoOptions } from "../query/words/word-options.ts";
export type { MatchedTerm, MissedTerm, PhrasePart, TermInField } from "../rank/explain.ts";
export type { GpuOptions, KernelName, KernelOptions } from "../scan/contract/kernel-options.ts";
export type { ScanCounts } from "../scan/contract/scan-counts.ts";
export type { CodeShape } from "../segment/codes/code-shape.ts";
export type { SegmentInfo } from "../store/snapshot/index-info.ts";
export type { ExportedFields } from "../store/web/exported-fields.ts";
export type { ProgressTask } from "../support/options/progress.ts";
export type { Bm25Parameters } from "../weigh/bm25.ts";
export type { TermFactors } from "../weigh/term-factors.ts";
export type { CountedRange, Facet, FacetValue, RangeFacet, ValueFacet } from "./count/facets.ts";
export type { ExplainedTerm, SelectedDims } from "./explain/explain-query.ts";
export type { RerankPart, RerankStats, SearchStats } from "./hits/answer.ts";
export type { Snippet } from "./hits/snippets.ts";
export type { ListedDocument } from "./list/list-documents.ts";
export type { ReturnedField, SnippetOptions, SortName, SortOptions } from "./options/answer-options.ts";
export type { FacetRange, FacetRequest } from "./options/facet-options.ts";
export type { PassagesOptions } from "./options/list-options.ts";
export type { PairScorer, RerankOptions } from "./options/rerank-options.ts";
