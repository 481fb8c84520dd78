// The flag --query → a query of any form. An operand is a query's text alone.

import type { Query } from "../../index.ts";
import { parseJson } from "../../support/files/json.ts";
import { isObject } from "../../support/options/options.ts";
import type { Arguments, Flag } from "../terminal/command.ts";

export const QUERY_FLAG = {
  query: {
    type: "string",
    value: "JSON",
    help: 'a query with parts, instead of QUERY: \'{"text": "canal", "must": ["lock"]}\'; also weights, a vector, prefer',
  },
} as const satisfies Record<string, Flag>;

const HINT = `a query is JSON, in quotes for the shell: --query '{"text": "canal", "must": ["lock"]}'`;

/** Returns the operands that stand beside a query which a flag gives. */
export function operandsBeside(args: Arguments, ...names: string[]): readonly string[] {
  if (args.operands.length === names.length) return args.operands;
  throw args.usageError(`expected ${names.join(" and ")} beside ${args.has("query") ? "--query" : "--like"}`);
}

/** The query that a flag gives instead of the operand, if one does: --query or --like. The library checks it. */
export function queryFromFlags(args: Arguments, like?: string): Query | undefined {
  const text = args.text("query");
  if (text === undefined) return like === undefined ? undefined : { like };
  if (like !== undefined) throw args.usageError("expected --query or --like, not both");
  const query = parseJson(text, "--query", undefined, HINT);
  if (!isObject(query)) throw args.usageError(`--query takes an object; ${HINT}`);
  return query as Query;
}
