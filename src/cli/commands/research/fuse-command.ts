// sluice fuse: two runs → one combined run, as systems with two search engines make it.

import { type FusionMethod, fuseRuns, RunWriter, readRun } from "../../../lab/index.ts";
import type { Command } from "../../terminal/command.ts";
import { formatCount } from "../../terminal/format.ts";

const METHODS = ["linear", "min-max", "rrf"] as const;

export const fuseCommand: Command = {
  name: "fuse",
  summary: "combine two runs into one, to compare with a single index",
  operands: "FIRST SECOND --out FILE",
  details: [
    "linear   α·first + second; a document that is missing from a run gets the lowest score of that run",
    "min-max  the same, with scores scaled to 0 … 1",
    "rrf      reciprocal rank fusion",
  ].join("\n"),
  flags: {
    method: {
      type: "string",
      value: "NAME",
      default: "linear",
      choices: METHODS,
      help: "linear, min-max or rrf",
    },
    alpha: { type: "string", value: "X", default: "0.1", help: "weight of the first run" },
    depth: { type: "string", value: "N", default: "1000", help: "hits per query" },
    out: { type: "string", value: "FILE", help: "the combined run" },
  },
  examples: ["sluice fuse bm25.trec minilm.trec --method rrf --out both.trec"],

  async run(args, terminal) {
    const [first, second] = args.exactly("FIRST", "SECOND");
    const out = args.text("out");
    if (!out) throw args.usageError("no output file; give --out FILE");
    const [kind, alpha] = [args.oneOf("method", METHODS)!, args.number("alpha")!];
    if (kind === "rrf") args.refuseFlags(["alpha"], "with --method rrf");
    const method: FusionMethod = kind === "rrf" ? { kind } : { kind, alpha };
    const fused = fuseRuns(await readRun(first), await readRun(second), method, args.count("depth"));
    const writer = new RunWriter(out);
    for (const [query, retrieved] of fused) await writer.add(query, retrieved);
    await writer.close();
    terminal.out(`${out}: ${formatCount(fused.size)} queries, ${kind}\n`);
  },
};
