// sluice verify: an index → a list of its problems. Every byte is read and checked.

import { Sluice, SluiceError } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { bytesText, countOf, milliseconds } from "../../terminal/format.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "check every byte of an index",
  operands: "DIR",
  details:
    "Reads the whole last commit. Checks the checksums of all files and documents, and that ids, documents and segments agree.",
  flags: JSON_FLAG,
  examples: ["sluice verify my-index"],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const started = performance.now();
    const progress = new ProgressLine(terminal);
    const found = await Sluice.verify(folder, {
      onProgress: progress.report,
    });
    progress.clear();
    const { problems, segments, docs, bytes } = found;
    if (args.is("json")) terminal.out(`${JSON.stringify(found)}\n`);
    else for (const problem of problems) terminal.out(`${problem}\n`);
    if (problems.length > 0) {
      throw new SluiceError(
        `${folder}: ${problems.length} ${problems.length === 1 ? "problem" : "problems"} found`,
        "restore a backup; or save what is whole by sluice repair",
      );
    }
    if (args.is("json")) return;
    terminal.out(
      `${folder}: no problems; ${countOf(docs, "document")}${segments === 0 && docs > 0 ? "" : ` in ${countOf(segments, "segment")}`}, ${bytesText(bytes)} checked ` +
        `in ${milliseconds(performance.now() - started)}\n`,
    );
  },
};
