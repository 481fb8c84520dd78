// sluice eval: a run and judgments → metrics, and whether two runs differ.

import { basename } from "node:path";
import {
  compare,
  comparisonTable,
  evaluate,
  formatTable,
  type NamedEvaluation,
  readBeirQrels,
  readQrels,
  readRun,
} from "../../../lab/index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Arguments, Command, Terminal } from "../../terminal/command.ts";
import { formatCount } from "../../terminal/format.ts";

const RULES = ["trec", "trec-float32", "stable", "written"] as const;

export const evalCommand: Command = {
  name: "eval",
  summary: "measure a run against judgments, and compare runs",
  operands: "RUN (--beir FOLDER [--split NAME] | --qrels FILE)",
  details: [
    "Metrics: ndcg@k, recall@k, mrr@k, rcap@k (capped recall), map, precision@k, success@k, by trec_eval's rules.",
    "Judged queries that are not in the run count as 0 (trec_eval -c). With --against, RUN is the baseline, and a dagger",
    "marks a significant difference from it (paired t-test, p < 0.05).",
  ].join("\n"),
  flags: {
    beir: { type: "string", value: "FOLDER", help: "a BEIR collection: reads qrels/SPLIT.tsv" },
    split: {
      type: "string",
      value: "NAME",
      default: "test",
      help: "which judgments of the BEIR collection",
    },
    qrels: { type: "string", value: "FILE", help: "judgments: qid 0 docid grade" },
    metrics: {
      type: "string",
      value: "LIST",
      default: "ndcg@10,recall@100,mrr@10,map",
      help: "metrics to compute",
    },
    against: {
      type: "string",
      value: "RUN",
      multiple: true,
      help: "another run to compare; may be repeated",
    },
    rule: {
      type: "string",
      value: "NAME",
      default: "trec",
      choices: RULES,
      help: "order of equal scores: trec, trec-float32, stable or written",
    },
    "skip-missing": { type: "boolean", help: "average over the queries of the run only" },
    "exclude-self": { type: "boolean", help: "leave out documents with the query's id" },
    "per-query": { type: "boolean", help: "print every query" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice eval scifact.trec --beir collections/scifact --split test",
    "sluice eval full.trec --against dims128.trec --qrels qrels.txt --metrics ndcg@10,mrr@10 --json",
  ],

  async run(args, terminal) {
    const [path] = args.exactly("RUN");
    const qrels = await readJudgmentsFromFlags(args);
    const metrics = args
      .text("metrics")!
      .split(",")
      .map((name) => name.trim());
    const options = {
      rule: args.oneOf("rule", RULES),
      missing: args.is("skip-missing") ? ("skip" as const) : ("zero" as const),
      excludeSelf: args.is("exclude-self"),
    };
    const runs: NamedEvaluation[] = [];
    for (const file of [path, ...args.texts("against")]) {
      const evaluation = evaluate(await readRun(file), qrels, metrics, options);
      runs.push({ name: basename(file), evaluation });
    }
    if (args.is("json")) terminal.out(`${JSON.stringify(toJsonRuns(runs, args.is("per-query")))}\n`);
    else print(runs, qrels.size, args, terminal);
  },
};

async function readJudgmentsFromFlags(args: Arguments) {
  const [beir, file] = [args.text("beir"), args.text("qrels")];
  if ((beir === undefined) === (file === undefined))
    throw args.usageError("give either --beir FOLDER or --qrels FILE");
  return beir ? readBeirQrels(beir, args.text("split")) : readQrels(file!);
}

function toJsonRuns(runs: readonly NamedEvaluation[], isPerQuery: boolean) {
  const [baseline] = runs;
  return runs.map(({ name, evaluation }) => ({
    name,
    means: Object.fromEntries(evaluation.means),
    missing: evaluation.missing,
    unjudged: evaluation.unjudged,
    ...(evaluation !== baseline.evaluation && { against: compare(baseline.evaluation, evaluation) }),
    ...(isPerQuery && {
      perQuery: Object.fromEntries(
        [...evaluation.perQuery].map(([metric, values]) => [metric, Object.fromEntries(values)]),
      ),
    }),
  }));
}

function print(runs: readonly NamedEvaluation[], judged: number, args: Arguments, terminal: Terminal): void {
  if (args.is("per-query")) {
    for (const { name, evaluation } of runs) {
      const metrics = [...evaluation.perQuery.keys()];
      const queries = new Set([...evaluation.perQuery.values()].flatMap((values) => [...values.keys()]));
      const cell = (metric: string, query: string) =>
        evaluation.perQuery.get(metric)!.get(query)?.toFixed(4) ?? "–";
      const rows = [...queries].map((query) => [query, ...metrics.map((metric) => cell(metric, query))]);
      terminal.out(`${formatTable([name, ...metrics], rows)}\n\n`);
    }
  }
  terminal.out(`${comparisonTable(runs)}\n`);
  for (const { name, evaluation } of runs) {
    const { missing, unjudged } = evaluation;
    if (missing === 0 && unjudged === 0) continue;
    terminal.out(
      `${name}: ${formatCount(missing)} of ${formatCount(judged)} judged queries are not in the run` +
        `${args.is("skip-missing") ? " and were skipped" : " and count as 0"}` +
        `${unjudged > 0 ? `; ${formatCount(unjudged)} queries of the run have no judgments` : ""}\n`,
    );
  }
}
