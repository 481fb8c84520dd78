// Lists all engines of the bench, and the data sets they can index. Not included: Faiss (no inverted index of sparse vectors),
// FlexSearch and similar (no ranking by BM25), Orama and LanceDB (the bench hybrid measures their BM25). npm has no inverted
// index of weighted terms (zvec scans its sparse vectors), so engines from PyPI and Maven Central are included.

import { java, node, type Prepare, python } from "./runtimes.ts";

export type SetName = "bm25" | "splade";

export interface Peer {
  readonly name: string;
  readonly sets: readonly SetName[];
  /** Forms of the index whose size is measured. Without a variant it is the form that is searched. */
  readonly sizes?: readonly { readonly what: string; readonly variant?: string }[];
  readonly prepare: Prepare;
}

export const OURS = "sluice";

export const PEERS: readonly Peer[] = [
  {
    name: OURS,
    sets: ["bm25", "splade"],
    sizes: [{ what: "segments, ids, vocabulary, statistics; no text" }],
    prepare: node("sluice", "sluice"),
  },
  {
    name: "lucene",
    sets: ["bm25", "splade"],
    sizes: [{ what: "frequencies and norms, no positions, one segment" }],
    prepare: java("Lucene", [
      // 9 is the newest that runs on Java 17.
      "org.apache.lucene:lucene-core:9.12.3",
    ]),
  },
  {
    name: "pisa",
    sets: ["bm25", "splade"],
    // Install without dependencies: its Python package needs a whole search platform, but its binary does not.
    prepare: python("pisa_peer.py", ["pyterrier-pisa==0.4.9", "tbb==2020.3.254", "numpy==2.4.6"], {
      alone: true,
    }),
  },
  {
    name: "tantivy",
    sets: ["bm25"],
    sizes: [{ what: "frequencies and norms, no positions, one segment" }],
    prepare: python("tantivy_peer.py", ["tantivy==0.27.0"]),
  },
  {
    name: "bm25s",
    sets: ["bm25"],
    prepare: python("bm25s_peer.py", ["bm25s==0.3.16", "numba==0.68.1", "numpy==2.4.6"]),
  },
  { name: "zvec", sets: ["bm25", "splade"], prepare: node("zvec", "zvec") },
  {
    name: "sqlite",
    sets: ["bm25"],
    sizes: [
      { what: "FTS5, content='', detail=full" },
      { what: "FTS5, content='', detail=column (no term counts, no BM25)", variant: "column" },
      { what: "FTS5, content='', detail=none (no term counts, no BM25)", variant: "none" },
    ],
    prepare: node("sqlite", "sqlite"),
  },
  { name: "minisearch", sets: ["bm25"], prepare: node("minisearch", "minisearch") },
  { name: "qdrant", sets: ["splade"], prepare: python("qdrant_peer.py", ["qdrant-edge-py==0.9.0"]) },
  { name: "bmp", sets: ["splade"], prepare: python("bmp_peer.py", ["bmp==0.2.8", "numpy==2.4.6"]) },
  {
    name: "seismic",
    sets: ["splade"],
    prepare: python("seismic_peer.py", ["pyseismic-lsr==0.5.4", "numpy==2.4.6"]),
  },
];
