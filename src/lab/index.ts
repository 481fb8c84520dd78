// Research: evaluation against judgments, experiments, reports and training. The engine imports none of it.

export { readBeirCorpus, readBeirQrels, readBeirQueries } from "./eval/beir-files.ts";
export {
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  type RankingRule,
  ranking,
} from "./eval/evaluate.ts";
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
export { checkedTrainConfig, readTrainConfig, type TrainConfig } from "./train/config.ts";
export type { TrainingSource } from "./train/data/examples.ts";
export type { Distilled, DistillOptions, DistillProgress, DistillTeacher } from "./train/distill.ts";
export { ARITHMETICS, type Arithmetic, PRECISIONS, type Precision } from "./train/export/weights.ts";
export type { ExportBertOptions, ExportedBert } from "./train/export-bert.ts";
export type { ExportCheckpointOptions, ExportedCheckpoint } from "./train/export-checkpoint.ts";
export {
  distill,
  exportBert,
  exportCheckpoint,
  mine,
  openSpeaker,
  prepareTeacher,
  train,
} from "./train/lazy.ts";
export type { LoopOptions, LoopOutcome, TrainProgress } from "./train/loop.ts";
export type { Mined, MineOptions, MineProgress } from "./train/mine.ts";
export type { OpenSpeaker, Speaker, SpeakerOptions } from "./train/speaker.ts";
export type { TrainOptions, TrainOutcome } from "./train/train.ts";
