// Opens SQLite for the adapters of both benches. FTS5 has no tokenizer that splits at white space only. unicode61 does
// so if all other categories of characters belong to terms.

import { join } from "node:path";
import type { Place } from "./engine.ts";

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  loadExtension(path: string): void;
  close(): void;
}

interface Statement {
  run(...values: unknown[]): void;
  all(...values: unknown[]): { id: number }[];
  get(): Record<string, unknown>;
}

type DatabaseClass = new (path: string) => Database;

export const TOKENIZE = `tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"`;
/** Fast and small: no journal, no sync, and memory-mapped reads. */
const SETTINGS = "pragma journal_mode = off; pragma synchronous = off; pragma mmap_size = 4000000000;";

/** Opens better-sqlite3 if it could be built, otherwise libsql, which has the same interface and comes with a binary. */
export function openDatabase(
  { folder, load }: Place,
  name = "database",
): { database: Database; note: string } {
  const path = join(folder, name);
  const { database, library } = opened();
  database.exec(SETTINGS);
  const { version } = database.prepare("select sqlite_version() as version").get();
  return { database, note: `SQLite ${version} by ${library}` };

  function opened() {
    try {
      return { database: new (load<DatabaseClass>("better-sqlite3"))(path), library: "better-sqlite3" };
    } catch {
      return { database: new (load<DatabaseClass>("libsql"))(path), library: "libsql" };
    }
  }
}
