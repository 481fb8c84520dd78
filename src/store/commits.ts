// The door of the room commit/: it only exports. Writing, merging, copying and repairing import from here what they need of the
// tables of a commit. What they write is plain data, within a transaction.

export { compressCopy } from "./commit/compress-copy.ts";
export { copyTables, estimateBytes } from "./commit/copy-tables.ts";
export { groupsBetween, type NewGroups, putGroups, removeGroups } from "./commit/group-tables.ts";
export {
  committedIds,
  DELETED,
  findStoredSerial,
  hasUncommitted,
  putUncommittedIds,
  removeUncommitted,
  storedIdsBetween,
} from "./commit/uncommitted.ts";
export { writeAsOwner } from "./commit/write-as-owner.ts";
export { type Commit, writeCommit, writeMerge } from "./commit/write-commit.ts";
