// sluice get: ids → their documents, as lines of JSON.

import { Sluice } from "../../../index.ts";
import { pickFields } from "../../../search/hits/pick-fields.ts";
import { FIELDS_FLAG, fieldsFromFlags } from "../../flags/answer-flags.ts";
import type { Command } from "../../terminal/command.ts";

export const getCommand: Command = {
  name: "get",
  summary: "print documents by their ids",
  operands: "DIR ID...",
  details:
    "Documents are printed as JSON Lines, in the order of the ids. If no document has one of the ids, none is printed.",
  flags: FIELDS_FLAG,
  examples: ["sluice get my-index 7067032", "sluice get my-index 7067032 7067033 --fields title,year"],

  async run(args, terminal) {
    const [folder, ...ids] = args.atLeast("DIR", "ID");
    const { fields } = fieldsFromFlags(args);
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    for (const [i, document] of (await index.documents(ids)).entries())
      terminal.out(
        `${JSON.stringify({ id: ids[i], ...(fields ? pickFields(document, fields) : document) })}\n`,
      );
  },
};
