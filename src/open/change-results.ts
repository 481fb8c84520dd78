// What a change returns: counts, in one style for `add`, `upsert` and `delete`. Answers of the server and `--json` of the command
// line have the same names.

/** What `add` did. */
export interface AddResult {
  /** How many documents were added. A document that was cut counts once for each of its passages. */
  readonly added: number;
}

/** What `upsert` did. After the commit, `docs` has grown by `added` − `replaced` − `deleted`. */
export interface UpsertResult extends AddResult {
  /** How many documents the added ones took the place of. */
  readonly replaced: number;
  /** How many passages were deleted because `readFiles` found their file without a word. */
  readonly deleted: number;
}

/** What `delete` did. */
export interface DeleteResult {
  /** How many documents were deleted. Ids that no document has do not count. */
  readonly deleted: number;
}
