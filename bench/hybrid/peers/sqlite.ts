// SQLite: FTS5 for the text, sqlite-vec for the vectors (always exact), both merged in SQL.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Corpus, EmbeddedQuery } from "../contract/dataset.ts";
import { type Adapter, candidates, type Engine, type Place } from "../contract/engine.ts";
import { type Database, openDatabase, TOKENIZE } from "../contract/sqlite-database.ts";

/** FTS5's k1 is 1.2 and cannot be changed. Its scores have a factor of k1 + 1 = 2.2, which ours do not have. */
const SCALE = 2.2;

export const sqlite: Adapter = {
  async build(corpus, place) {
    const { database } = open(place);
    database.exec(`
      create table passages(id integer primary key, text text, year integer, cat text);
      create virtual table terms using fts5(text, content = 'passages', content_rowid = 'id', ${TOKENIZE});
      create virtual table vectors using vec0(
        id integer primary key, vector float[${corpus.dims}] distance_metric=cosine
      );
      begin`);
    const passage = database.prepare("insert into passages values (?, ?, ?, ?)");
    const terms = database.prepare("insert into terms(rowid, text) values (?, ?)");
    const row = database.prepare("insert into vectors(id, vector) values (?, ?)");
    for await (const { id, text, year, cat, vector } of corpus.passages()) {
      passage.run(id, text, year, cat);
      terms.run(id, text);
      row.run(BigInt(id), bytes(vector));
    }
    database.exec("commit; insert into terms(terms) values ('optimize')");
    database.close();
  },

  async open({ lambda }, place): Promise<Engine> {
    const { database, note } = open(place);
    const lexical = database.prepare(
      "select rowid as id from terms where terms match ? order by rank limit ?",
    );
    const dense = database.prepare("select id from vectors where vector match ? and k = ?");
    const numbers = (rows: { id: number }[]) => rows.map(({ id }) => id);
    /** Sums what both lists give to a document. `part` is an expression of its score and its place in a list. */
    const hybrid = (part: string, weight = 1) => {
      const statement = database.prepare(`
        with
          l as materialized (
            select id, score, row_number() over (order by score desc) as place
            from (select rowid as id, -rank as score from terms where terms match ? order by rank limit ?)
          ),
          d as materialized (
            select id, 1 - distance as score, row_number() over (order by distance) as place
            from vectors where vector match ? and k = ?
          ),
          parts as (
            select id, ${part.replace("LIST", "l")} as part from l
            union all select id, ${weight} * (${part.replace("LIST", "d")}) from d
          )
        select id from parts group by id order by sum(part) desc limit ?`);
      return ({ text, vector }: EmbeddedQuery, k: number) => {
        const most = candidates(k);
        return numbers(statement.all(anyOf(text), most, bytes(vector), most, k));
      };
    };
    return {
      note,
      ways: [
        {
          kind: "lexical",
          name: "",
          exact: true,
          forms: { bm25: ({ text }, k) => numbers(lexical.all(anyOf(text), k)) },
        },
        {
          kind: "dense",
          name: "exact",
          exact: true,
          forms: { cosine: ({ vector }, k) => numbers(dense.all(bytes(vector), k)) },
        },
        {
          kind: "hybrid",
          name: "exact dense",
          exact: true,
          forms: {
            rrf: hybrid("1.0 / (60 + place)"),
            "raw sum": hybrid("score", SCALE * lambda),
            // A document that a list lacks gets the list's lowest score.
            "raw sum, filled": hybrid("score - (select min(score) from LIST)", SCALE * lambda),
          },
        },
      ],
      close: () => database.close(),
    };
  },

  async sizes(corpus, place) {
    return {
      "FTS5, detail full": await measureFtsBytes(corpus, place, "a", "content = ''"),
      "FTS5, detail full, with documents": await measureFtsBytes(
        corpus,
        place,
        "b",
        "content = 'passages', content_rowid = 'id'",
      ),
      "FTS5, detail none (no term counts, no BM25)": await measureFtsBytes(
        corpus,
        place,
        "c",
        "content = '', detail = none",
      ),
    };
  },
};

async function measureFtsBytes(corpus: Corpus, place: Place, name: string, options: string): Promise<number> {
  const { database } = open(place, name);
  database.exec(`
    create table passages(id integer primary key, text text, year integer, cat text);
    create virtual table terms using fts5(text, ${options}, ${TOKENIZE});
    begin`);
  const stored = options.includes("passages") && database.prepare("insert into passages values (?, ?, ?, ?)");
  const terms = database.prepare("insert into terms(rowid, text) values (?, ?)");
  for await (const { id, text, year, cat } of corpus.passages()) {
    if (stored) stored.run(id, text, year, cat);
    terms.run(id, text);
  }
  database.exec("commit; insert into terms(terms) values ('optimize'); vacuum");
  database.close();
  return statSync(join(place.folder, name)).size;
}

function open(place: Place, name?: string): { database: Database; note: string } {
  const opened = openDatabase(place, name);
  opened.database.loadExtension(place.load<{ getLoadablePath(): string }>("sqlite-vec").getLoadablePath());
  return opened;
}

function bytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

function anyOf(text: string): string {
  return text
    .split(" ")
    .map((term) => `"${term.replaceAll('"', '""')}"`)
    .join(" OR ");
}
