// The door of the room packed/: it only exports. Writing, merging and repairing import from here what they need of compressed
// groups of documents: dictionaries, groups, and the documents in them.

export {
  buildDictionary,
  Dictionaries,
  type Dictionary,
  findLastDictionary,
  LEARNED_FROM_BYTES,
} from "./packed/dictionary.ts";
export { type DictionaryOf, type DocumentJson, Group } from "./packed/group.ts";
export { type PackedGroup, packGroups, packGroupsInTurns } from "./packed/pack.ts";
export { type GroupSource, groupsIn, PackedDocuments } from "./packed/packed-documents.ts";
