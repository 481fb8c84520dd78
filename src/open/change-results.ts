// What a change returns: counts, in one style for `add`, `upsert` and `delete`. Answers of the server and `--json` of the command
// line have the same names.

/**
 * What `upsert` did. `add` returns `added` alone, and `delete` returns `deleted`. After the commit, `docs` has grown by
 * `added` − `replaced` − `deleted`.
 */
export interface ChangeResult {
  /** How many documents were added. A document that was cut counts once for each of its passages. */
  readonly added: number;
  /** How many documents the added ones took the place of. */
  readonly replaced: number;
  /**
   * How many documents were deleted: by `delete`, without ids that no document has; by `upsert`, passages of files that `readFiles`
   * found without a word.
   */
  readonly deleted: number;
}
