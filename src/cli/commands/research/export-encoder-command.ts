// sluice export-encoder: a checkpoint, or a model that was trained elsewhere → the folder of an encoder.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ARITHMETICS, exportBert, exportCheckpoint, PRECISIONS } from "../../../lab/index.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Arguments, Command } from "../../terminal/command.ts";
import { bytesText, formatCount } from "../../terminal/format.ts";

/** Flags for models that were trained elsewhere. A training run knows these things. */
const MODEL_FLAGS = ["pooling", "prefix-query", "prefix-passage", "heads"];

export const exportEncoderCommand: Command = {
  name: "export-encoder",
  summary: "turn a trained model into an encoder",
  operands: "MODEL FOLDER",
  details: [
    "MODEL is a training run: its folder, which means the newest checkpoint, or a file in its checkpoints/. Or it is a",
    "BERT-like sentence encoder that was trained elsewhere: a folder with tokenizer.json and model.safetensors or",
    "model.onnx, or a .zip, .jar or .whl file with one such model. Nothing is downloaded. If model.safetensors also has",
    "anchored.mix.0, anchored.mix.2, anchored.passage and anchored.query, it becomes an anchored encoder.",
    "",
    "FOLDER gets model.onnx, tokenizer.json and sluice.json; give it as --encoder. With --compute int8 an encoder is two to",
    "three times as fast, and its model a quarter of the size. Without it, float16 is half the size of float32, and int8",
    "a quarter. The effect on scores is measured and printed.",
  ].join("\n"),
  flags: {
    weights: {
      type: "string",
      value: "TYPE",
      help: `${PRECISIONS.join(", ")} (float32; int8 with --compute int8)`,
    },
    compute: { type: "string", value: "TYPE", default: "float32", help: ARITHMETICS.join(", ") },
    "query-length": {
      type: "string",
      value: "N",
      help: "most tokens of a query; as trained by default, else 64",
    },
    "passage-length": {
      type: "string",
      value: "N",
      help: "most tokens of a passage; as trained by default, else 256",
    },
    pooling: {
      type: "string",
      value: "NAME",
      help: "of a model trained elsewhere: mean or cls (as its files say); none: no vector",
    },
    "prefix-query": {
      type: "string",
      value: "TEXT",
      help: "of a model trained elsewhere: text before every query",
    },
    "prefix-passage": { type: "string", value: "TEXT", help: "the same for passages" },
    heads: { type: "string", value: "N", help: "attention heads, if no file of the model says how many" },
    least: {
      type: "string",
      value: "X",
      help: "drop term weights up to X; by default those that are 0 in float16",
    },
    lambda: {
      type: "string",
      value: "X",
      help: "weight of the semantic part, multiplied into the vectors; 1 by default",
    },
    overwrite: { type: "boolean", help: "replace the encoder in FOLDER" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice export-encoder runs/delade-cls my-encoder",
    "sluice export-encoder runs/delade-cls/checkpoints/step-0002000.safetensors my-encoder --weights int8 --passage-length 256",
    "sluice export-encoder all-MiniLM-L6-v2/ my-encoder --compute int8 --pooling mean",
    'sluice export-encoder bge-small-en-v1.5.jar my-encoder --compute int8 --pooling cls --prefix-query "Represent this sentence for searching relevant passages: "',
  ],

  async run(args, terminal) {
    const [path, folder] = args.exactly("MODEL", "FOLDER");
    const [query, passage] = [args.count("query-length"), args.count("passage-length")];
    const [weights, lambda] = [args.oneOf("weights", PRECISIONS), args.number("lambda")];
    const options = {
      ...(weights && { weights }),
      compute: args.oneOf("compute", ARITHMETICS)!,
      maxLength: { ...(query !== undefined && { query }), ...(passage !== undefined && { passage }) },
      ...(lambda !== undefined && { lambda }),
      overwrite: args.is("overwrite"),
    };
    if (await isBert(path)) {
      args.refuseFlags(["least"], "for a model that gives vectors");
      const exported = await exportBert(path, folder, { ...options, ...bertOptions(args) });
      const { bytes, lost, leastCosine } = exported;
      const own =
        leastCosine === undefined
          ? ""
          : `least cosine with the vectors of the model's own graph: ${leastCosine.toFixed(4)}\n`;
      terminal.out(
        args.is("json")
          ? `${JSON.stringify({ folder, ...exported })}\n`
          : `${folder}: ${bytesText(bytes)}, from ${path}\n${lostText(lost)}${own}`,
      );
      return;
    }
    await requireRun(path);
    args.refuseFlags(MODEL_FLAGS, "for a training run");
    const least = args.number("least");
    const exported = await exportCheckpoint(path, folder, {
      ...options,
      ...(least !== undefined && { least }),
    });
    const { bytes, lost, checkpoint, step } = exported;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder, ...exported })}\n`
        : `${folder}: ${bytesText(bytes)}, from step ${formatCount(step)} (${checkpoint})\n${lostText(lost)}`,
    );
  },
};

/** Whether this is a model that was trained elsewhere. The folder of a training run has none of these files. */
async function isBert(path: string): Promise<boolean> {
  if (/\.(zip|jar|whl)$/.test(path)) return true;
  const files = ["model.safetensors", "model.onnx", "onnx/model.onnx"].map((name) => stat(join(path, name)));
  return (await Promise.allSettled(files)).some(({ status }) => status === "fulfilled");
}

/** Throws if this is neither a file, which may be a checkpoint, nor the folder of a training run. */
async function requireRun(path: string): Promise<void> {
  const isThere = (each: string) => stat(each).catch(() => undefined);
  if ((await isThere(path))?.isFile() || (await isThere(join(path, "checkpoints")))) return;
  throw new SluiceError(
    `${path}: neither a model nor a training run`,
    "a model has tokenizer.json and model.safetensors or model.onnx; a training run has config.json and checkpoints/",
    "ERR_SLUICE_FILE",
  );
}

function bertOptions(args: Arguments) {
  const pooling = args.oneOf("pooling", ["mean", "cls", "none"] as const);
  const [query, passage] = [args.text("prefix-query"), args.text("prefix-passage")];
  const attentionHeads = args.count("heads");
  const prefix = { ...(query !== undefined && { query }), ...(passage !== undefined && { passage }) };
  return {
    ...(pooling && { pooling }),
    ...(Object.keys(prefix).length > 0 && { prefix }),
    ...(attentionHeads !== undefined && { attentionHeads }),
  };
}

function lostText({ mean, largest, score }: { mean: number; largest: number; score: number }): string {
  return (
    `scores differ from float32 by ${mean.toPrecision(2)} on average and ${largest.toPrecision(2)} at ` +
    `most; the mean score is ${score.toPrecision(3)}\n`
  );
}
