// sluice get: ids → their documents, as lines of JSON.

import { Sluice } from "../../../index.ts";
import { pickFields } from "../../../search/hits/pick-fields.ts";
import { FIELDS_FLAG, fieldsFromFlags } from "../../flags/answer-flags.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";

export const getCommand: Command = {
  name: "get",
  summary: "print documents by their ids",
  operands: "DIR ID...",
  details: [
    "Documents are printed as JSON Lines, as sluice index reads them, in the order of the ids. If no document has one of the",
    'ids, none is printed. With --json they are one object, as sluice list --json prints them: {"documents": [{"id", "document"}]}.',
  ].join("\n"),
  flags: { ...FIELDS_FLAG, ...JSON_FLAG },
  examples: ["sluice get my-index 7067032", "sluice get my-index 7067032 7067033 --fields title,year"],

  async run(args, terminal) {
    const [folder, ...ids] = args.atLeast("DIR", "ID");
    const { fields } = fieldsFromFlags(args);
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    const documents = (await index.documents(ids)).map((document, i) => ({
      id: ids[i],
      document: fields ? pickFields(document, fields) : document,
    }));
    if (args.is("json")) terminal.out(`${JSON.stringify({ documents })}\n`);
    else for (const { id, document } of documents) terminal.out(`${JSON.stringify({ id, ...document })}\n`);
  },
};
