// The documents of an index in memory → groups for a disk. Memory holds the documents of small commits as they are
// (`ingest/build/packer.ts`).

import type { Database } from "../database/database.ts";
import { buildDictionary, Dictionaries, findLastDictionary } from "../packed/dictionary.ts";
import { type DocumentJson, Group } from "../packed/group.ts";
import { type PackedGroup, packGroupsInTurns } from "../packed/pack.ts";
import type { NewGroups } from "./group-tables.ts";

/** JSON that a dictionary is made from, in bytes. More: pieces of more documents, and more memory. */
const SAMPLE_BYTES = 8 * 1024 * 1024;

/** Compresses each group that is not compressed. Groups are not joined: each belongs to one segment. */
export async function compressCopy(from: Database): Promise<NewGroups> {
  const dictionaries = new Dictionaries(from);
  const documentsOf = (group: Group) => [...group.documents((key) => dictionaries.at(key))];
  const stored = from.documents.getRange({});
  const known = findLastDictionary(from, {});
  const learned = known ? undefined : buildDictionary(sampleOf(stored, documentsOf, from.path));
  const groups: PackedGroup[] = [];
  for (const { key: last, value } of stored) {
    const group = new Group(value, last, from.path);
    if (group.isCompressed) groups.push({ last, value });
    else groups.push(...(await packGroupsInTurns(documentsOf(group), known ?? learned)));
  }
  return { groups, dictionary: learned };
}

/** The first documents. */
function sampleOf(
  stored: Iterable<{ key: number; value: Buffer }>,
  documentsOf: (group: Group) => DocumentJson[],
  path: string,
): DocumentJson[] {
  const sample: DocumentJson[] = [];
  let bytes = 0;
  for (const { key, value } of stored) {
    const group = new Group(value, key, path);
    sample.push(...documentsOf(group));
    bytes += group.jsonBytes;
    if (bytes >= SAMPLE_BYTES) break;
  }
  return sample;
}
