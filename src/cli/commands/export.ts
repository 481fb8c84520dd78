// sluice export: a checkpoint → the folder of an encoder.

import { exportCheckpoint, PRECISIONS } from "../../lab/index.ts";
import type { Command } from "../command.ts";
import { JSON_FLAG } from "../flags.ts";
import { bytesText, withCommas } from "../format.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "turn a trained model into an encoder",
  operands: "CHECKPOINT DIR",
  details: [
    "CHECKPOINT is a file in the checkpoints/ of a training run, or the folder of the run, which means the newest one.",
    "DIR gets model.onnx, tokenizer.json and sluice.json; give it as --encoder. float16 is half the size of float32, int8",
    "a quarter. The effect on scores is measured and printed.",
  ].join("\n"),
  flags: {
    weights: { type: "string", value: "TYPE", default: "float32", help: PRECISIONS.join(", ") },
    "query-length": { type: "string", value: "N", help: "most tokens of a query (as trained)" },
    "passage-length": { type: "string", value: "N", help: "most tokens of a passage (as trained)" },
    least: { type: "string", value: "X", help: "drop term weights up to X (those that are 0 in float16)" },
    lambda: {
      type: "string",
      value: "X",
      help: "weight of the semantic part, multiplied into the vectors (1)",
    },
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
            `scores differ from float32 by ${lost.mean.toPrecision(2)} on average and ${lost.largest.toPrecision(2)} at ` +
            `most; the mean score is ${lost.score.toPrecision(3)}\n`,
    );
  },
};
