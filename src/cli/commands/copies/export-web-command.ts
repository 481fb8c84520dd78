// sluice export-web: an index → a folder of static files that a web page can search.

import { Sluice } from "../../../index.ts";
import type { ExportedFields } from "../../../store/web/exported-fields.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { requireFolder } from "../../tasks/copy-locations.ts";
import type { Arguments, Command } from "../../terminal/command.ts";
import { bytesText, countOf, milliseconds } from "../../terminal/format.ts";
import { runStoppable } from "../../terminal/interrupt.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const exportWebCommand: Command = {
  name: "export-web",
  summary: "write an index as static files that a web page searches without a server",
  operands: "DIR OUT",
  details: [
    "OUT is a folder that any file server can host. A web page opens it by its URL and searches in the browser:",
    "",
    '  import { openInWorker } from "sluice/browser/worker";',
    '  const index = await openInWorker("https://example.org/OUT/");',
    '  const { hits } = await index.search("where was the bauhaus built");',
    "",
    "DIR is only read. An older export in OUT is replaced; a folder with anything else is refused. OUT does not contain",
    "fields that --keep-fields leaves out. It does contain the words of all texts, because they are searched; the list of",
    "terms also has words that only deleted documents held.",
  ].join("\n"),
  flags: {
    "keep-fields": {
      type: "string",
      value: "FIELDS",
      default: "all",
      help: "fields that hits return: all, none, or names separated by commas",
    },
    ...JSON_FLAG,
  },
  examples: [
    "sluice export-web my-index site/index",
    "sluice export-web my-index site/index --keep-fields title,url",
    "npx serve site",
  ],

  async run(args, terminal) {
    const [folder, out] = args.exactly("DIR", "OUT");
    requireFolder(folder, "export-web");
    const keepFields = fieldsOf(args);
    const started = performance.now();
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    const progress = new ProgressLine(terminal);
    const exported = await runStoppable(terminal, "interrupted; an older export stays as it was", (signal) =>
      index.exportWeb(out, { keepFields, signal, onProgress: progress.report }),
    );
    progress.clear();
    const { docs, files, bytes } = exported;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder: out, ...exported })}\n`
        : `${out}: ${countOf(docs, "document")} in ${countOf(files, "file")}, ${bytesText(bytes)}, ` +
            `in ${milliseconds(performance.now() - started)}\n`,
    );
  },
};

function fieldsOf(args: Arguments): ExportedFields {
  const text = args.text("keep-fields")!;
  if (text === "all" || text === "none") return text;
  const fields = text.split(",").map((name) => name.trim());
  if (fields.includes(""))
    throw args.usageError(`--keep-fields takes all, none, or names of fields, not "${text}"`);
  return fields;
}
