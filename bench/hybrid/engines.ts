// Lists all engines of the bench: their packages with pinned versions, and their adapters. The versions are the newest that
// claim to support Node 20.

import type { Adapter } from "./contract/engine.ts";

export interface EngineSpec {
  readonly name: string;
  /** Packages and versions to install from npm. */
  readonly packages: Readonly<Record<string, string>>;
  /** Packages that come without a binary. Their install scripts are run to build one. */
  readonly build?: readonly string[];
  /** Environment variables of its process. */
  readonly env?: Readonly<Record<string, string>>;
  adapter(): Promise<Adapter>;
}

const LANCEDB = {
  packages: { "@lancedb/lancedb": "0.37.1", "apache-arrow": "18.1.0" },
  // Do not set LANCE_IO_THREADS: with 1 the full-text index never finishes.
  env: { LANCE_CPU_THREADS: "1", TOKIO_WORKER_THREADS: "1", RAYON_NUM_THREADS: "1", LANCEDB_LOG: "error" },
};

export const ENGINES: readonly EngineSpec[] = [
  {
    name: "sluice",
    packages: {},
    adapter: async () => (await import("./peers/sluice.ts")).sluice("full"),
  },
  {
    name: "sluice-768",
    packages: {},
    adapter: async () => (await import("./peers/sluice.ts")).sluice(768),
  },
  {
    name: "zvec",
    packages: { "@zvec/zvec": "0.7.0" },
    adapter: async () => (await import("./peers/zvec.ts")).zvec,
  },
  {
    name: "lancedb",
    ...LANCEDB,
    adapter: async () => (await import("./peers/lancedb.ts")).lancedb({ hasGraph: false }),
  },
  {
    name: "lancedb-hnsw",
    ...LANCEDB,
    adapter: async () => (await import("./peers/lancedb.ts")).lancedb({ hasGraph: true }),
  },
  {
    name: "sqlite",
    // better-sqlite3 13 has binaries but crashes on Node 20; 12 must be compiled. If that fails, libsql is used.
    packages: { "better-sqlite3": "12.11.1", libsql: "0.5.29", "sqlite-vec": "0.1.9" },
    build: ["better-sqlite3"],
    adapter: async () => (await import("./peers/sqlite.ts")).sqlite,
  },
  {
    name: "usearch",
    packages: { usearch: "2.25.3" },
    adapter: async () => (await import("./peers/usearch.ts")).usearch,
  },
  {
    name: "orama",
    packages: { "@orama/orama": "3.1.18" },
    adapter: async () => (await import("./peers/orama.ts")).orama,
  },
  {
    name: "minisearch",
    packages: { minisearch: "7.2.0" },
    adapter: async () => (await import("./peers/minisearch.ts")).minisearch,
  },
];
