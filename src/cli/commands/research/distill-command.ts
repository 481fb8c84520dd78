// sluice distill: a teacher and training data → the same data with the teacher's scores.

import { Encoder } from "../../../encode/index.ts";
import { type DistillTeacher, distill, prepareTeacher, readTrainConfig } from "../../../lab/index.ts";
import { ENCODER_THREADS_FLAG, JSON_FLAG } from "../../flags/flags.ts";
import type { Arguments, Command } from "../../terminal/command.ts";
import { formatCount } from "../../terminal/format.ts";
import { runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const distillCommand: Command = {
  name: "distill",
  summary: "write a teacher's scores into training data",
  operands: "(TEACHER --data FILE --out FILE | --config CONFIG)",
  details: [
    "TEACHER is an encoder's folder, bm25, or a checkpoint of a training run (the way to use a ColBERT teacher). Every",
    "line gets positive_scores and negative_scores, which a config reads with",
    '"teacher": {"kind": "file"}. The scores are those of a query with its own passages only.',
    "",
    'A teacher of the kind "encoder" scores whole batches while the model trains. It encodes all texts first. With',
    "--config this is done ahead of training, into the folder that the config names as teacher.keep.",
  ].join("\n"),
  flags: {
    data: { type: "string", value: "FILE", help: "training data" },
    corpus: { type: "string", value: "FILE", help: "the passages, if the data names them by id" },
    out: { type: "string", value: "FILE", help: "the training file to write; .gz compresses it" },
    bm25: { type: "boolean", help: "add BM25 to a dense encoder's scores" },
    lambda: { type: "string", value: "X", help: "weight of the encoder's vectors; 1 by default" },
    ...ENCODER_THREADS_FLAG,
    config: {
      type: "string",
      value: "CONFIG",
      help: "encode the texts that the teacher of this config will score",
    },
    ...JSON_FLAG,
  },
  examples: [
    "sluice distill models/minilm --bm25 --lambda 20 --data mined.jsonl.gz --corpus mined.corpus.jsonl.gz --out scored.jsonl.gz",
    "sluice distill runs/colbert/checkpoints/step-0010000.safetensors --data pairs.jsonl --out scored.jsonl",
    "sluice distill --config my-config.json",
  ],

  async run(args, terminal) {
    const progress = new ProgressLine(terminal);
    const config = args.text("config");
    if (config !== undefined) {
      args.refuseFlags(["data", "corpus", "out", "bm25", "lambda", "encoder-threads"], "with --config");
      if (args.operands.length > 0) throw args.usageError("--config names the teacher; leave TEACHER out");
      const kept = await prepareTeacher(await readTrainConfig(config), { onProgress: progress.report });
      progress.clear();
      terminal.out(
        args.is("json")
          ? `${JSON.stringify(kept)}\n`
          : `encoded ${formatCount(kept.queries)} queries and ${formatCount(kept.passages)} passages\n`,
      );
      return;
    }
    const [name] = args.exactly("TEACHER");
    const [data, corpus, out] = [args.text("data"), args.text("corpus"), args.text("out")];
    if (!data) throw args.usageError("no training data; give --data FILE");
    if (!out) throw args.usageError("no output file; give --out FILE");
    const teacher = await openNamedTeacher(name, args);
    const source = { path: data, ...(corpus !== undefined && { corpus }) };
    const { examples, agreed } = await runStoppable(terminal, "interrupted; nothing was written", (signal) =>
      distill(source, { out, teacher, onProgress: progress.report, signal }),
    );
    progress.clear();
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ out, examples, agreed })}\n`
        : `${out}: ${formatCount(examples)} examples; the teacher ranks the positive above all negatives in ` +
            `${(100 * agreed).toFixed(1)} % of the examples with negatives\n`,
    );
  },
};

async function openNamedTeacher(name: string, args: Arguments): Promise<DistillTeacher> {
  const [lambda, threads] = [args.number("lambda"), args.number("encoder-threads")];
  if (name.endsWith(".safetensors")) {
    args.refuseFlags(["bm25", "lambda"], "with a checkpoint");
    return { kind: "checkpoint", path: name, ...(threads !== undefined && { threads }) };
  }
  if (name === "bm25") {
    args.refuseFlags(["bm25", "lambda", "encoder-threads"], "with bm25 alone");
    return { kind: "encoder", bm25: true };
  }
  const encoder = args.closeAtEnd(await Encoder.open(name, { ...(threads !== undefined && { threads }) }));
  return { kind: "encoder", encoder, bm25: args.is("bm25"), ...(lambda !== undefined && { lambda }) };
}
