// SQLite's FTS5 without stored text. Its BM25 has k1 1.2 and b 0.75.

import { join } from "node:path";
import { type Database, type DatabaseClass, SETTINGS, TOKENIZE } from "../../hybrid/sqlite-database.ts";
import type { Adapter, Place } from "../adapter.ts";
import { type Entries, readDocs, textOf } from "../bags.ts";

export const adapter: Adapter = {
  async build(place) {
    const { database } = open(place);
    const { variant: detail = "full" } = place;
    database.exec(
      `create virtual table terms using fts5(text, content = '', detail = ${detail}, ${TOKENIZE}); begin`,
    );
    const insert = database.prepare("insert into terms(rowid, text) values (?, ?)");
    let id = 0;
    for await (const bag of readDocs(place.data)) insert.run(id++, textOf(bag));
    database.exec("commit; insert into terms(terms) values ('optimize'); vacuum");
    database.close();
    return undefined;
  },

  async open(place) {
    const { database, note } = open(place);
    const best = database.prepare("select rowid as id from terms where terms match ? order by rank limit ?");
    return {
      note,
      ways: [
        {
          name: "FTS5",
          exact: true,
          prepare(bag) {
            const query = anyOf(bag);
            return (k) => {
              const rows = best.all(query, k);
              return () => rows.map(({ id }) => id);
            };
          },
        },
      ],
    };
  },
};

/** Opens better-sqlite3 if it could be built, otherwise libsql, which has the same interface and comes with a binary. */
function open({ folder, load }: Place): { database: Database; note: string } {
  const path = join(folder, "database");
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

function anyOf(bag: Entries): string {
  const quoted = ([term, count]: Entries[number]) =>
    Array.from({ length: count }, () => `"${term.replaceAll('"', '""')}"`);
  return bag.flatMap(quoted).join(" OR ");
}
