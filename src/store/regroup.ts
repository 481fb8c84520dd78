// Groups of documents put in order, after segments were merged: small ones, of small commits, are joined, documents that
// were deleted go, and the rest stays as it is. Documents keep their serial numbers, so nothing else changes, and each
// step is a transaction of its own: killed between two of them, there is more left to do for the next merge.

import { turn } from "../support/progress.ts";
import { removeRange } from "./commit.ts";
import type { SegmentState } from "./commit-record.ts";
import type { Database, ReadTransaction } from "./database.ts";
import {
  Dictionaries,
  dictionaryFrom,
  LEARNED_FROM_BYTES,
  lastDictionary,
  putDictionary,
} from "./dictionary.ts";
import { type DictionaryOf, Group, type StoredDocument } from "./group.ts";
import { packedInTurns } from "./pack.ts";

/** A group is written anew when more than this share of its documents is deleted. */
const MOST_DELETED = 0.25;
/** A group with less JSON is joined with its neighbours, where they are small, too. */
const SMALL_BYTES = LEARNED_FROM_BYTES;
/** JSON that is rewritten at once: it is held in memory. */
const STEP_BYTES = 8 * 1024 * 1024;
/** Groups looked at before others have a turn. */
const GROUPS_AT_ONCE = 64;

/** Where the documents of a segment are. */
export interface SegmentSerials {
  readonly segment: SegmentState;
  /** The last document of the segment before is below this. */
  readonly start: number;
  /** The first document of the next one. */
  readonly end: number;
  /** Where the last commit ends: what is beyond may be taken back, and nothing may depend on it. */
  readonly nextSerial: number;
}

interface RegroupInput extends SegmentSerials {
  readonly database: Database;
  /** Whether every deleted document goes. */
  readonly thorough: boolean;
  /** Writes in a transaction, when it is this work's turn. Throws when the segment is no longer there. */
  write(work: () => void, bytes: number): Promise<void>;
}

/** A group and what is to be done with it. */
interface Found {
  readonly group: Group;
  readonly live: number;
  readonly isLoose: boolean;
  /** Whether it is worth rewriting by itself. */
  readonly isWasteful: boolean;
}

export async function regroup(input: RegroupInput): Promise<void> {
  const { database, segment } = input;
  const transaction = database.view();
  try {
    const dictionaries = new Dictionaries(database, () => transaction);
    let dictionary = lastDictionary(database, { end: input.nextSerial, transaction });
    for await (const run of looseRuns(input, transaction, () => dictionary !== undefined)) {
      const documents = run.flatMap(({ group }) =>
        liveDocuments(group, segment, (key) => dictionaries.at(key)),
      );
      const learned = dictionary ? undefined : dictionaryFrom(documents);
      dictionary ??= learned;
      const groups = await packedInTurns(documents, dictionary);
      const bytes = groups.reduce((sum, { value }) => sum + value.length, 0);
      await input.write(() => {
        if (learned) putDictionary(database, learned);
        removeRange(database.documents, { start: run[0].group.last, end: run.at(-1)!.group.last + 1 });
        for (const { last, value } of groups) database.documents.putSync(last, value);
      }, bytes);
    }
  } finally {
    transaction.done();
  }
}

/** Neighbours that are to be written anew, together. */
async function* looseRuns(
  { database, segment, start, end, thorough }: RegroupInput,
  transaction: ReadTransaction,
  hasDictionary: () => boolean,
): AsyncGenerator<Found[]> {
  let run: Found[] = [];
  let seen = 0;
  const isWorthIt = () => run.length > 1 || run.some(({ isWasteful }) => isWasteful);
  for (const last of [...database.documents.getKeys({ start, end, transaction })]) {
    const value = database.documents.get(last, { transaction })!;
    const group = new Group(value, last, database.path);
    if (group.first < start) continue; // of the segment before, whose last documents were deleted
    const found = judged(group, segment, thorough, hasDictionary());
    if (found.isLoose) run.push(found);
    if (!found.isLoose || jsonBytesOf(run) >= STEP_BYTES) {
      if (isWorthIt()) yield run;
      run = [];
    }
    if (++seen % GROUPS_AT_ONCE === 0) await turn();
  }
  if (isWorthIt()) yield run;
}

function judged(group: Group, segment: SegmentState, thorough: boolean, hasDictionary: boolean): Found {
  const live = liveBetween(segment, group.first, group.last);
  const deleted = group.docs - live;
  const isWasteful =
    deleted > (thorough ? 0 : MOST_DELETED * group.docs) || (group.dictionary === 0 && hasDictionary);
  const isSmall = (group.jsonBytes * live) / group.docs < SMALL_BYTES;
  return { group, live, isLoose: isWasteful || isSmall, isWasteful };
}

function jsonBytesOf(run: readonly Found[]): number {
  return run.reduce((sum, { group }) => sum + group.jsonBytes, 0);
}

/** How many documents of a segment have serial numbers from one to another. */
function liveBetween({ source, deleted }: SegmentState, first: number, last: number): number {
  let live = 0;
  for (let doc = firstFrom(source.serials, first); doc < source.docs && source.serials[doc] <= last; doc++) {
    if (!deleted?.get(doc)) live++;
  }
  return live;
}

function firstFrom(serials: Float64Array, serial: number): number {
  let [low, high] = [0, serials.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (serials[middle] < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

function liveDocuments(
  group: Group,
  { source, deleted }: SegmentState,
  dictionaryOf: DictionaryOf,
): StoredDocument[] {
  return [...group.documents(dictionaryOf)].filter(({ serial }) => {
    const doc = source.localOf(serial);
    return doc !== undefined && !deleted?.get(doc);
  });
}
