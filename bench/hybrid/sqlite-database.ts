// Settings and types of SQLite, shared by the adapters. FTS5 has no tokenizer that splits at white space only. unicode61 does
// so if all other categories of characters belong to terms.

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
/** Fast and small: no journal, no sync, and memory-mapped reads. */
export const SETTINGS = "pragma journal_mode = off; pragma synchronous = off; pragma mmap_size = 4000000000;";
