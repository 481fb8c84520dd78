// sluice tune: training queries → the best λ, or a given λ, saved in the index.

import { Sluice } from "../../../index.ts";
import { formatTable, readBeirQrels, readBeirQueries, type Tuning, tuneLambda } from "../../../lab/index.ts";
import { readVectors } from "../../../read/index.ts";
import { ENCODER_FLAGS, JSON_FLAG, openFromFlags, withQueryVectors } from "../../flags/flags.ts";
import type { Command, Terminal } from "../../terminal/command.ts";
import { bar, painter } from "../../terminal/format.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

const BAR_WIDTH = 40;

export const tuneCommand: Command = {
  name: "tune",
  summary: "choose the weight of the semantic part on training queries, or set it",
  operands: "DIR --beir FOLDER [--split NAME] | DIR --lambda X",
  details: [
    "Tries values of λ on the queries of a split, shows the curve, and saves the best one in the index. The test split is refused.",
    "With --lambda, saves this value.",
  ].join("\n"),
  flags: {
    lambda: { type: "string", value: "X", help: "save this weight; no queries are needed" },
    beir: { type: "string", value: "FOLDER", help: "a BEIR collection" },
    split: { type: "string", value: "NAME", default: "train", help: "train or dev" },
    metric: { type: "string", value: "NAME", default: "ndcg@10", help: "metric to maximize" },
    "max-queries": { type: "string", value: "N", help: "use only the first N queries (the paper took 100)" },
    "query-vectors": {
      type: "string",
      value: "FILE",
      help: "vectors of the queries, for an index without an encoder",
    },
    ...ENCODER_FLAGS,
    "dry-run": { type: "boolean", help: "show the curve, but save nothing" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice tune scifact --beir collections/scifact --split train --metric ndcg@10",
    "sluice tune my-index --lambda 20",
  ],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const given = args.number("lambda");
    if (given !== undefined) {
      const others = Object.keys(tuneCommand.flags).filter((name) => name !== "lambda" && name !== "json");
      args.refuseFlags(others, "with --lambda");
      const index = args.closeAtEnd(await Sluice.open(folder, { create: false }));
      await index.setLambda(given);
      await index.commit();
      const saved = { lambda: given, saved: true };
      terminal.out(args.is("json") ? `${JSON.stringify(saved)}\n` : `λ = ${given}, saved\n`);
      return;
    }
    const [beir, split, metric] = [args.text("beir"), args.text("split")!, args.text("metric")!];
    if (!beir) throw args.usageError("no queries; give --beir FOLDER, or --lambda X");
    if (split === "test")
      throw args.usageError("λ must not be tuned on test queries; give --split train or dev");
    const index = await openFromFlags(folder, args, { readOnly: args.is("dry-run") });
    const qrels = await readBeirQrels(beir, split);
    const queries = (await readBeirQueries(beir, qrels)).slice(0, args.count("max-queries"));
    const file = args.text("query-vectors");
    const progress = new ProgressLine(terminal);
    const encodeAll = () =>
      index.encodeQueries(
        queries.map(({ text }) => text),
        { onProgress: ({ done, total }) => progress.update("encoding queries", done, total) },
      );
    const asked = file
      ? withQueryVectors(queries, await readVectors(file), file)
      : (await encodeAll()).map((query, i) => ({ id: queries[i].id, query }));
    const tuning = await tuneLambda(index, asked, qrels, {
      metric,
      onProgress: progress.report,
    });
    progress.clear();
    if (!args.is("dry-run")) {
      await index.setLambda(tuning.lambda);
      await index.commit();
    }
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ metric, queries: queries.length, saved: !args.is("dry-run"), ...tuning })}\n`
        : tuningText(tuning, metric, queries.length, !args.is("dry-run"), terminal),
    );
  },
};

function tuningText(
  { curve, lambda, value }: Tuning,
  metric: string,
  queries: number,
  isSaved: boolean,
  terminal: Terminal,
) {
  const paint = painter(terminal);
  const lowest = Math.min(...curve.map((point) => point.value));
  const rows = curve.map((point) => {
    const share = value > lowest ? (point.value - lowest) / (value - lowest) : 1;
    const drawn = bar(share, BAR_WIDTH).padEnd(BAR_WIDTH);
    return [
      String(point.lambda),
      point.value.toFixed(4),
      point.lambda === lambda ? paint("green", drawn) : drawn,
    ];
  });
  return `${formatTable(["λ", metric, ""], rows)}\nλ = ${lambda}: ${metric} ${value.toFixed(4)} on ${queries} queries${isSaved ? ", saved" : ""}\n`;
}
