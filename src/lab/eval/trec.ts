// Reads and writes files of judgments and of runs. The number of columns tells the format:
//
//   qrels   qid 0 docid grade               TREC, MS MARCO
//           qid TAB docid TAB grade         BEIR, under a header line
//   run     qid Q0 docid rank score name    TREC
//           qid TAB docid TAB rank          MS MARCO: no scores, the rank is the order

import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { abridge, SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { type Line, readLines } from "../../support/files/lines.ts";
import { writeText } from "../../support/files/text-file.ts";
import type { Qrels, Retrieved, Run } from "./judgments.ts";

export async function readQrels(path: string): Promise<Qrels> {
  const qrels: Qrels = new Map();
  let isFirst = true;
  for await (const line of readLines(path)) {
    const isHeader = isFirst && /^query-id\tcorpus-id\tscore$/.test(line.text.trim());
    isFirst = false;
    if (isHeader) continue;
    const { query, doc, grade } = judgmentOf(line);
    const judged = qrels.get(query) ?? new Map<string, number>();
    if (judged.has(doc) && judged.get(doc) !== grade) {
      throw new SluiceError(
        `${line.where}: document ${doc} has the grade ${grade} here and ${judged.get(doc)} above`,
      );
    }
    qrels.set(query, judged.set(doc, grade));
  }
  if (qrels.size === 0) throw new SluiceError(`${path}: no judgments`);
  return qrels;
}

function judgmentOf(line: Line) {
  const isTabbed = line.text.includes("\t");
  const fields = line.text.trim().split(isTabbed ? "\t" : /\s+/);
  const [query, doc, grade] = fields.length === 4 ? [fields[0], fields[2], fields[3]] : fields;
  // BEIR has three columns, separated by tabs. Three columns separated by spaces may be a TREC line that lost one.
  const isKnown = fields.length === 4 || (fields.length === 3 && isTabbed);
  if (!isKnown || !/^-?\d+$/.test(grade.trim())) {
    throw new SluiceError(
      `${line.where}: ${abridge(line.text)} is not a judgment`,
      "lines are: qid 0 docid grade, or: qid TAB docid TAB grade under a header",
    );
  }
  return { query, doc, grade: Number(grade) };
}

export async function readRun(path: string): Promise<Run> {
  const run = new Map<string, Retrieved[]>();
  const seen = new Set<string>();
  for await (const line of readLines(path)) {
    const { query, ...retrieved } = retrievedOf(line);
    const key = `${query}\t${retrieved.id}`;
    if (seen.has(key))
      throw new SluiceError(`${line.where}: query ${query} has document ${retrieved.id} twice`);
    seen.add(key);
    const list = run.get(query);
    if (list) list.push(retrieved);
    else run.set(query, [retrieved]);
  }
  return run;
}

function retrievedOf(line: Line): Retrieved & { query: string } {
  const fields = line.text.trim().split(/\s+/);
  const number = Number(fields.length === 6 ? fields[4] : fields[2]);
  if ((fields.length !== 6 && fields.length !== 3) || Number.isNaN(number)) {
    throw new SluiceError(
      `${line.where}: ${abridge(line.text)} is not a line of a run`,
      "lines are: qid Q0 docid rank score name, or: qid docid rank",
    );
  }
  return fields.length === 6
    ? { query: fields[0], id: fields[2], score: number }
    : { query: fields[0], id: fields[1], score: -number };
}

export type RunFormat = "trec" | "msmarco";

/**
 * Writes a run one query at a time, so a long run need not fit in memory. The file appears at `close`; until then an
 * older file of that name stays.
 *
 * trec_eval ignores the rank column and sorts equal scores by document id. Every written score is therefore a float32
 * strictly below the one before it, so trec_eval sees the order that the search returned.
 */
export class RunWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #format: RunFormat;
  readonly #name: string;
  #file: FileHandle | undefined;

  constructor(path: string, format: RunFormat = "trec", name = "sluice") {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.tmp`;
    this.#format = format;
    this.#name = name;
  }

  async add(query: string, retrieved: Iterable<Retrieved>): Promise<void> {
    let text = "";
    let rank = 0;
    let last = Number.POSITIVE_INFINITY;
    for (const { id, score } of retrieved) {
      rank++;
      last = Math.fround(score) < last ? Math.fround(score) : float32Below(last);
      checkColumns(query, id);
      text +=
        this.#format === "trec"
          ? `${query} Q0 ${id} ${rank} ${Number(last.toPrecision(9))} ${this.#name}\n`
          : `${query}\t${id}\t${rank}\n`;
    }
    await this.#withFile(async (file) => void (await file.write(text)));
  }

  async close(): Promise<void> {
    await this.#withFile(async (file) => {
      await file.close();
      this.#file = undefined;
      await rename(this.#temporary, this.#path);
    });
  }

  /** Discards the run. An older file of that name stays. */
  async abort(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await rm(this.#temporary, { force: true });
  }

  async #withFile(work: (file: FileHandle) => Promise<void>): Promise<void> {
    try {
      this.#file ??= await open(this.#temporary, "w");
      await work(this.#file);
    } catch (error) {
      await this.abort().catch(() => {}); // report the first error only
      throw fileError(error, this.#path);
    }
  }
}

function checkColumns(query: string, id: string): void {
  for (const name of [query, id]) {
    if (!/\s/.test(name)) continue;
    throw new SluiceError(`${JSON.stringify(name)} holds white space, which separates the columns of a run`);
  }
}

/** Returns the largest float32 below a float32. */
function float32Below(x: number): number {
  const floats = Float32Array.of(x);
  const bits = new Int32Array(floats.buffer);
  if (x === 0) return -(2 ** -149);
  bits[0] += x > 0 ? -1 : 1;
  return floats[0];
}

export async function writeQrels(path: string, qrels: Qrels): Promise<void> {
  const lines = [...qrels].flatMap(([query, judged]) =>
    Array.from(judged, ([doc, grade]) => `${query} 0 ${doc} ${grade}\n`),
  );
  await writeText(path, lines.join(""));
}
