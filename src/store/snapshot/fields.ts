// The fields of the documents of an index and their values: what a filter can ask for.

import type { FieldSummary } from "../../segment/columns/columns.ts";
import type { Snapshot } from "./snapshot.ts";

/** A field of the documents of an index. */
export interface FieldInfo {
  /** As a filter names it: with dots if it is nested. */
  readonly name: string;
  /** How many documents have a value. */
  readonly docs: number;
  /** The smallest and the largest number, if it has numbers. */
  readonly range?: { readonly min: number; readonly max: number };
  /** The texts and booleans of the field, most frequent first. Absent if there are over 50, or one of over 200 characters. */
  readonly choices?: readonly { readonly value: string | boolean; readonly docs: number }[];
}

/** The most values that are listed. */
const MOST_CHOICES = 50;
/** The most fields that are listed. Objects whose keys are data make a field of every key. */
const MOST_FIELDS = 50;
/** Characters of a text that may be chosen. Longer ones are read, not chosen, and would make an answer of megabytes. */
const MOST_CHOICE_LENGTH = 200;

/** @internal The names of all fields of an index, as a filter names them. */
export async function listFieldNames({ segments }: Snapshot): Promise<Set<string>> {
  const names = new Set<string>();
  for (const segment of segments) for (const name of (await segment.columns()).fieldNames()) names.add(name);
  return names;
}

/** @internal The fields that most documents have, the most common first. */
export async function describeFields({ segments }: Snapshot): Promise<FieldInfo[]> {
  const parts = await Promise.all(
    segments.map(async ({ source, deleted }) => ({ columns: await source.columns(), deleted })),
  );
  const presence = new Map<string, number>();
  for (const { columns } of parts) {
    for (const [name, docs] of columns.presence()) presence.set(name, (presence.get(name) ?? 0) + docs);
  }
  const names = [...presence.keys()].sort((a, b) => presence.get(b)! - presence.get(a)! || (a < b ? -1 : 1));
  return names
    .slice(0, MOST_FIELDS)
    .map((name) => {
      const summaries = parts.map(({ columns, deleted }) => columns.summary(name, deleted, MOST_CHOICES));
      return joinSummaries(
        name,
        summaries.filter((summary) => summary !== undefined),
      );
    })
    .filter(({ docs }) => docs > 0);
}

/** @internal Whether values are listed as choices: there are some, but few, and none is long. */
export function mayBeChosen(values: readonly (string | boolean)[]): boolean {
  const isShort = (value: string | boolean) =>
    typeof value !== "string" || value.length <= MOST_CHOICE_LENGTH;
  return values.length > 0 && values.length <= MOST_CHOICES && values.every(isShort);
}

function joinSummaries(name: string, summaries: readonly FieldSummary[]): FieldInfo {
  const docs = summaries.reduce((sum, summary) => sum + summary.docs, 0);
  const ranges = summaries.flatMap(({ range }) => (range ? [range] : []));
  const counts = new Map<string | boolean, number>();
  for (const { choices } of summaries) {
    for (const [value, count] of choices ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const isCounted = summaries.every(({ choices }) => choices) && mayBeChosen([...counts.keys()]);
  return {
    name,
    docs,
    ...(ranges.length > 0 && {
      range: {
        min: Math.min(...ranges.map(({ min }) => min)),
        max: Math.max(...ranges.map(({ max }) => max)),
      },
    }),
    ...(isCounted && { choices: Array.from(counts, ([value, docs]) => ({ value, docs })).sort(byDocs) }),
  };
}

type Choice = { readonly value: string | boolean; readonly docs: number };

const byDocs = (a: Choice, b: Choice) => b.docs - a.docs || (String(a.value) < String(b.value) ? -1 : 1);
