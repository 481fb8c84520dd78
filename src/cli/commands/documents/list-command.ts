// sluice list: a filter → the documents that it accepts, as lines of JSON, or how many there are.

import { Sluice } from "../../../index.ts";
import type { ListedDocument } from "../../../search/list/list-documents.ts";
import { DEFAULT_LIMIT } from "../../../search/options/list-options.ts";
import { FIELDS_FLAG, fieldsFromFlags } from "../../flags/answer-flags.ts";
import { FILTER_FLAG, filterFromFlags } from "../../flags/filter-flag.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { countOf, formatCount } from "../../terminal/format.ts";
import { printNotices } from "../../terminal/print-notices.ts";

/** Documents that are read at once with --all. More: fewer steps, more memory. */
const ALL_AT_ONCE = 1000;

export const listCommand: Command = {
  name: "list",
  summary: "list or count the documents of an index, by a filter",
  operands: "DIR",
  details: [
    "Documents are printed as JSON Lines, in the order in which they were added; a document that was replaced counts as added",
    "then. With --all the output is a file that sluice index reads. Vectors and weights that documents brought are not in it.",
  ].join("\n"),
  flags: {
    ...FILTER_FLAG,
    limit: {
      type: "string",
      value: "N",
      default: String(DEFAULT_LIMIT),
      help: "most documents to print; 0 counts alone",
    },
    after: { type: "string", value: "NEXT", help: "list on where an earlier list ended" },
    ...FIELDS_FLAG,
    all: { type: "boolean", help: "print all documents, without a limit" },
    ...JSON_FLAG,
  },
  examples: [
    `sluice list my-index --filter '{"year": {"lt": 1933}}' --fields title,year`,
    "sluice list my-index --limit 0",
    "sluice list my-index --all > documents.jsonl",
  ],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const isComplete = args.is("all");
    if (isComplete) args.refuseFlags(["limit", "json"], "with --all");
    const limit = isComplete ? ALL_AT_ONCE : args.whole("limit")!;
    const options = { ...filterFromFlags(args), limit, ...fieldsFromFlags(args) };
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    let after = args.text("after");
    let isFirst = true;
    do {
      const { documents, total, next, notices } = await index.list({ ...options, after });
      after = next;
      if (isFirst) printNotices(notices, terminal);
      isFirst = false;
      if (args.is("json")) {
        const rest = { ...(next !== undefined && { next }), ...(notices && { notices }) };
        terminal.out(`${JSON.stringify({ documents, total, ...rest })}\n`);
        return;
      }
      for (const document of documents) terminal.out(lineOf(document));
      if (limit === 0) terminal.out(`${countOf(total, "document")}\n`);
      else if (next !== undefined && !isComplete)
        terminal.err(
          `${formatCount(documents.length)} of ${countOf(total, "document")}; list on with --after ${next}\n`,
        );
    } while (isComplete && after !== undefined);
  },
};

function lineOf({ id, document }: ListedDocument): string {
  return `${JSON.stringify({ id, ...document })}\n`;
}
