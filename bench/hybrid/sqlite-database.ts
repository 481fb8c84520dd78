// SQLite as the peers use it. FTS5 has no tokenizer that cuts at white space alone, but unicode61 comes to that when every
// other category of characters makes terms.

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  loadExtension(path: string): void;
  close(): void;
}

export interface Statement {
  run(...values: unknown[]): void;
  all(...values: unknown[]): { id: number }[];
  get(): Record<string, unknown>;
}

export type DatabaseClass = new (path: string) => Database;

export const TOKENIZE = `tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"`;
/** Writes go into one file at once, nothing is kept twice; reads are mapped. */
export const SETTINGS = "pragma journal_mode = off; pragma synchronous = off; pragma mmap_size = 4000000000;";
