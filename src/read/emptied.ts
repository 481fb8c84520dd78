// Files without a word → the end of their older passages. A file that has passages names them, so an upsert finds the older ones. A
// file that became empty gives no document that could name it. So its reader notes the name beside the documents that it returns,
// and an upsert of these deletes what the file had.

/** By documents, as they are passed to `upsert`: the files that were found without a word so far. */
const EMPTIED = new WeakMap<object, readonly string[]>();

/** Notes the names beside documents. A reader may add names as long as the documents are read. */
export function noteEmptied<T extends object>(documents: T, names: readonly string[]): T {
  EMPTIED.set(documents, names);
  return documents;
}

/** The names that are noted beside documents. They are complete when all documents were read. */
export function emptiedBeside(documents: object): readonly string[] {
  return EMPTIED.get(documents) ?? [];
}

/** Notes beside changed documents what is noted beside those that they are made of. */
export function keepEmptied<T extends object>(from: object, changed: T): T {
  return noteEmptied(changed, emptiedBeside(from));
}
