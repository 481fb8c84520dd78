// sluice backup: an index → a checked copy in another folder, while others use it.

import { Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { requireFolder } from "../../tasks/copy-locations.ts";
import type { Command } from "../../terminal/command.ts";
import { bytesText, countOf, milliseconds } from "../../terminal/format.ts";
import { runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "copy an index while others use it, and check the copy",
  operands: "DIR BACKUP",
  details: [
    "Copies the last commit, even while other processes write. The copy is an index, too: it can be searched. If BACKUP holds an",
    "older backup, only new segments are copied. Every byte is checked before the copy takes its name, so a backup is there as a",
    "whole or not at all.",
  ].join("\n"),
  flags: JSON_FLAG,
  examples: ["sluice backup my-index backups/my-index"],

  async run(args, terminal) {
    const [folder, target] = args.exactly("DIR", "BACKUP");
    requireFolder(folder, "backup");
    const started = performance.now();
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    const progress = new ProgressLine(terminal);
    const backup = await runStoppable(terminal, "interrupted; an older backup stays as it was", (signal) =>
      index.backup(target, { signal, onProgress: progress.report }),
    );
    progress.clear();
    const { docs, segments, copied, bytes } = backup;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder: target, ...backup })}\n`
        : `${target}: ${countOf(docs, "document")} in ${countOf(segments, "segment")}, ${copied} copied, ` +
            `${bytesText(bytes)} checked in ${milliseconds(performance.now() - started)}\n`,
    );
  },
};
