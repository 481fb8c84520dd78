// What zod finds wrong with a value → the same in the words of our errors: what is expected, and what was found.

import type { z } from "zod";
import { formatCount, showValue } from "../../support/options/options.ts";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** What is wrong, as the end of a sentence that begins with its place: "must be a number, not …". Undefined: zod's own words. */
export function describeIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type": {
      if (issue.input === undefined) return "is missing";
      const expected = TYPES[issue.expected];
      return expected && `must be ${expected}, not ${showValue(issue.input)}`;
    }
    case "invalid_value": {
      const values = issue.values.map((value) => JSON.stringify(value)).join(", ");
      return `must be ${issue.values.length > 1 ? "one of " : ""}${values}, not ${showValue(issue.input)}`;
    }
    case "too_small":
      return describeBound(issue, issue.minimum, issue.inclusive === false ? "above" : "at least");
    case "too_big":
      return describeBound(issue, issue.maximum, issue.inclusive === false ? "below" : "at most");
    case "invalid_format":
      return issue.pattern && `must match ${issue.pattern}, and is ${showValue(issue.input)}`;
    case "invalid_union":
      return `has none of the forms that it may have: it is ${showValue(issue.input)}`;
    default:
      return undefined;
  }
}

function describeBound(
  { origin, input }: { readonly origin: string; readonly input?: unknown },
  bound: number | bigint,
  than: string,
): string | undefined {
  const size = formatCount(Number(bound));
  if (origin === "number" || origin === "int") return `must be ${than} ${size}, not ${showValue(input)}`;
  const parts = { string: "characters", array: "entries" }[origin];
  if (parts === undefined) return undefined;
  return than === "at least" && Number(bound) === 1
    ? "must not be empty"
    : `has ${formatCount((input as string | unknown[]).length)} ${parts}, expected ${than} ${size}`;
}
