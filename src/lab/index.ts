// sluice/lab: evaluation against judgments, experiments, reports, training, and a look at rows and scores. The engine imports
// none of it.

export { CrossEncoder, type CrossEncoderOptions } from "../encode/cross-encoder.ts";
export { type EncoderDescription, type Role, readDescription } from "../encode/description.ts";
export { encodeKept, type KeptEncodings, type NamedText } from "../encode/kept.ts";
export type { PairScorer, RerankedSearchOptions, RerankOptions } from "../rank/rerank.ts";
export type { ReadOptions } from "../read/line-documents.ts";
export type { TextQuery } from "../read/queries.ts";
export { type VectorsById, writeVectors } from "../read/vector-files.ts";
export type { Bag, BagFormat } from "../weigh/bag.ts";
export { readTermWeights, type WeightedText } from "../weigh/term-weight-files.ts";
export { readWeighted } from "../weigh/weighted-files.ts";
export { readTopics, type Topic } from "../weigh/weighted-queries.ts";
export { queryOf, revertDocument, scoreParts } from "./document-rows.ts";
export { readBeirCorpus, readBeirQrels, readBeirQueries } from "./eval/beir-files.ts";
export {
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  type RankingRule,
  ranking,
} from "./eval/evaluate.ts";
export { type FusionMethod, fuse, fuseRuns } from "./eval/fuse.ts";
export type { Qrels, Retrieved, Run } from "./eval/judgments.ts";
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
export { EXPERIMENTS, runExperiment } from "./experiments/all.ts";
export type {
  Collection,
  Experiment,
  ExperimentOptions,
  Findings,
  JudgedQueries,
} from "./experiments/experiment.ts";
export { type ExplanationOptions, explanationHtml } from "./report/explain-html.ts";
export { reportHtml } from "./report/html.ts";
export { reportMarkdown } from "./report/markdown-report.ts";
export { type PlotLook, plotSvg } from "./report/plot.ts";
export type { Axis, Point, Report, ReportPlot, ReportTable, Series } from "./report/report.ts";
export type { AnyEncoder, AnyEncoderOptions, OpenedEncoder } from "./train/any-encoder.ts";
export type { TrainConfig } from "./train/config.ts";
export type { TrainingSource } from "./train/data/examples.ts";
export type { Distilled, DistillOptions, DistillProgress, DistillTeacher } from "./train/distill.ts";
export { ARITHMETICS, type Arithmetic, PRECISIONS, type Precision } from "./train/export/weights.ts";
export type { ExportBertOptions, ExportedBert } from "./train/export-bert.ts";
export type { ExportCheckpointOptions, ExportedCheckpoint } from "./train/export-checkpoint.ts";
export {
  checkedTrainConfig,
  distill,
  exportBert,
  exportCheckpoint,
  mine,
  openAnyEncoder,
  prepareTeacher,
  readTrainConfig,
  train,
  trainStatic,
} from "./train/lazy.ts";
export type { LoopOptions, LoopOutcome, TrainProgress } from "./train/loop.ts";
export type { Mined, MineOptions, MineProgress } from "./train/mine.ts";
export { isStaticConfig, readStaticConfig, type StaticConfig } from "./train/static/static-config.ts";
export type { StaticOutcome, StaticTrainOptions } from "./train/static/train-static.ts";
export type { TrainOptions, TrainOutcome } from "./train/train.ts";
