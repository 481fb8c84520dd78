// What writing, merging and repairing use of documents as compressed groups: dictionaries, groups, and the documents in them. Other
// folders import these names from here, and know nothing else of the room.

export {
  buildDictionary,
  Dictionaries,
  type Dictionary,
  findLastDictionary,
  LEARNED_FROM_BYTES,
  putDictionary,
} from "./packed/dictionary.ts";
export { type DictionaryOf, type DocumentJson, Group } from "./packed/group.ts";
export { type PackedGroup, packGroups, packGroupsInTurns } from "./packed/pack.ts";
export { type GroupSource, groupsIn, PackedDocuments } from "./packed/packed-documents.ts";
