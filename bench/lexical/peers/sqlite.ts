// SQLite's FTS5 without stored text. Its BM25 has k1 1.2 and b 0.75.

import { openDatabase, TOKENIZE } from "../../hybrid/contract/sqlite-database.ts";
import type { Adapter } from "../adapter.ts";
import { type Entries, readDocs, textOf } from "../bags.ts";

export const adapter: Adapter = {
  async build(place) {
    const { database } = openDatabase(place);
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
    const { database, note } = openDatabase(place);
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

function anyOf(bag: Entries): string {
  const quoted = ([term, count]: Entries[number]) =>
    Array.from({ length: count }, () => `"${term.replaceAll('"', '""')}"`);
  return bag.flatMap(quoted).join(" OR ");
}
