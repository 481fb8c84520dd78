// sluice suggest: what somebody has typed → completions and corrections.

import { Sluice } from "../../../index.ts";
import { DEFAULT_SUGGESTIONS } from "../../../search/options/suggest-options.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { countOf, painter, printable } from "../../terminal/format.ts";

export const suggestCommand: Command = {
  name: "suggest",
  summary: "complete and correct what somebody has typed",
  operands: "DIR TEXT",
  flags: {
    k: { type: "string", value: "N", default: String(DEFAULT_SUGGESTIONS), help: "number of suggestions" },
    "no-typos": { type: "boolean", help: "complete only, and correct nothing" },
    syntax: { type: "boolean", help: "leave operators, phrases and values of fields as they are" },
    ...JSON_FLAG,
  },
  examples: [
    'sluice suggest my-index "where was the bauh"',
    'sluice suggest my-index "baujaus" --k 3 --json',
  ],

  async run(args, terminal) {
    const [folder, ...words] = args.operands;
    if (folder === undefined || words.length === 0) throw args.usageError("expected DIR and TEXT");
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    const options = { k: args.count("k")!, typos: !args.is("no-typos"), syntax: args.is("syntax") };
    const suggestions = await index.suggest(words.join(" "), options);
    if (args.is("json")) {
      terminal.out(`${JSON.stringify({ suggestions })}\n`);
      return;
    }
    const paint = painter(terminal);
    for (const { text, from, to, docs } of suggestions) {
      const about = `${printable(to)} ← ${printable(from)}, in ${countOf(docs, "document")}`;
      terminal.out(`${printable(text)}  ${paint("dim", about)}\n`);
    }
    if (suggestions.length === 0) terminal.out(`${paint("dim", "nothing to suggest")}\n`);
  },
};
