// The flag --filter → the filter of a search or a list.

import type { Filter } from "../../index.ts";
import { parseJson } from "../../support/files/json.ts";
import type { Arguments, Flag } from "../terminal/command.ts";

export const FILTER_FLAG = {
  filter: { type: "string", value: "JSON", help: 'condition on fields: \'{"year": {"lt": 1933}}\'' },
} as const satisfies Record<string, Flag>;

/** The filter of the flag. The library checks it. */
export function filterFromFlags(args: Arguments): { filter?: Filter } {
  const text = args.text("filter");
  if (text === undefined) return {};
  const hint = `a filter is JSON, in quotes for the shell: --filter '{"year": {"lt": 1933}}'`;
  return { filter: parseJson(text, "--filter", undefined, hint) as Filter };
}
