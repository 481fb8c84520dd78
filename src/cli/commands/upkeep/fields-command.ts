// sluice fields: an index → the fields of its documents, for building filters.

import { type FieldInfo, Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { countOf, formatCount, printable } from "../../terminal/format.ts";

/** The most values that are printed of a field. --json has all that the library lists. */
const MOST_VALUES = 10;

export const fieldsCommand: Command = {
  name: "fields",
  summary: "list the fields of the documents, for filters",
  operands: "DIR",
  details:
    "A field has the number of documents with a value, its range if it has numbers, and its values if there are few.",
  flags: JSON_FLAG,
  examples: ["sluice fields my-index"],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const fields = await args.closeAtEnd(await Sluice.open(folder, { readOnly: true })).fields();
    if (args.is("json")) {
      terminal.out(`${JSON.stringify({ fields })}\n`);
      return;
    }
    const width = Math.max(0, ...fields.map(({ name }) => printable(name).length));
    for (const field of fields) terminal.out(`${printable(field.name).padEnd(width)}  ${about(field)}\n`);
  },
};

function about({ docs, range, choices = [] }: FieldInfo): string {
  const values = choices.slice(0, MOST_VALUES).map(({ value, docs }) => `${value} (${formatCount(docs)})`);
  const more = choices.length - values.length;
  const parts = [
    countOf(docs, "document"),
    ...(range ? [`${range.min} to ${range.max}`] : []),
    ...(values.length > 0
      ? [`${values.join(", ")}${more > 0 ? `, and ${formatCount(more)} more` : ""}`]
      : []),
  ];
  return printable(parts.join("; "));
}
