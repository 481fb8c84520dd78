// sluice mine: training pairs and an encoder → the same pairs with hard negatives.

import {
  mine,
  type OpenedEncoder,
  openAnyEncoder,
  readTrainConfig,
  type TrainingSource,
} from "../../../lab/index.ts";
import { ENCODER_THREADS_FLAG, JSON_FLAG } from "../../flags/flags.ts";
import type { Arguments, Command } from "../../terminal/command.ts";
import { formatCount } from "../../terminal/format.ts";
import { runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

const PROVIDERS = ["cpu", "webgpu"] as const;

export const mineCommand: Command = {
  name: "mine",
  summary: "find hard negatives for training pairs",
  operands: "MODEL (--data FILE | --config CONFIG) --out FILE",
  details: [
    "MODEL is an encoder's folder, a training run (its newest checkpoint), a checkpoint, or bm25. All passages of the",
    "data go into an index of 128 dims. Every query is searched, and its best 200 passages that are not relevant become",
    "its negatives. FILE names them by number; the passages go beside it, into FILE.corpus. A config then says",
    '{"path": "mined.jsonl.gz", "corpus": "mined.corpus.jsonl.gz"}.',
  ].join("\n"),
  flags: {
    data: {
      type: "string",
      value: "FILE",
      multiple: true,
      help: "training data; may be repeated",
    },
    config: { type: "string", value: "CONFIG", help: "use the data of a training config" },
    corpus: { type: "string", value: "FILE", help: "more passages to search, one JSON object per line" },
    out: { type: "string", value: "FILE", help: "the training file to write; .gz compresses it" },
    dims: { type: "string", value: "N", default: "128", help: "rows of N slots" },
    depth: { type: "string", value: "N", default: "200", help: "passages to retrieve for each query" },
    skip: {
      type: "string",
      value: "N",
      default: "0",
      help: "leave out the best N: some of them are relevant, but not judged",
    },
    lambda: { type: "string", value: "X", help: "weight of the semantic part; 1 by default" },
    provider: {
      type: "string",
      value: "NAME",
      default: "cpu",
      choices: PROVIDERS,
      help: "where the model of a run is computed: cpu or webgpu",
    },
    ...ENCODER_THREADS_FLAG,
    ...JSON_FLAG,
  },
  examples: [
    "sluice mine runs/delade-cls --config configs/small/delade-cls.json --out mined.jsonl.gz",
    "sluice mine bm25 --data pairs.jsonl.gz --out mined.jsonl.gz --depth 100",
  ],

  async run(args, terminal) {
    const [model] = args.exactly("MODEL");
    const out = args.text("out");
    if (!out) throw args.usageError("no output file; give --out FILE");
    const sources = await readSources(args);
    const [skip, lambda] = [args.number("skip")!, args.number("lambda")];
    if (!Number.isInteger(skip) || skip < 0)
      throw args.usageError(`--skip takes a whole number, not ${skip}`);
    const progress = new ProgressLine(terminal);
    const encoder = args.closeAtEnd(await openModel(model, args));
    const corpus = args.text("corpus");
    const mined = await runStoppable(terminal, "interrupted; nothing was written", (signal) =>
      mine(sources, {
        out,
        dims: args.count("dims")!,
        depth: args.count("depth")!,
        skip,
        ...(corpus !== undefined && { corpus }),
        ...(encoder && { encoder }),
        ...(lambda !== undefined && { lambda }),
        onProgress: progress.report,
        signal,
      }),
    );
    progress.clear();
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ out, ...mined })}\n`
        : `${out}: ${formatCount(mined.examples)} examples with ${mined.negatives.toFixed(1)} negatives each, from ` +
            `${formatCount(mined.passages)} passages in ${mined.corpus}\n` +
            `a relevant passage was retrieved for ${(100 * mined.found).toFixed(1)} % of the queries\n`,
    );
  },
};

async function readSources(args: Arguments): Promise<readonly TrainingSource[]> {
  const [files, config] = [args.texts("data"), args.text("config")];
  if (files.length > 0 === (config !== undefined))
    throw args.usageError("give either --data FILE or --config CONFIG");
  return config === undefined ? files.map((path) => ({ path })) : (await readTrainConfig(config)).data.files;
}

async function openModel(name: string, args: Arguments): Promise<OpenedEncoder | undefined> {
  const [threads, provider] = [args.number("encoder-threads"), args.oneOf("provider", PROVIDERS)!];
  if (name !== "bm25") return openAnyEncoder(name, { provider, ...(threads !== undefined && { threads }) });
  args.refuseFlags(["lambda", "provider", "encoder-threads"], "with bm25");
  return undefined;
}
