// Tidies up the groups of documents after a merge: joins small groups, which come from small commits, and drops deleted documents.
// Other groups stay. Documents keep their serial numbers, so nothing else changes. Each step is a transaction of its own: if the
// process is killed, the next merge does the rest.

import { groupsBetween, putGroups, removeGroups } from "../../store/commit/group-tables.ts";
import type { Database, ReadTransaction } from "../../store/database/database.ts";
import {
  buildDictionary,
  Dictionaries,
  findLastDictionary,
  LEARNED_FROM_BYTES,
} from "../../store/packed/dictionary.ts";
import type { DictionaryOf, DocumentJson, Group } from "../../store/packed/group.ts";
import { packGroupsInTurns } from "../../store/packed/pack.ts";
import type { SegmentState } from "../../store/record/commit-record.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import { Turns, waitForTurn, waitInBackground } from "../../support/work/turns.ts";

/** A group is rewritten if more than this share of its documents is deleted. */
const MOST_DELETED = 0.25;
/** A group with less JSON is joined with its neighbors, if they are small, too. */
const SMALL_BYTES = LEARNED_FROM_BYTES;
/** JSON that is rewritten in one step. It is in memory. */
const STEP_BYTES = 8 * 1024 * 1024;
/** Groups looked at before other work can run. */
const GROUPS_AT_ONCE = 64;

/** The serial numbers that belong to a segment. */
export interface SegmentSerials {
  readonly segment: SegmentState;
  /** All documents of earlier segments are below this. */
  readonly start: number;
  /** All documents of later segments have this serial number or a higher one. */
  readonly end: number;
  /** Documents from this serial number on are in no commit. They may be rolled back, so nothing may depend on them. */
  readonly nextSerial: number;
}

interface RegroupInput extends SegmentSerials {
  readonly database: Database;
  /** Rewrites every group with a deleted document. Otherwise a group is rewritten only if many of its documents are deleted. */
  readonly isThorough: boolean;
  /** Runs `work` in a transaction, when it is its turn. Throws if the segment is gone. */
  write(work: () => void, bytes: number): Promise<void>;
}

/** A group, and whether to rewrite it. */
interface GroupDecision {
  readonly group: Group;
  /** Whether to rewrite it together with a neighbor. */
  readonly mayJoin: boolean;
  /** Whether to rewrite it even alone. */
  readonly needsRewrite: boolean;
}

export async function regroupDocuments(input: RegroupInput): Promise<void> {
  const { database, segment } = input;
  const transaction = database.view();
  const turns = new Turns(undefined, waitInBackground);
  try {
    const dictionaries = new Dictionaries(database, () => transaction);
    let dictionary = findLastDictionary(database, { end: input.nextSerial, transaction });
    for await (const run of findRuns(input, transaction, () => dictionary !== undefined)) {
      const documents: DocumentJson[] = [];
      for (const { group } of run) {
        for (const document of liveDocuments(group, segment, (key) => dictionaries.at(key)))
          documents.push(document);
        if (turns.isDue) await turns.next();
      }
      const learned = dictionary ? undefined : buildDictionary(documents);
      dictionary ??= learned;
      const groups = await packGroupsInTurns(documents, dictionary);
      const bytes = groups.reduce((sum, { value }) => sum + value.length, 0);
      await input.write(() => {
        removeGroups(database, { start: run[0].group.last, end: run.at(-1)!.group.last + 1 });
        putGroups(database, { groups, dictionary: learned });
      }, bytes);
    }
  } finally {
    transaction.done();
  }
}

/** Runs of neighboring groups that are rewritten together. */
async function* findRuns(
  { database, segment, start, end, isThorough }: RegroupInput,
  transaction: ReadTransaction,
  hasDictionary: () => boolean,
): AsyncGenerator<GroupDecision[]> {
  let run: GroupDecision[] = [];
  let seen = 0;
  const isWorthIt = () => run.length > 1 || run.some(({ needsRewrite }) => needsRewrite);
  for (const group of groupsBetween(database, { start, end }, transaction)) {
    if (group.first < start) continue; // it belongs to the segment before, whose last documents were deleted
    const found = judgeGroup(group, segment, isThorough, hasDictionary());
    if (found.mayJoin) run.push(found);
    if (!found.mayJoin || jsonBytesOf(run) >= STEP_BYTES) {
      if (isWorthIt()) yield run;
      run = [];
    }
    if (++seen % GROUPS_AT_ONCE === 0) await waitForTurn();
  }
  if (isWorthIt()) yield run;
}

function judgeGroup(
  group: Group,
  segment: SegmentState,
  isThorough: boolean,
  hasDictionary: boolean,
): GroupDecision {
  const live = liveBetween(segment, group.first, group.last);
  const deleted = group.docs - live;
  const needsRewrite =
    deleted > (isThorough ? 0 : MOST_DELETED * group.docs) || (group.dictionary === 0 && hasDictionary);
  const isSmall = (group.jsonBytes * live) / group.docs < SMALL_BYTES;
  return { group, mayJoin: needsRewrite || isSmall, needsRewrite };
}

function jsonBytesOf(run: readonly GroupDecision[]): number {
  return run.reduce((sum, { group }) => sum + group.jsonBytes, 0);
}

/** How many documents with serial numbers from `first` to `last` are not deleted. */
function liveBetween({ source, deleted }: SegmentState, first: number, last: number): number {
  let live = 0;
  const { serials } = source;
  for (let local = firstAtLeast(serials, first); local < source.rowCount && serials[local] <= last; local++) {
    if (!deleted?.get(local)) live++;
  }
  return live;
}

function liveDocuments(
  group: Group,
  { source, deleted }: SegmentState,
  dictionaryOf: DictionaryOf,
): DocumentJson[] {
  return [...group.documents(dictionaryOf)].filter(({ serial }) => {
    const local = source.localOf(serial);
    return local !== undefined && !deleted?.get(local);
  });
}
