// What scan and rank use of segment/: windows, posting lists and product codes, of the rooms rows/, lexical/ and codes/. It
// only exports.

export { type CodeShape, codeBytes } from "./codes/code-shape.ts";
export { type LookUps, ProductCoder, tableBytes } from "./codes/product-codes.ts";
export {
  GAP_DIRECTORY,
  type GapDirectory,
  MOST_CODE,
  requireGapDirectory,
  unreadableGapsError,
} from "./lexical/gap-lists.ts";
export { type Levels, LevelsBuilder, MOST_LEVELS, valueAt } from "./lexical/levels.ts";
export { unpackCells, type WindowStarts } from "./lexical/packed-cells.ts";
export { LIST_SECTIONS, ListReader, type PackedLists } from "./lexical/packed-postings.ts";
export { unreadableListError } from "./lexical/posting-blocks.ts";
export { cellKey, encodeValues, type Inverted } from "./lexical/postings.ts";
export { requireClasses, type ValueClasses } from "./lexical/value-classes.ts";
export { padDocs, splitIntoWindows, type Window } from "./rows/windows.ts";
