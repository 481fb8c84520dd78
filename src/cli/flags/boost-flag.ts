// The flag --boost → boosts of a search.

import type { Boost } from "../../index.ts";
import { parseJson } from "../../support/files/json.ts";
import type { Arguments, Flags } from "../terminal/command.ts";

export const BOOST_FLAG = {
  boost: {
    option: "boosts",
    type: "string",
    value: "JSON",
    multiple: true,
    help: 'add to scores by a field: {"field": "updated", "decay": "exp", "scale": "30d"}; may be repeated',
  },
} as const satisfies Flags;

export function boostsFromFlags(args: Arguments): { boosts?: Boost[] } {
  const texts = args.texts("boost");
  if (texts.length === 0) return {};
  const hint = `a boost is JSON, in quotes for the shell: --boost '{"field": "votes", "log": true}'`;
  return { boosts: texts.map((text) => parseJson(text, "--boost", undefined, hint) as Boost) };
}
