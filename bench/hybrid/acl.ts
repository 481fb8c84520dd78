// A data set of real text and real vectors: the abstracts of the ACL anthology, their MiniLM vectors, and titles as queries.

import { readFile } from "node:fs/promises";
import { english } from "../../src/analyze/index.ts";
import { FLOAT16 } from "../../src/densify/index.ts";
import { readText } from "../../src/support/files/text-file.ts";
import { dataPath } from "../support/bench.ts";
import type { DataSet, Passage } from "./contract/dataset.ts";

/** The file of query vectors has the title of every twelfth line. */
const QUERY_STEP = 12;

/** Takes the first `docs` abstracts, and at most `queryCount` of their titles at even distances. */
export async function readAcl(docs: number, queryCount: number): Promise<DataSet> {
  const lines = (await readText(dataPath("pairs", "acl-title-abstract.jsonl.gz"))).trimEnd().split("\n");
  const pairs = lines.slice(0, docs).map((line) => JSON.parse(line) as { query: string; positive: string });
  const titles = Math.ceil(pairs.length / QUERY_STEP);
  const chosen = Array.from({ length: Math.min(titles, queryCount) }, (_, i) =>
    Math.floor((i * titles) / Math.min(titles, queryCount)),
  );

  const folder = ["vectors", "minilm-l6-v2"];
  const vectors = await readHalves(dataPath(...folder, "acl.docs.npy"));
  const titleVectors = await readHalves(dataPath(...folder, "acl.queries.npy"));
  const { dims } = vectors;
  const queryVectors = new Float32Array(chosen.length * dims);
  for (const [i, title] of chosen.entries()) queryVectors.set(titleVectors.row(title), i * dims);

  // Engines have different analyzers for English, so all of them get Sluice's terms. Year and category are made up, so that
  // documents have the same fields as in the other data set.
  const analyzed = (text: string) => english.terms(text).join(" ");
  return {
    dims,
    lambda: 20,
    passages: pairs.map(
      ({ positive }, id): Passage => ({
        id,
        text: analyzed(positive),
        year: 1990 + (id % 35),
        cat: `c${id % 20}`,
      }),
    ),
    vectors: vectors.values.subarray(0, pairs.length * dims),
    queries: chosen.map((title) => analyzed(pairs[title * QUERY_STEP].query)),
    queryVectors,
  };
}

interface Matrix {
  readonly dims: number;
  readonly values: Float32Array;
  row(number: number): Float32Array;
}

/** Reads a NumPy file of float16 rows. The library's own reader needs a file of ids too, which these files do not have. */
async function readHalves(path: string): Promise<Matrix> {
  const bytes = await readFile(path);
  const start = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString("latin1", 10, start);
  const [, rows, dims] = /'descr': '<f2'.*'shape': \((\d+), (\d+)\)/.exec(header)?.map(Number) ?? [];
  if (!rows || bytes.length !== start + 2 * rows * dims) {
    throw new Error(`${path}: expected rows of float16, found ${header.trim()} and ${bytes.length} bytes`);
  }
  const halves = new Uint16Array(
    bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length),
  );
  const values = Float32Array.from(halves, (half) => FLOAT16[half]);
  return { dims, values, row: (number) => values.subarray(number * dims, (number + 1) * dims) };
}
