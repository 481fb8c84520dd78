// Verifies every group of documents: its head, its blocks, their lines, and that groups do not overlap.

import type { Problems } from "../../segment/container/problems.ts";
import type { Database, ReadTransaction } from "../database/database.ts";
import { Dictionaries } from "../packed/dictionary.ts";
import { Group } from "../packed/group.ts";

/** A block. A damaged one claims to have every document, so that its documents are not reported as missing, too. */
export interface VerifiedBlock {
  /** The key of its group. */
  readonly group: number;
  readonly first: number;
  readonly last: number;
  readonly docs: number;
  /** Bytes of the group, in its first block; 0 in the others. */
  readonly bytes: number;
  has(serial: number): boolean;
}

/** The blocks of all groups below a serial number, in order. */
export function* verifyBlocks(
  database: Database,
  transaction: ReadTransaction,
  end: number,
  problems: Problems,
): Generator<VerifiedBlock> {
  const dictionaries = new Dictionaries(database, () => transaction);
  let before = 0;
  for (const key of database.documents.getKeys({ end, transaction })) {
    const value = database.documents.get(key, { transaction })!;
    const damaged = { group: key, docs: 0, has: () => true };
    let bytes = value.length;
    const group = problems.catchSync(() => new Group(value, key, database.path));
    if (!group) yield { ...damaged, first: before + 1, last: key, bytes };
    let docs = 0;
    for (const [i, { firstSerial: first, lines: count }] of group?.blocks.entries() ?? []) {
      const last = first + count - 1;
      if (first <= before) problems.add(database.path, `the group up to ${key} reaches into the one before`);
      const lines = problems.catchSync(() => group!.lines(i, (key) => dictionaries.at(key)));
      const serials = lines && new Set(Array.from(lines, ({ serial }) => serial));
      docs += serials?.size ?? Number.NaN; // unknown where a block is damaged
      yield serials
        ? { group: key, first, last, docs: serials.size, bytes, has: (serial) => serials.has(serial) }
        : { ...damaged, first, last, bytes };
      bytes = 0;
      before = last;
    }
    if (group && (before !== key || (!Number.isNaN(docs) && docs !== group.docs))) {
      problems.add(database.path, `the group up to ${key} does not hold what its head says`);
    }
    before = key;
  }
}
