// A data set in memory, and as files that the engines' processes read:
//
//   passages.jsonl   one {"id","text","year","cat"} per line   vectors.f32         a row of float32 per passage
//   queries.jsonl    one {"text"} per line                     query-vectors.f32   a row of float32 per query
//   lexical.u32, dense.u32, hybrid.u32: the exact rankings by each definition that counts as right, one after the other;
//   each has DEPTH document numbers per query, filled up with NO_DOC

import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export const KINDS = ["lexical", "dense", "hybrid"] as const;
export type Kind = (typeof KINDS)[number];

/** Hits per query of an exact ranking: the largest k that is measured. */
export const DEPTH = 1000;
export const NO_DOC = 0xffff_ffff;

export interface Passage {
  /** Its number, from 0. */
  readonly id: number;
  /** Terms separated by spaces. The text is already analyzed, so every engine has the same terms. */
  readonly text: string;
  readonly year: number;
  readonly cat: string;
}

export interface DataSet {
  readonly dims: number;
  /** Weight of the semantic part in the exact ranking. */
  readonly lambda: number;
  readonly passages: readonly Passage[];
  readonly vectors: Float32Array;
  readonly queries: readonly string[];
  readonly queryVectors: Float32Array;
}

/** The exact rankings. If a kind has several, an engine is compared with the one it agrees with best. */
export type Rankings = Readonly<Record<Kind, readonly Uint32Array[]>>;

export interface EmbeddedPassage extends Passage {
  readonly vector: Float32Array;
}

export interface EmbeddedQuery {
  readonly text: string;
  readonly vector: Float32Array;
}

/** The part of a data set that an engine gets. Passages are streamed, so only the engine itself decides what stays in memory. */
export interface Corpus {
  readonly docs: number;
  readonly dims: number;
  readonly lambda: number;
  passages(): AsyncGenerator<EmbeddedPassage>;
  /** Passages in groups of this size, for engines that insert many at once. */
  batches(size: number): AsyncGenerator<EmbeddedPassage[]>;
  vectors(): Promise<Float32Array>;
}

export async function writeDataSet(folder: string, set: DataSet, rankings: Rankings): Promise<void> {
  const { passages, vectors, queries, queryVectors, dims, lambda } = set;
  const lines = function* () {
    for (const passage of passages) yield `${JSON.stringify(passage)}\n`;
  };
  await pipeline(lines, createWriteStream(join(folder, "passages.jsonl")));
  await writeFile(
    join(folder, "queries.jsonl"),
    queries.map((text) => `${JSON.stringify({ text })}\n`).join(""),
  );
  await writeFile(join(folder, "vectors.f32"), vectors);
  await writeFile(join(folder, "query-vectors.f32"), queryVectors);
  for (const kind of KINDS) {
    const bytes = rankings[kind].map((ranking) => new Uint8Array(ranking.buffer));
    await writeFile(join(folder, `${kind}.u32`), Buffer.concat(bytes));
  }
  await writeFile(join(folder, "about.json"), JSON.stringify({ docs: passages.length, dims, lambda }));
}

export async function openCorpus(folder: string): Promise<Corpus> {
  const about = JSON.parse(await readFile(join(folder, "about.json"), "utf8")) as Omit<
    DataSet,
    "passages"
  > & {
    docs: number;
  };
  const passages = () => readEmbeddedPassages(folder, about.dims);
  return {
    docs: about.docs,
    dims: about.dims,
    lambda: about.lambda,
    passages,
    async *batches(size) {
      let batch: EmbeddedPassage[] = [];
      for await (const passage of passages()) {
        batch.push(passage);
        if (batch.length < size) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    async vectors() {
      const bytes = await readFile(join(folder, "vectors.f32"));
      return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    },
  };
}

export async function readQueries(folder: string, dims: number): Promise<EmbeddedQuery[]> {
  const lines = (await readFile(join(folder, "queries.jsonl"), "utf8")).trimEnd().split("\n");
  const bytes = await readFile(join(folder, "query-vectors.f32"));
  const vectors = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return lines.map((line, i) => ({
    text: (JSON.parse(line) as { text: string }).text,
    vector: vectors.slice(i * dims, (i + 1) * dims),
  }));
}

export async function readRankings(folder: string, queries: number): Promise<Rankings> {
  const read = async (kind: Kind) => {
    const bytes = await readFile(join(folder, `${kind}.u32`));
    const all = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const length = queries * DEPTH;
    return Array.from({ length: all.length / length }, (_, i) => all.subarray(i * length, (i + 1) * length));
  };
  return { lexical: await read("lexical"), dense: await read("dense"), hybrid: await read("hybrid") };
}

/** Reads the lines of a file, many at a time. It should be fast, because reading is part of every engine's build time. */
async function* readLineBatches(path: string): AsyncGenerator<string[]> {
  let rest = "";
  for await (const text of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 20 })) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield lines;
  }
  if (rest !== "") yield [rest];
}

/** Rows of vectors read at a time. */
const ROWS = 1000;

async function* readEmbeddedPassages(folder: string, dims: number): AsyncGenerator<EmbeddedPassage> {
  const vectors = await open(join(folder, "vectors.f32"));
  try {
    let rows = new Float32Array(0);
    let number = 0;
    for await (const lines of readLineBatches(join(folder, "passages.jsonl"))) {
      for (const line of lines) {
        const row = number++ % ROWS;
        if (row === 0) rows = await readNextRows(vectors, dims);
        const passage = JSON.parse(line) as Passage;
        yield { ...passage, vector: rows.subarray(row * dims, (row + 1) * dims) };
      }
    }
  } finally {
    await vectors.close();
  }
}

/** Reads rows into a new array each time, because an engine may keep them. */
async function readNextRows(file: FileHandle, dims: number): Promise<Float32Array<ArrayBuffer>> {
  const rows = new Float32Array(ROWS * dims);
  await file.read(new Uint8Array(rows.buffer));
  return rows;
}
