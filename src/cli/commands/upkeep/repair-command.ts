// sluice repair: a damaged index → a sound one of all that is whole, in another folder, and a list of what was lost.

import { DEFAULT_ANALYZER } from "../../../analyze/contract/analyzer-names.ts";
import { type RepairOptions, type RepairResult, Sluice } from "../../../index.ts";
import { ENCODER_FLAGS, JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { countOf } from "../../terminal/format.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const repairCommand: Command = {
  name: "repair",
  summary: "save what is whole in a damaged index",
  operands: "DIR INTO",
  details:
    "Writes all documents that are whole into a new index in the folder INTO, and lists those that are lost. DIR stays as it is. " +
    "Documents whose segment is damaged are encoded again. If the settings of the index are lost, --encoder and --analyzer say how " +
    "the new one is made.",
  flags: {
    overwrite: { type: "boolean", help: "replace the index in INTO" },
    encoder: ENCODER_FLAGS.encoder,
    analyzer: {
      type: "string",
      value: "NAME",
      help: `the analyzer, if the settings of the index are lost; ${DEFAULT_ANALYZER} by default`,
    },
    ...JSON_FLAG,
  },
  examples: ["sluice repair my-index my-index-2"],

  async run(args, terminal) {
    const [folder, into] = args.exactly("DIR", "INTO");
    const progress = new ProgressLine(terminal);
    const analyzer = args.text("analyzer") as RepairOptions["analyzer"]; // the library checks the name
    const repair = await Sluice.repair(folder, into, {
      analyzer,
      encoder: args.text("encoder"),
      overwrite: args.is("overwrite"),
      onProgress: progress.report,
    });
    progress.clear();
    terminal.out(
      args.is("json") ? `${JSON.stringify({ location: into, ...repair })}\n` : reportOf(into, repair),
    );
  },
};

function reportOf(into: string, repair: RepairResult): string {
  const { docs, encoded, hasSettings, lost, unnamed, incomplete, problems } = repair;
  const lines = [
    ...problems.map((problem) => `damaged: ${problem}`),
    ...(hasSettings ? [] : ["lost: the settings of the index; it has those of a new one"]),
    ...lost.map(({ id, reason }) => `lost: ${id}: ${reason}`),
    ...incomplete.map(({ id, missing }) => `incomplete: ${id}: without its ${missing.join(" and ")}`),
    ...(unnamed > 0 ? [`lost: ${countOf(unnamed, "document")} whose ids are lost, too`] : []),
    `${into}: ${countOf(docs, "document")} saved, ${encoded} of them encoded again; ${lost.length + unnamed} lost`,
  ];
  return `${lines.join("\n")}\n`;
}
