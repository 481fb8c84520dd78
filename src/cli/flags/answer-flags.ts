// The flags of a search that shape its answer, and the counts of an answer as text.

import type { Answer } from "../../index.ts";
import type { AnswerOptions } from "../../search/options/answer-options.ts";
import { parseJson } from "../../support/files/json.ts";
import type { Arguments, Flag } from "../terminal/command.ts";
import { countOf, type Paint, printable } from "../terminal/format.ts";

export const LIKE_FLAG = {
  like: { type: "string", value: "ID", help: "find documents like this one, instead of a query" },
} as const satisfies Record<string, Flag>;

export const FIELDS_FLAG = {
  fields: { type: "string", value: "FIELDS", help: "fields to print, separated by commas; all by default" },
} as const satisfies Record<string, Flag>;

export function fieldsFromFlags(args: Arguments): Pick<AnswerOptions, "fields"> {
  const fields = args.text("fields");
  return fields === undefined ? {} : { fields: fields.split(",").map((name) => name.trim()) };
}

export const ANSWER_FLAGS = {
  match: {
    type: "string",
    value: "any|all",
    choices: ["any", "all"] as const,
    help: "hits must hold at least one, or all, of the query's words",
  },
  facets: {
    type: "string",
    value: "FIELDS",
    help: 'count the values of fields: year,kind; or JSON: [{"field": "price", "ranges": [{"lt": 10}]}]',
  },
  total: { type: "boolean", help: "count the documents that match" },
  among: {
    type: "string",
    value: "filter|N",
    help: "count and sort all that the filter accepts, or the best N hits",
  },
  sort: {
    type: "string",
    value: "FIELD",
    help: "sort by a field instead of the score; FIELD:desc for the largest first",
  },
  "group-by": {
    type: "string",
    value: "FIELD",
    help: "only the best hit of all with the same value in a field",
  },
  snippets: { type: "boolean", help: "show the parts of the texts that hold the query's words" },
  highlight: { type: "boolean", help: "with --json: where the query's words occur in the texts" },
  ...FIELDS_FLAG,
  ...LIKE_FLAG,
} satisfies Record<string, Flag>;

/** The options that the flags ask for. The library checks them. */
export function answerOptionsFromFlags(args: Arguments): AnswerOptions {
  const match = args.oneOf("match", ANSWER_FLAGS.match.choices);
  const [facets, among, sort] = ["facets", "among", "sort"].map((name) => args.text(name));
  const groupBy = args.text("group-by");
  if (!args.is("json")) args.refuseFlags(["highlight"], "without --json");
  return {
    ...(match !== undefined && { match }),
    ...(facets !== undefined && { facets: parseFacets(facets) }),
    ...(args.is("total") && { total: true }),
    ...(among !== undefined && { among: amongFromFlag(among, args) }),
    ...(sort !== undefined && { sort }),
    ...(groupBy !== undefined && { groupBy }),
    ...(args.is("snippets") && { snippets: true }),
    ...(args.is("highlight") && { highlight: true }),
    ...fieldsFromFlags(args),
  };
}

function amongFromFlag(among: string, args: Arguments): NonNullable<AnswerOptions["among"]> {
  if (among === "filter" || /^[1-9]\d*$/.test(among)) return among === "filter" ? among : Number(among);
  throw args.usageError(`--among takes filter or a number of hits, not ${JSON.stringify(among)}`);
}

function parseFacets(text: string): NonNullable<AnswerOptions["facets"]> {
  if (!text.trimStart().startsWith("[")) return text.split(",").map((field) => field.trim());
  return parseJson(text, "--facets", undefined, "a list of fields, in quotes for the shell") as string[];
}

type AnsweredRange = NonNullable<NonNullable<Answer["facets"]>[number]["ranges"]>[number];

const SIGNS = [
  ["gt", ">"],
  ["gte", "≥"],
  ["lt", "<"],
  ["lte", "≤"],
] as const;
const AMONG = {
  matches: (total: number) => `${countOf(total, "document")} match`,
  filter: (total: number) => `${countOf(total, "document")} in the filter`,
  best: (total: number) => `counted among the best ${countOf(total, "document")}`,
};

/** The bounds of a range: ≥ 1800 and < 1900. */
function rangeText(range: AnsweredRange): string {
  const bounds = SIGNS.filter(([name]) => range[name] !== undefined);
  return bounds.map(([name, sign]) => `${sign} ${range[name]}`).join(" and ");
}

/** How many documents match, and a line for each facet; nothing if the search did not count. */
export function countsText({ among, total, groups, facets = [] }: Answer, paint: Paint): string {
  if (among === undefined || total === undefined) return "";
  const lines = facets.map(({ field, values, ranges, distinct }) => {
    const shown = values?.map(({ value, docs }) => `${value} (${docs})`) ?? [];
    const counted = ranges?.map((range) => `${rangeText(range)} (${range.docs})`) ?? [];
    const more = distinct !== undefined && distinct > shown.length ? [`${distinct - shown.length} more`] : [];
    return `${paint("bold", printable(field))}: ${printable([...shown, ...counted, ...more].join(", ") || "no values")}`;
  });
  const inGroups = groups === undefined ? "" : `, in ${countOf(groups, "group")}`;
  return `${[AMONG[among](total) + inGroups, ...lines].join("\n")}\n`;
}
