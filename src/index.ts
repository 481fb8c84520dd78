// The public API, whole. What is not exported here is nobody's business outside this folder.

export { type Analyzer, whitespace } from "./analyze/analyzer.ts";
export { english } from "./analyze/english.ts";
export { highlight, type Range } from "./analyze/highlight.ts";
export { WordPiece, type WordPieceOptions } from "./analyze/wordpiece.ts";
export { type Counts, tokensPerDoc } from "./densify/counts.ts";
export { type Densified, Densifier, densifyDense } from "./densify/densify.ts";
export { type RevertedTerm, revert } from "./densify/revert.ts";
export { type QueryRow, type Row, type Rows, RowsBuilder, rowAt } from "./densify/rows.ts";
export {
  isExtendable,
  type Settings,
  Slicing,
  type SlicingOptions,
  STRATEGIES,
  type Strategy,
} from "./densify/slicing.ts";
export { spread } from "./densify/spread.ts";
export { Vocabulary } from "./densify/vocabulary.ts";
export type { Fields } from "./documents/document.ts";
export { type Document, type DocumentFields, type ReadDocument, textOf } from "./documents/document.ts";
export type { ExportedFields } from "./documents/field-choice.ts";
export {
  type Condition,
  checkFilter,
  type Filter,
  type Operators,
  type Order,
  type Scalar,
} from "./documents/filter.ts";
export { CrossEncoder, type CrossEncoderOptions } from "./encode/cross-encoder.ts";
export { type Description, type Role, readDescription } from "./encode/description.ts";
export { type EncodeOptions, Encoder, type EncoderOptions, type Encoding } from "./encode/encoder.ts";
export { encodeKept, type KeptEncodings, type NamedText } from "./encode/kept.ts";
export { DuplicateIdError, type ErrorCode, UsageError } from "./errors.ts";
export { readBeirCorpus, readBeirQrels, readBeirQueries } from "./lab/eval/beir-files.ts";
export {
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  type RankingRule,
  ranking,
} from "./lab/eval/evaluate.ts";
export { type FusionMethod, fuse, fuseRuns } from "./lab/eval/fuse.ts";
export type { Qrels, Retrieved, Run } from "./lab/eval/judgements.ts";
export { percentiles } from "./lab/eval/percentiles.ts";
export { pairedTTest, type TTest } from "./lab/eval/significance.ts";
export {
  type Comparison,
  compare,
  comparisonTable,
  formatTable,
  type NamedEvaluation,
} from "./lab/eval/table.ts";
export { type RunFormat, RunWriter, readQrels, readRun, writeQrels } from "./lab/eval/trec.ts";
export { type TuneOptions, type Tuning, tuneLambda } from "./lab/eval/tune.ts";
export { EXPERIMENTS, runExperiment } from "./lab/experiments/all.ts";
export type {
  Collection,
  Experiment,
  ExperimentOptions,
  Findings,
  JudgedQueries,
} from "./lab/experiments/experiment.ts";
export { type ExplanationOptions, explanationHtml } from "./lab/report/explain-html.ts";
export { reportHtml } from "./lab/report/html.ts";
export { reportMarkdown } from "./lab/report/markdown-report.ts";
export { type PlotLook, plotSvg } from "./lab/report/plot.ts";
export type { Axis, Point, Report, ReportPlot, ReportTable, Series } from "./lab/report/report.ts";
export { checkedTrainConfig, readTrainConfig, type TrainConfig } from "./lab/train/config.ts";
export type { TrainingSource } from "./lab/train/data/examples.ts";
export type { Distilled, DistillOptions, DistillProgress, DistillTeacher } from "./lab/train/distill.ts";
export { ARITHMETICS, type Arithmetic, PRECISIONS, type Precision } from "./lab/train/export/weights.ts";
export type { ExportBertOptions, ExportedBert } from "./lab/train/export-bert.ts";
export type { ExportCheckpointOptions, ExportedCheckpoint } from "./lab/train/export-checkpoint.ts";
export {
  distill,
  exportBert,
  exportCheckpoint,
  mine,
  openSpeaker,
  prepareTeacher,
  train,
} from "./lab/train/lazy.ts";
export type { LoopOptions, LoopOutcome, TrainProgress } from "./lab/train/loop.ts";
export type { Mined, MineOptions, MineProgress } from "./lab/train/mine.ts";
export type { OpenSpeaker, Speaker, SpeakerOptions } from "./lab/train/speaker.ts";
export type { TrainOptions, TrainOutcome } from "./lab/train/train.ts";
export type { Plan } from "./query/plan.ts";
export type { PlannedQuery, PlannedTerm, SelectedDims } from "./query/planned-query.ts";
export type { EncodedQuery, Fate, Query, QueryTerm } from "./query/query.ts";
export { type Selected, type Selection, type SemanticSelection, select, weigh } from "./query/select.ts";
export type { Answer, Explanation, Hit, KernelOptions, SearchOptions } from "./rank/answer.ts";
export type { MatchedTerm, MissedTerm } from "./rank/explain.ts";
export type { Kernel } from "./rank/kernel.ts";
export { type GpuOptions, KERNELS, type KernelInfo, type KernelName } from "./rank/kernel-options.ts";
export type { SearchStats } from "./rank/request.ts";
export type {
  PairScorer,
  RerankedSearchOptions,
  RerankOptions,
} from "./rank/rerank.ts";
export type { RerankPart, RerankStats } from "./rank/rerank-parts.ts";
export { scalar } from "./rank/scalar.ts";
export type { Chunking } from "./read/chunk.ts";
export { type Embeddings, readEmbeddings, writeEmbeddings } from "./read/embeddings.ts";
export type { Skipped } from "./read/folder.ts";
export { bytesOf, type FileOptions, FORMATS, type Format, readFiles } from "./read/formats.ts";
export {
  type FieldNames,
  type ReadOptions,
  readDocuments,
} from "./read/line-documents.ts";
export { lines, type OnBytes, parseJson, readText, writeText } from "./read/lines.ts";
export { readQueries, type TextQuery } from "./read/queries.ts";
export type { ByteStream, FileSource } from "./read/source.ts";
export type { ScanCounts } from "./scan/scan-counts.ts";
export type { CodeShape } from "./segment/code-shape.ts";
export { type AddOptions, type Highlights, type OpenOptions, Sluice } from "./sluice.ts";
export type { FieldInfo } from "./store/fields.ts";
export type { BuildOptions } from "./store/index-options.ts";
export type { IndexInfo, SegmentInfo } from "./store/info.ts";
export type { Verification } from "./store/verify.ts";
export type { Exported, ExportOptions } from "./store/web-export.ts";
export { FLOAT16, roundToFloat16, toFloat16 } from "./support/float16.ts";
export type { OnProgress, Progress } from "./support/progress.ts";
export { topK } from "./support/topk.ts";
export { type Bag, type BagFormat, count } from "./weigh/bag.ts";
export { BM25_DEFAULTS, type Bm25Parameters, idf, type Statistics, termPart } from "./weigh/bm25.ts";
export { type DocumentVector, readVectors } from "./weigh/json-vectors.ts";
export type { TermWeights } from "./weigh/term-weights.ts";
export { readWeighted } from "./weigh/weighted-files.ts";
export { readTopics, type Topic } from "./weigh/weighted-queries.ts";
