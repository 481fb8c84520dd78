// Removes an index from a cluster. The commit record goes first: without it there is no index. If the rest is not removed, it
// only costs space.

import { nothingToDropError } from "../../store/medium/drop-folder.ts";
import { readRecord, removeRecord } from "../commit/cluster-record.ts";
import { requireOwnName } from "../commit/own-indexes.ts";
import type { Connection } from "../connect/connection.ts";
import { readNote } from "./push.ts";

/** Removes an index. Throws if there is none, or if another writer commits at the same time. */
export async function dropIndex(connection: Connection): Promise<void> {
  const { text, name } = connection.address;
  const version = await readRecord(connection);
  if (!version) {
    await requireOwnName(connection);
    throw nothingToDropError(text);
  }
  const note = await readNote(connection); // what a push that was interrupted sent
  await removeRecord(connection, version);
  const documents = new Set([version.record.documents, note?.documents]);
  for (const index of documents) {
    if (index !== undefined) await connection.askIfThere({ method: "DELETE", path: `/${index}` });
  }
  await connection.askIfThere({ method: "DELETE", path: `/${name}` });
}
