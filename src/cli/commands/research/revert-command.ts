// sluice revert: rows → the weighted terms that they hold.

import { Sluice } from "../../../index.ts";
import { revertDocument } from "../../../lab/index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { painter, printable } from "../../terminal/format.ts";

export const revertCommand: Command = {
  name: "revert",
  summary: "show rows as the weighted terms that they hold",
  operands: "DIR [ID...]",
  flags: {
    theta: {
      type: "string",
      value: "X",
      help: "only terms with a weight above X, as a first stage with --theta X",
    },
    terms: { type: "string", value: "N", help: "at most N terms per row" },
    ...JSON_FLAG,
  },
  examples: ["sluice revert my-index 7067032", "sluice revert queries --theta 0.3 --json"],

  async run(args, terminal) {
    const [path, ...wanted] = args.operands;
    if (path === undefined) throw args.usageError("expected DIR");
    const index = args.closeAtEnd(await Sluice.open(path, { readOnly: true }));
    const [theta, most] = [args.number("theta"), args.count("terms")];
    const paint = painter(terminal);
    for (const id of wanted.length > 0 ? wanted : await index.listIds()) {
      const terms = revertDocument(index, id, theta).slice(0, most);
      const text = args.is("json")
        ? JSON.stringify({ id, vector: Object.fromEntries(terms.map(({ term, weight }) => [term, weight])) })
        : `${paint("bold", printable(id))}\t${terms.map(({ term, weight }) => `${printable(term)} ${weight}`).join(", ")}`;
      terminal.out(`${text}\n`);
    }
  },
};
