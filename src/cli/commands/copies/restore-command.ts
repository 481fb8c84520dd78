// sluice restore: a backup → an index, checked.

import { Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { bytesText, countOf } from "../../terminal/format.ts";
import { runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "make an index of a backup",
  operands: "BACKUP DIR",
  details:
    "BACKUP is a folder by sluice backup, or a tar file that a server gave. Every byte is checked before the index takes its name.",
  flags: {
    overwrite: { type: "boolean", help: "replace the index in DIR" },
    ...JSON_FLAG,
  },
  examples: ["sluice restore backups/my-index my-index", "sluice restore notes.tar notes --overwrite"],

  async run(args, terminal) {
    const [backup, folder] = args.exactly("BACKUP", "DIR");
    const progress = new ProgressLine(terminal);
    const overwrite = args.is("overwrite");
    const restored = await runStoppable(terminal, "interrupted; nothing was restored", (signal) =>
      Sluice.restore(backup, folder, { overwrite, signal, onProgress: progress.report }),
    );
    progress.clear();
    const { docs, segments, bytes } = restored;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ location: folder, ...restored })}\n`
        : `${folder}: ${countOf(docs, "document")} in ${countOf(segments, "segment")}, ${bytesText(bytes)} checked\n`,
    );
  },
};
