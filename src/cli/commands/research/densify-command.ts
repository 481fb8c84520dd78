// sluice densify: weighted terms → the folder of an index with their rows.

import { WordPiece, whitespace } from "../../../analyze/index.ts";
import { tokensPerDoc } from "../../../densify/index.ts";
import { type BuildOptions, type Document, Sluice } from "../../../index.ts";
import { readWeighted } from "../../../lab/index.ts";
import {
  DENSIFY_FLAGS,
  densifyOptionsFromFlags,
  JSON_FLAG,
  loadAnalyzerFromFlags,
  WEIGHT_FLAGS,
  weightFormatFromFlags,
} from "../../flags/flags.ts";
import type { Arguments, Command } from "../../terminal/command.ts";
import { formatCount } from "../../terminal/format.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const densifyCommand: Command = {
  name: "densify",
  summary: "turn weighted terms (documents or queries) into rows",
  operands: "IN OUT",
  details: [
    "IN is a JsonVectorCollection (a file or a folder) or a file of weighted queries. The vocabulary comes from",
    "--analyzer wordpiece:FILE, or from another index with --slicing-of; without either, it is the terms of IN in byte order.",
  ].join("\n"),
  flags: {
    analyzer: { type: "string", value: "NAME", help: "wordpiece:FILE, a vocabulary of word pieces" },
    "slicing-of": {
      type: "string",
      value: "PATH",
      help: "use the slicing of this index, so that rows of both can be compared",
    },
    ...DENSIFY_FLAGS,
    ...WEIGHT_FLAGS,
    overwrite: { type: "boolean", help: "replace the index in OUT" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice densify splade-queries.tsv.gz queries --analyzer wordpiece:vocab.txt --slicing-strategy stride --dims 128",
    "sluice densify splade-queries.tsv.gz queries --slicing-of splade",
    "sluice run splade --queries queries --out splade.trec",
  ],

  async run(args, terminal) {
    const [input, output] = args.exactly("IN", "OUT");
    if ((await Sluice.exists(output)) && !args.is("overwrite"))
      throw args.usageError(`${output} already holds an index; --overwrite replaces it`);
    const options = await buildOptionsFromFlags(args);
    const progress = new ProgressLine(terminal);
    const format = weightFormatFromFlags(args, options.slicingOf?.vocabulary.terms ?? options.vocabulary);
    const index = await Sluice.build(readWeightedTexts(input, format), {
      ...options,
      lexical: "weights",
      onProgress: progress.report,
    });
    progress.clear();
    await index.save(output, { overwrite: args.is("overwrite") });
    const { densifyCounts: counts, slicingSettings } = index.info();
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ out: output, slicingSettings, densifyCounts: counts })}\n`
        : `${output}: ${formatCount(counts.docs)} rows of ${formatCount(slicingSettings.dims)} dims, ` +
            `${tokensPerDoc(counts).toFixed(2)} of ${(counts.terms / Math.max(1, counts.docs)).toFixed(2)} terms a row; ` +
            `${formatCount(counts.collisions)} collisions, ${formatCount(counts.discarded)} discarded, ` +
            `${formatCount(counts.unknown)} unknown, ${formatCount(counts.weightless)} without weight, ` +
            `${formatCount(counts.empty)} empty rows\n`,
    );
  },
};

async function buildOptionsFromFlags(args: Arguments): Promise<BuildOptions> {
  const other = args.text("slicing-of");
  if (other !== undefined) {
    args.refuseFlags(["analyzer", ...Object.keys(DENSIFY_FLAGS)], "with --slicing-of");
    return { slicingOf: args.closeAtEnd(await Sluice.open(other, { readOnly: true })).slicing };
  }
  if (args.text("analyzer") === undefined)
    return { dims: 768, ...densifyOptionsFromFlags(args), analyzer: whitespace };
  const analyzer = await loadAnalyzerFromFlags(args);
  return {
    dims: 768,
    ...densifyOptionsFromFlags(args),
    analyzer,
    ...(analyzer instanceof WordPiece && { vocabulary: analyzer.pieces }),
  };
}

async function* readWeightedTexts(
  path: string,
  format: Parameters<typeof readWeighted>[1],
): AsyncGenerator<Document> {
  for await (const { id, weights } of readWeighted(path, format)) yield { id, weights };
}
