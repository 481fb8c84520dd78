// An index of Sluice in a folder → the bytes that the texts of documents take in its database.

import { join } from "node:path";
import { open } from "lmdb";

export function documentBytes(folder: string): number {
  const database = open({ path: join(folder, "index.mdb"), noSubdir: true, readOnly: true, maxDbs: 8 });
  const bytes = ["documents", "dictionaries"].map((name) => {
    const stats = database.openDB({ name }).getStats() as unknown as Record<string, number>;
    return (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize;
  });
  void database.close();
  return bytes[0] + bytes[1];
}
