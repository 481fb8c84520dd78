// Documents in their order → the first of each group, where documents with the same value in a field are a group. How many
// documents are needed for a page is not known before, so more are asked for until there are enough groups.

import type { ScoredDoc } from "../../rank/best-documents.ts";
import { segmentAt } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

/** The first documents in some order: `most` of them, or fewer if there are no more. */
type FirstDocs = (most: number) => Promise<readonly ScoredDoc[]>;

/** How many documents are asked for first, for each group that is needed. More: one search that may be longer than needed. */
const DOCS_PER_GROUP = 4;
/** If there are too few groups, this many times as many documents are asked for. */
const GROWTH = 4;

/** The groups from…to − 1, each with its first document. A document without a value is a group of its own. */
export async function groupDocs(
  snapshot: Snapshot,
  field: string,
  from: number,
  to: number,
  firstDocs: FirstDocs,
): Promise<ScoredDoc[]> {
  const groupOf = await readGroups(snapshot, field);
  for (let most = DOCS_PER_GROUP * to; ; most *= GROWTH) {
    const ranked = await firstDocs(Math.min(most, snapshot.rowCount));
    const seen = new Set<string>();
    const firstOfGroups: ScoredDoc[] = [];
    for (const scored of ranked) {
      const group = groupOf(scored.doc);
      if (group !== undefined && seen.has(group)) continue;
      if (group !== undefined) seen.add(group);
      firstOfGroups.push(scored);
      if (firstOfGroups.length === to) return firstOfGroups.slice(from);
    }
    if (ranked.length < most) return firstOfGroups.slice(from);
  }
}

/** How many groups the documents of each segment are in, together. */
export async function countGroups(
  snapshot: Snapshot,
  field: string,
  within: readonly Iterable<number>[],
): Promise<number> {
  const groupOf = await readGroups(snapshot, field);
  const seen = new Set<string>();
  let alone = 0;
  snapshot.segments.forEach(({ first }, i) => {
    for (const local of within[i]) {
      const group = groupOf(first + local);
      if (group === undefined) alone++;
      else seen.add(group);
    }
  });
  return seen.size + alone;
}

/** The group of a document, by its doc. */
async function readGroups(
  { segments, rowCount }: Snapshot,
  field: string,
): Promise<(doc: number) => string | undefined> {
  if (rowCount === 0) return () => undefined;
  const columns = await Promise.all(segments.map((segment) => segment.columns()));
  const bySegment = new Map(
    segments.map((segment, i) => [
      segment,
      { column: columns[i].columnOf(field), keys: new Map<number, string>() },
    ]),
  );
  return (doc) => {
    const segment = segmentAt(segments, doc);
    const { column, keys } = bySegment.get(segment)!;
    const code = column?.codeOf(doc - segment.first) ?? 0;
    if (code === 0) return undefined;
    const key = keys.get(code) ?? groupKey(column!.entry(code));
    keys.set(code, key);
    return key;
  };
}

/** A value as JSON, so that 1 is not "1". A list with one value is that value, as for filters and facets. */
function groupKey(value: unknown): string {
  return JSON.stringify(Array.isArray(value) && value.length === 1 ? value[0] : value);
}
