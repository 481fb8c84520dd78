// The flag --field-weights → how much text fields count, in a new index or in a search.

import type { FieldWeights } from "../../documents/text-fields.ts";
import { parseJson } from "../../support/files/json.ts";
import type { Arguments, Flags } from "../terminal/command.ts";

const NAME = "field-weights";

/** For a search, or an explanation of one. */
export const FIELD_WEIGHTS_FLAG = {
  [NAME]: {
    type: "string",
    value: "LIST",
    help: "how much text fields count: title=5,text=0.5, or JSON; 0 leaves a field out; the index's own by default",
  },
} as const satisfies Flags;

/** For a new index. */
export const TEXT_FIELDS_FLAG = {
  [NAME]: {
    type: "string",
    value: "LIST",
    help: "the fields whose texts are searched, and how much each counts: title=3,text=1,tags=2, or JSON; by default title and text as one text",
  },
} as const satisfies Flags;

export function fieldWeightsFromFlags(args: Arguments): { fieldWeights?: FieldWeights } {
  const given = args.text(NAME);
  if (given === undefined) return {};
  if (given.trimStart().startsWith("{")) {
    const hint = `weights are written as title=5,text=0.5, or as JSON: --${NAME} '{"title": 5, "text": 0.5}'`;
    return { fieldWeights: parseJson(given, `--${NAME}`, undefined, hint) as FieldWeights };
  }
  const entries = given.split(",").map((part): [string, number] => {
    const [, name, weight] = /^(.+)=([^=]+)$/.exec(part.trim()) ?? [];
    if (name === undefined || weight.trim() === "" || Number.isNaN(Number(weight)))
      throw args.usageError(`--${NAME} takes fields and weights, title=5,text=0.5, not "${part}"`);
    return [name.trim(), Number(weight)];
  });
  const fieldWeights = Object.fromEntries(entries);
  if (Object.keys(fieldWeights).length < entries.length)
    throw args.usageError(`--${NAME} names a field twice: "${given}"`);
  return { fieldWeights };
}
