// Files of judgements and of runs ↔ memory. A format is known by its columns:
//
//   qrels   qid 0 docid grade               TREC, MS MARCO
//           qid TAB docid TAB grade         BEIR, under a header line
//   run     qid Q0 docid rank score name    TREC
//           qid TAB docid TAB rank          MS MARCO: no scores, the rank is the order

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { UsageError } from "../errors.ts";
import { abridged, type Line, lines } from "../files/lines.ts";
import type { Qrels, Retrieved, Run } from "./judgements.ts";

export async function readQrels(path: string): Promise<Qrels> {
  const qrels: Qrels = new Map();
  let first = true;
  for await (const line of lines(path)) {
    const isHeader = first && /^query-id\tcorpus-id\tscore$/.test(line.text.trim());
    first = false;
    if (isHeader) continue;
    const { query, doc, grade } = judgementOf(line);
    const judged = qrels.get(query) ?? new Map<string, number>();
    if (judged.has(doc) && judged.get(doc) !== grade) {
      throw new UsageError(
        `${line.where}: document ${doc} was judged ${judged.get(doc)} before, and now ${grade}`,
      );
    }
    qrels.set(query, judged.set(doc, grade));
  }
  return qrels;
}

function judgementOf(line: Line) {
  const fields = line.text.includes("\t") ? line.text.trim().split("\t") : line.text.trim().split(/\s+/);
  const [query, doc, grade] = fields.length === 4 ? [fields[0], fields[2], fields[3]] : fields;
  if ((fields.length !== 3 && fields.length !== 4) || !/^-?\d+$/.test(grade.trim())) {
    throw new UsageError(
      `${line.where}: ${abridged(line.text)} is no judgement`,
      "lines are: qid 0 docid grade, or: qid TAB docid TAB grade under a header",
    );
  }
  return { query, doc, grade: Number(grade) };
}

export async function readRun(path: string): Promise<Run> {
  const run: Run = new Map();
  const seen = new Set<string>();
  for await (const line of lines(path)) {
    const { query, ...retrieved } = retrievedOf(line);
    const key = `${query}\t${retrieved.id}`;
    if (seen.has(key))
      throw new UsageError(`${line.where}: query ${query} has document ${retrieved.id} twice`);
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
    throw new UsageError(
      `${line.where}: ${abridged(line.text)} is no line of a run`,
      "lines are: qid Q0 docid rank score name, or: qid docid rank",
    );
  }
  return fields.length === 6
    ? { query: fields[0], id: fields[2], score: number }
    : { query: fields[0], id: fields[1], score: -number };
}

export type RunFormat = "trec" | "msmarco";

/**
 * Writes a run as it comes, a query at a time, so that a long one need not be held in memory.
 *
 * trec_eval ignores the rank column and sorts equal scores by document id, so a written score is a float32 strictly
 * below the one before it: what is evaluated is the order that was returned.
 */
export class RunWriter {
  readonly #stream;
  readonly #format: RunFormat;
  readonly #name: string;

  constructor(path: string, format: RunFormat = "trec", name = "sluice") {
    this.#stream = createWriteStream(path);
    // Kept until close(), where it is thrown; without a listener the process would end here.
    this.#stream.on("error", () => {});
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
      text += this.#format === "trec" ? this.#trecLine(query, id, rank, last) : `${query}\t${id}\t${rank}\n`;
    }
    if (text !== "" && !this.#stream.write(text) && !this.#stream.errored) await once(this.#stream, "drain");
  }

  async close(): Promise<void> {
    this.#stream.end();
    try {
      await finished(this.#stream);
    } catch (error) {
      throw new UsageError(`cannot write the run: ${(error as Error).message}`);
    }
  }

  #trecLine(query: string, id: string, rank: number, score: number): string {
    if (/\s/.test(query) || /\s/.test(id)) {
      throw new UsageError(
        `${JSON.stringify(/\s/.test(query) ? query : id)} holds white space, which separates the columns of a run`,
      );
    }
    return `${query} Q0 ${id} ${rank} ${Number(score.toPrecision(9))} ${this.#name}\n`;
  }
}

/** The largest float32 below a float32. */
function float32Below(x: number): number {
  const floats = Float32Array.of(x);
  const bits = new Int32Array(floats.buffer);
  if (x === 0) return -(2 ** -149);
  bits[0] += x > 0 ? -1 : 1;
  return floats[0];
}

export async function writeQrels(path: string, qrels: Qrels): Promise<void> {
  const stream = createWriteStream(path);
  for (const [query, judged] of qrels)
    for (const [doc, grade] of judged) stream.write(`${query} 0 ${doc} ${grade}\n`);
  stream.end();
  await finished(stream);
}
