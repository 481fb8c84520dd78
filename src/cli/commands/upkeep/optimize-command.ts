// sluice optimize: all segments of an index → one segment.

import { Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { countOf, milliseconds } from "../../terminal/format.ts";
import { runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const optimizeCommand: Command = {
  name: "optimize",
  summary: "merge the segments of an index, and recompute its weights",
  operands: "DIR",
  details: [
    "Segments are merged in the background as documents are added. This command merges all that are left, removes deleted",
    "documents, and recomputes the weights of every row from current statistics, as if the index were built again.",
  ].join("\n"),
  flags: JSON_FLAG,
  examples: ["sluice optimize my-index"],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const started = performance.now();
    const index = args.closeAtEnd(await Sluice.open(folder, { create: false }));
    const before = index.info().segments.length;
    const progress = new ProgressLine(terminal);
    await runStoppable(terminal, "interrupted; no document is lost", (signal) =>
      index.optimize({
        onProgress: progress.report,
        signal,
      }),
    );
    progress.clear();
    const { segments, docs } = index.info();
    const ms = performance.now() - started;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ location: folder, docs, before, segments: segments.length, totalMs: Math.round(ms) })}\n`
        : `${folder}: ${before} segments became ${segments.length}, ${countOf(docs, "document")}, in ${milliseconds(ms)}\n`,
    );
  },
};
