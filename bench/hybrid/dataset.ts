// A data set as the bench holds it, and as files that engines in processes of their own read it from:
//
//   passages.jsonl   {"id","text","year","cat"} a line        vectors.f32         a row of float32 a passage
//   queries.jsonl    {"text"} a line                          query-vectors.f32   a row of float32 a query
//   lexical.u32, dense.u32, hybrid.u32: the exact rankings, one for each definition that counts as right, end to end;
//   in each DEPTH numbers a query, NO_DOC where there are fewer

import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export const KINDS = ["lexical", "dense", "hybrid"] as const;
export type Kind = (typeof KINDS)[number];

/** Results of an exact ranking that are kept: as many as the deepest search asks for. */
export const DEPTH = 1000;
export const NO_DOC = 0xffff_ffff;

export interface Passage {
  /** Its number, from 0. */
  readonly id: number;
  /** Terms with a space between them: analysed already, so that every engine has the same ones. */
  readonly text: string;
  readonly year: number;
  readonly cat: string;
}

export interface DataSet {
  readonly dims: number;
  /** Weight of the semantic part in the ranking that counts as right. */
  readonly lambda: number;
  readonly passages: readonly Passage[];
  readonly vectors: Float32Array;
  readonly queries: readonly string[];
  readonly queryVectors: Float32Array;
}

/** The rankings that count as right: where there are several, an engine is held against the one it is nearest to. */
export type Rankings = Readonly<Record<Kind, readonly Uint32Array[]>>;

export interface EmbeddedPassage extends Passage {
  readonly vector: Float32Array;
}

export interface Question {
  readonly text: string;
  readonly vector: Float32Array;
}

/** What an engine gets to see of a data set. Passages are streamed: what stays in memory is the engine's doing. */
export interface Corpus {
  readonly docs: number;
  readonly dims: number;
  readonly lambda: number;
  passages(): AsyncGenerator<EmbeddedPassage>;
  /** Passages in groups of a size, for engines that take many at once. */
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
  const passages = () => embeddedPassages(folder, about.dims);
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

export async function readQuestions(folder: string, dims: number): Promise<Question[]> {
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

/** The lines of a file, many at a time: what reading costs is part of every engine's build. */
async function* linesOf(path: string): AsyncGenerator<string[]> {
  let rest = "";
  for await (const text of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 20 })) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield lines;
  }
  if (rest !== "") yield [rest];
}

/** Rows of vectors that are read at a time. */
const ROWS = 1000;

async function* embeddedPassages(folder: string, dims: number): AsyncGenerator<EmbeddedPassage> {
  const vectors = await open(join(folder, "vectors.f32"));
  try {
    let rows = new Float32Array(0);
    let number = 0;
    for await (const lines of linesOf(join(folder, "passages.jsonl"))) {
      for (const line of lines) {
        const row = number++ % ROWS;
        if (row === 0) rows = await nextRows(vectors, dims);
        const passage = JSON.parse(line) as Passage;
        yield { ...passage, vector: rows.subarray(row * dims, (row + 1) * dims) };
      }
    }
  } finally {
    await vectors.close();
  }
}

/** A new array each time: an engine may keep the rows it is given. */
async function nextRows(file: FileHandle, dims: number): Promise<Float32Array<ArrayBuffer>> {
  const rows = new Float32Array(ROWS * dims);
  await file.read(new Uint8Array(rows.buffer));
  return rows;
}
