// sluice explain-query: a query → what becomes of its terms, and what the first stage of a plan uses. No document is read.

import type { QueryExplanation } from "../../../index.ts";
import {
  ENCODER_FLAGS,
  JSON_FLAG,
  openFromFlags,
  PLAN_FLAGS,
  planFromFlags,
  readWordFlags,
  WORD_FLAGS,
} from "../../flags/flags.ts";
import { operandsBeside, QUERY_FLAG, queryFromFlags } from "../../flags/query-flag.ts";
import type { Command, Terminal } from "../../terminal/command.ts";
import { formatCount, painter, printable } from "../../terminal/format.ts";
import { printNotices } from "../../terminal/print-notices.ts";

export const explainQueryCommand: Command = {
  name: "explain-query",
  summary: "show what becomes of the terms of a query",
  operands: "DIR (QUERY | --query JSON)",
  flags: {
    ...QUERY_FLAG,
    ...PLAN_FLAGS,
    lambda: { type: "string", value: "X", help: "weight of the semantic part; the index's own by default" },
    ...WORD_FLAGS,
    ...ENCODER_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'sluice explain-query my-index "where was the bauhaus built"',
    'sluice explain-query my-index "where was the bauhaus built" --theta 4',
  ],

  async run(args, terminal) {
    const given = queryFromFlags(args);
    const [folder, typed] = given === undefined ? args.exactly("DIR", "QUERY") : operandsBeside(args, "DIR");
    const lambda = args.number("lambda");
    const index = await openFromFlags(folder, args);
    const explanation = await index.explainQuery(given ?? typed, {
      plan: planFromFlags(args),
      ...(lambda !== undefined && { lambda }),
      ...(await readWordFlags(args)),
    });
    printNotices(explanation.notices, terminal);
    terminal.out(args.is("json") ? `${JSON.stringify(explanation)}\n` : textOf(explanation, terminal));
  },
};

function textOf({ terms, lambda, lexicalDims, semanticDims }: QueryExplanation, terminal: Terminal): string {
  const paint = painter(terminal);
  const width = Math.max(0, ...terms.map(({ term }) => [...printable(term)].length));
  const lines = terms.map(({ term, weight, fate, selected }) => {
    const what = fate === "kept" && !selected ? "kept, but the first stage leaves it out" : fate;
    return `${printable(term).padEnd(width)}  ${weight.toFixed(4).padStart(9)}  ${paint("dim", what)}`;
  });
  const used = ({ selected, of }: { readonly selected: number; readonly of: number }) =>
    `${formatCount(selected)} of ${formatCount(of)}`;
  return [
    ...lines,
    paint(
      "dim",
      `the first stage uses ${used(lexicalDims)} slots and ${used(semanticDims)} semantic dims; λ ${lambda}`,
    ),
    "",
  ].join("\n");
}
