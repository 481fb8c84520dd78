// sluice fuse: two runs → one, as systems with two engines do it.

import { type FusionMethod, fuseRuns, RunWriter, readRun } from "../../index.ts";
import type { Command } from "../command.ts";
import { withCommas } from "../format.ts";

export const fuseCommand: Command = {
  name: "fuse",
  summary: "combine two runs into one, for comparison with a single index",
  operands: "FIRST SECOND --out FILE",
  details: [
    "linear: α·first + second, a document that a run lacks gets the run's lowest score; min-max: the same on scores",
    "scaled to 0 … 1; rrf: reciprocal ranks.",
  ].join("\n"),
  flags: {
    method: { type: "string", value: "NAME", default: "linear", help: "linear, min-max or rrf" },
    alpha: { type: "string", value: "X", default: "0.1", help: "weight of the first run" },
    k: { type: "string", value: "N", default: "1000", help: "hits per query" },
    out: { type: "string", value: "FILE", help: "the combined run" },
  },
  examples: ["sluice fuse bm25.trec minilm.trec --method rrf --out both.trec"],

  async run(args, terminal) {
    const [first, second] = args.exactly("FIRST", "SECOND");
    const out = args.text("out");
    if (!out) throw args.misuse("no place for the run; give --out FILE");
    const [kind, alpha] = [args.oneOf("method", ["linear", "min-max", "rrf"])!, args.number("alpha")!];
    if (kind === "rrf") args.without(["alpha"], "with --method rrf");
    const method: FusionMethod = kind === "rrf" ? { kind } : { kind, alpha };
    const fused = fuseRuns(await readRun(first), await readRun(second), method, args.count("k"));
    const writer = new RunWriter(out);
    for (const [query, retrieved] of fused) await writer.add(query, retrieved);
    await writer.close();
    terminal.out(`${out}: ${withCommas(fused.size)} queries, ${kind}\n`);
  },
};
