// sluice export: a checkpoint → an encoder's folder.

import { exportCheckpoint, PRECISIONS } from "../../index.ts";
import type { Command } from "../command.ts";
import { JSON_FLAG } from "../flags.ts";
import { bytesText, withCommas } from "../format.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "make an encoder of a trained model",
  operands: "CHECKPOINT DIR",
  details: [
    "CHECKPOINT is a file of a training run's checkpoints/, or the run's folder: then the newest. DIR gets model.onnx,",
    "tokenizer.json and sluice.json, and can be given as --encoder. float16 is half as large as float32, int8 a",
    "quarter; what that does to scores is measured and told.",
  ].join("\n"),
  flags: {
    weights: { type: "string", value: "TYPE", default: "float32", help: PRECISIONS.join(", ") },
    "query-length": { type: "string", value: "N", help: "tokens of the longest query (as trained)" },
    "passage-length": { type: "string", value: "N", help: "tokens of the longest passage (as trained)" },
    least: { type: "string", value: "X", help: "drop weights of words up to X (what vanishes in float16)" },
    lambda: { type: "string", value: "X", help: "weight of the semantic part, put into its vectors (1)" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice export runs/delade-cls my-encoder",
    "sluice export runs/delade-cls/checkpoints/step-0002000.safetensors my-encoder --weights int8 --passage-length 256",
  ],

  async run(args, terminal) {
    const [path, folder] = args.exactly("CHECKPOINT", "DIR");
    const [query, passage] = [args.count("query-length"), args.count("passage-length")];
    const [least, lambda] = [args.number("least"), args.number("lambda")];
    const exported = await exportCheckpoint(path, folder, {
      weights: args.oneOf("weights", PRECISIONS)!,
      maxLength: { ...(query !== undefined && { query }), ...(passage !== undefined && { passage }) },
      ...(least !== undefined && { least }),
      ...(lambda !== undefined && { lambda }),
    });
    const { bytes, lost, checkpoint, step } = exported;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder, ...exported })}\n`
        : `${folder}: ${bytesText(bytes)}, from step ${withCommas(step)} (${checkpoint})\n` +
            `scores differ from float32 by ${lost.mean.toPrecision(2)} on average, ${lost.largest.toPrecision(2)} at ` +
            `most; their mean size is ${lost.score.toPrecision(3)}\n`,
    );
  },
};
