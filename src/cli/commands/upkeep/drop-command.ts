// sluice drop: an index → nothing. It asks first.

import { Sluice } from "../../../index.ts";
import { nothingToDropError } from "../../../store/medium/drop-folder.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { Interrupted } from "../../terminal/interrupt.ts";
import { askYesNo } from "../../terminal/stdin.ts";

export const dropCommand: Command = {
  name: "drop",
  summary: "remove an index with all its documents",
  operands: "DIR",
  details: [
    "The index is removed as a whole or not at all, with its folder. Nothing is removed if somebody writes to the index, or if the",
    "folder holds other files. A damaged index can be dropped, too. To delete documents and keep the index, use sluice delete.",
  ].join("\n"),
  flags: {
    yes: { type: "boolean", help: "do not ask first" },
    ...JSON_FLAG,
  },
  examples: ["sluice drop my-index", "sluice drop my-index --yes"],

  async run(args, terminal) {
    const [location] = args.exactly("DIR");
    if (!(await Sluice.exists(location))) throw nothingToDropError(location);
    if (!args.is("yes")) {
      if (!terminal.isInputTty)
        throw args.usageError("sluice drop asks before it drops, but nobody can answer here; give --yes");
      if (!(await askYesNo(`Remove the index ${location} with all its documents?`, terminal)))
        throw new Interrupted(`${location} was not dropped`);
    }
    await Sluice.drop(location);
    terminal.out(
      args.is("json") ? `${JSON.stringify({ location, dropped: true })}\n` : `${location}: dropped\n`,
    );
  },
};
