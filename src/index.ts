// The public API, whole. What is not exported here is nobody's business outside this folder.

export type { Answer, Explanation, Hit, KernelOptions, SearchOptions } from "./answer.ts";
export type { BuildOptions } from "./build.ts";
export { type Counts, tokensPerDoc } from "./densify/counts.ts";
export { type Densified, Densifier, densifyDense, type TermWeights } from "./densify/densify.ts";
export { type RevertedTerm, revert } from "./densify/revert.ts";
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
export { type Document, type DocumentFields, type ReadDocument, textOf } from "./document.ts";
export { type Description, type Role, readDescription } from "./encode/description.ts";
export { type EncodeOptions, Encoder, type EncoderOptions, type Encoding } from "./encode/encoder.ts";
export { encodeKept, type KeptEncodings, type NamedText } from "./encode/kept.ts";
export { DuplicateIdError, type ErrorCode, UsageError } from "./errors.ts";
export { readBeirCorpus, readBeirQrels, readBeirQueries } from "./eval/beir.ts";
export {
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  type RankingRule,
  ranking,
} from "./eval/evaluate.ts";
export { EXPERIMENTS, runExperiment } from "./eval/experiments/all.ts";
export type {
  Collection,
  Experiment,
  ExperimentOptions,
  Findings,
  JudgedQueries,
} from "./eval/experiments/experiment.ts";
export { type FusionMethod, fuse, fuseRuns } from "./eval/fuse.ts";
export type { Qrels, Retrieved, Run } from "./eval/judgements.ts";
export { percentiles } from "./eval/percentiles.ts";
export { pairedTTest, type TTest } from "./eval/significance.ts";
export {
  type Comparison,
  compare,
  comparisonTable,
  formatTable,
  type NamedEvaluation,
} from "./eval/table.ts";
export { type RunFormat, RunWriter, readQrels, readRun, writeQrels } from "./eval/trec.ts";
export { type TuneOptions, type Tuning, tuneLambda } from "./eval/tune.ts";
export type { FieldInfo } from "./fields.ts";
export type { Chunking } from "./files/chunk.ts";
export {
  type FieldNames,
  type ReadOptions,
  readDocuments,
} from "./files/documents.ts";
export { type Embeddings, readEmbeddings, writeEmbeddings } from "./files/embeddings.ts";
export type { Skipped } from "./files/folder.ts";
export { bytesOf, type FileOptions, FORMATS, type Format, readFiles } from "./files/formats.ts";
export { lines, type OnBytes, parseJson, readText, writeText } from "./files/lines.ts";
export { readQueries, type TextQuery } from "./files/queries.ts";
export type { ByteStream, FileSource } from "./files/source.ts";
export {
  type Condition,
  checkFilter,
  type Filter,
  type Operators,
  type Order,
  type Scalar,
} from "./filter.ts";
export type { IndexInfo, SegmentInfo } from "./info.ts";
export { FLOAT16, roundToFloat16, toFloat16 } from "./kernel/float16.ts";
export type { Kernel } from "./kernel/kernel.ts";
export type { CodeShape } from "./kernel/pq.ts";
export { type QueryRow, type Row, type Rows, RowsBuilder, rowAt } from "./kernel/rows.ts";
export { scalar } from "./kernel/scalar.ts";
export { type Selected, type Selection, type SemanticSelection, select, weigh } from "./kernel/select.ts";
export { type Bag, type BagFormat, count } from "./lexical/bag.ts";
export { BM25_DEFAULTS, type Bm25Parameters, idf, type Statistics, termPart } from "./lexical/bm25.ts";
export { readTopics, type Topic } from "./lexical/topics.ts";
export { type DocumentVector, readVectors } from "./lexical/vectors.ts";
export { readWeighted } from "./lexical/weighted.ts";
export type { EncodedQuery, Fate, Query, QueryTerm } from "./query.ts";
export { type ExplanationOptions, explanationHtml } from "./report/explain-html.ts";
export { reportHtml } from "./report/html.ts";
export { reportMarkdown } from "./report/markdown.ts";
export { type PlotLook, plotSvg } from "./report/plot.ts";
export type { Axis, Point, Report, ReportPlot, ReportTable, Series } from "./report/report.ts";
export type { ScanCounts } from "./scan/scan-counts.ts";
export type { MatchedTerm, MissedTerm } from "./search/explain.ts";
export { type GpuOptions, KERNELS, type KernelInfo, type KernelName } from "./search/kernels.ts";
export type { Plan } from "./search/plan.ts";
export type { SearchStats } from "./search/request.ts";
export { topK } from "./search/topk.ts";
export type { PlannedQuery, PlannedTerm, SelectedDims } from "./selected.ts";
export { type AddOptions, type Highlights, type OpenOptions, Sluice } from "./sluice.ts";
export type { Fields } from "./store/documents.ts";
export type { OnProgress, Progress } from "./store/progress.ts";
export type { Verification } from "./store/verify.ts";
export type { Exported, ExportOptions } from "./store/web-export.ts";
export type { ExportedFields } from "./store/web-format.ts";
export { type Analyzer, whitespace } from "./text/analyzer.ts";
export { english } from "./text/english.ts";
export { highlight, type Range } from "./text/highlight.ts";
export { WordPiece, type WordPieceOptions } from "./text/wordpiece.ts";
export { checkedTrainConfig, readTrainConfig, type TrainConfig } from "./train/config.ts";
export type { TrainingSource } from "./train/data/examples.ts";
export type { Distilled, DistillOptions, DistillProgress, DistillTeacher } from "./train/distill.ts";
export { PRECISIONS, type Precision } from "./train/export/weights.ts";
export type { ExportCheckpointOptions, ExportedCheckpoint } from "./train/export-checkpoint.ts";
export { distill, exportCheckpoint, mine, openSpeaker, prepareTeacher, train } from "./train/lazy.ts";
export type { LoopOptions, LoopOutcome, TrainProgress } from "./train/loop.ts";
export type { Mined, MineOptions, MineProgress } from "./train/mine.ts";
export type { OpenSpeaker, Speaker, SpeakerOptions } from "./train/speaker.ts";
export type { TrainOptions, TrainOutcome } from "./train/train.ts";
