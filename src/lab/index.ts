// sluice/lab: evaluation against judgments, experiments, reports, training, and a look at rows and scores. The engine imports
// none of it.

export type { BagFormat } from "../documents/bag.ts";
export type { ReadOptions } from "../read/stream/line-documents.ts";
export { readTermWeights, type WeightedText } from "../read/weights/term-weight-files.ts";
export { readWeighted } from "../read/weights/weighted-files.ts";
export { readTopics, type Topic } from "../read/weights/weighted-queries.ts";
export { type ExplanationOptions, explanationHtml } from "../report/explain-html.ts";
export { formatTable } from "../report/format-table.ts";
export { reportHtml } from "../report/html.ts";
export { reportMarkdown } from "../report/markdown-report.ts";
export { type PlotLook, plotSvg } from "../report/plot.ts";
export type { Axis, Point, Report, ReportPlot, ReportTable, Series } from "../report/report.ts";
export { readBeirCorpus, readBeirQrels, readBeirQueries } from "./eval/beir-files.ts";
export { queryOf, revertDocument, scoreParts } from "./eval/document-rows.ts";
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
export type { TrainingSource } from "./train/data/examples.ts";
export type { Distilled, DistillOptions, DistillTeacher } from "./train/distill.ts";
export type { ExportBertOptions, ExportedBert } from "./train/export/export-bert.ts";
export type { ExportCheckpointOptions, ExportedCheckpoint } from "./train/export/export-checkpoint.ts";
export { ARITHMETICS, type Arithmetic, PRECISIONS, type Precision } from "./train/export/weights.ts";
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
export type { LoopOptions, LoopOutcome, TrainStep } from "./train/loop.ts";
export type { AnyEncoder, AnyEncoderOptions, OpenedEncoder } from "./train/measure/any-encoder.ts";
export type { Mined, MineOptions } from "./train/mine.ts";
export type { Rates } from "./train/model/settings.ts";
export type { TrainConfig } from "./train/run/config.ts";
export type { StepEntry } from "./train/run/run-log.ts";
export { isStaticConfig, readStaticConfig, type StaticConfig } from "./train/static/static-config.ts";
export type { StaticOutcome, StaticTrainOptions } from "./train/static/train-static.ts";
export type { TrainOptions, TrainOutcome } from "./train/train.ts";
