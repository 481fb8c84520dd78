// Parses lines of training files into examples: a query, its passages, and a teacher's scores if there are any. The names
// of the fields tell the format:
//
//   plain                {"query": "…", "positive": "…" | "positives": ["…"], "negatives": ["…"]}
//   Tevatron 1           {"query": "…", "positive_passages": [{"title", "text"}], "negative_passages": […]}
//   Tevatron 1, tokens   {"query": [ids], "positives": [[ids]], "negatives": [[ids]]}
//   Tevatron 2           {"query_text": "…", "positive_document_ids": ["…"], "negative_document_ids": ["…"]}
//   castorini/dhr        {"query": [ids], "positive_pids": ["…"], "negative_pids": ["…"], "bin_pairs": […]}
//
// The last two name passages of a corpus file, by id and by row. All formats may have "positive_scores" and
// "negative_scores": a teacher's scores in the order of the passages.

import { abridge, SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseObject } from "../../../support/files/json.ts";
import { type Line, readLines } from "../../../support/files/lines.ts";

/** A text, or its token ids without special tokens. */
export type Text = string | readonly number[];

/** A passage: its text, or its id or row in the corpus. */
export type Passage = { readonly text: Text } | { readonly id: string } | { readonly row: number };

/** A pair of passages that a teacher scored: positions in the lists, and the positive's score minus the negative's. */
export type Margin = readonly [positive: number, negative: number, margin: number];

export interface Example {
  readonly query: Text;
  readonly positives: readonly Passage[];
  readonly negatives: readonly Passage[];
  readonly scores?: { readonly positives: readonly number[]; readonly negatives: readonly number[] };
  /** "bin_pairs": a list of elements, each a list of bins, each a list of pairs. */
  readonly bins?: readonly (readonly (readonly Margin[])[])[];
  /** "file:line", for messages. */
  readonly where: string;
}

interface CorpusText {
  readonly id: string;
  readonly text: Text;
  readonly where: string;
}

const SHAPES = 'lines are {"query": "…", "positive": "…"}, or in the format of Tevatron or castorini/dhr';

/** Reads the examples of a file. Throws if there are none. */
export async function* readExamples(path: string): AsyncGenerator<Example> {
  let isEmpty = true;
  for await (const line of readLines(path)) {
    yield exampleOf(line);
    isEmpty = false;
  }
  if (isEmpty) throw new SluiceError(`${path}: the file is empty`, SHAPES);
}

/** Reads the passages of a corpus: one {"docid" | "_id" | "text_id", "document_text" | "text", "title"} per line. */
export async function* readCorpus(path: string): AsyncGenerator<CorpusText> {
  let isEmpty = true;
  for await (const line of readLines(path)) {
    const object = parseObject(line);
    const id = idOf(object.docid ?? object._id ?? object.text_id ?? object.id, line.where);
    const text = titled(object.title, object.document_text ?? object.text, `"text"`, line.where);
    yield { id, text, where: line.where };
    isEmpty = false;
  }
  if (isEmpty) throw new SluiceError(`${path}: the file is empty`, 'lines are {"docid", "document_text"}');
}

function exampleOf(line: Line): Example {
  const object = parseObject(line);
  const { where } = line;
  const query = nonEmpty(
    requireTextOrTokenIds(object.query ?? object.query_text, '"query"', where),
    "the query",
    where,
  );
  const lists = passagesOf(object, where);
  if (lists.positives.length === 0) throw new SluiceError(`${where}: no positive passage`, SHAPES);
  for (const passage of lists.positives) {
    if ("text" in passage) nonEmpty(passage.text, "the positive", where);
  }
  const scores = scoresOf(object, lists, where);
  const bins = object.bin_pairs === undefined ? undefined : binsOf(object.bin_pairs, lists, where);
  return { query, ...lists, ...(scores && { scores }), ...(bins && { bins }), where };
}

type PassageLists = Pick<Example, "positives" | "negatives">;

function passagesOf(object: Record<string, unknown>, where: string): PassageLists {
  const both = (positive: string, negative: string, each: (value: unknown, name: string) => Passage) => ({
    positives: listOf(object[positive], positive, where).map((value) => each(value, positive)),
    negatives: listOf(object[negative] ?? [], negative, where).map((value) => each(value, negative)),
  });
  const text = (value: unknown, name: string) => ({ text: requireTextOrTokenIds(value, `"${name}"`, where) });
  if ("positive_passages" in object) {
    return both("positive_passages", "negative_passages", (value, name) => {
      const { title, text } = (value ?? {}) as Record<string, unknown>;
      return { text: titled(title, text, `"text" in "${name}"`, where) };
    });
  }
  if ("positive_document_ids" in object) {
    return both("positive_document_ids", "negative_document_ids", (id) => ({ id: idOf(id, where) }));
  }
  if ("positive_pids" in object) {
    return both("positive_pids", "negative_pids", (id) => ({ row: rowOf(id, where) }));
  }
  if (typeof object.positive === "string" || !("positives" in object)) {
    const positives = object.positive === undefined ? [] : [text(object.positive, "positive")];
    const negatives = listOf(object.negatives ?? [], "negatives", where);
    return { positives, negatives: negatives.map((value) => text(value, "negatives")) };
  }
  return both("positives", "negatives", text);
}

function scoresOf(
  object: Record<string, unknown>,
  lists: PassageLists,
  where: string,
): Example["scores"] | undefined {
  if (object.positive_scores === undefined && object.negative_scores === undefined) return undefined;
  const numbers = (name: string, passages: readonly Passage[]) => {
    const list = listOf(object[name] ?? [], name, where);
    if (list.length !== passages.length || !list.every(Number.isFinite)) {
      throw new SluiceError(
        `${where}: "${name}" must have a number for each of the ${passages.length} passages`,
      );
    }
    return list as number[];
  };
  return {
    positives: numbers("positive_scores", lists.positives),
    negatives: numbers("negative_scores", lists.negatives),
  };
}

function binsOf(value: unknown, { positives, negatives }: PassageLists, where: string): Example["bins"] {
  const marginError = (what: string) =>
    new SluiceError(`${where}: ${what}`, '"bin_pairs" is [[[[positive, negative, margin], …bin], …bins], …]');
  const within = (at: unknown, list: readonly Passage[]) =>
    Number.isInteger(at) && (at as number) >= 0 && (at as number) < list.length;
  return listOf(value, "bin_pairs", where).map((element) => {
    const bins = listOf(element, "bin_pairs", where).filter((bin) => (bin as unknown[])?.length > 0);
    if (bins.length === 0) throw marginError('an element of "bin_pairs" has no pairs');
    return bins.map((bin) =>
      listOf(bin, "bin_pairs", where).map((pair) => {
        const [positive, negative, margin] = Array.isArray(pair) ? pair : [];
        if (!within(positive, positives) || !within(negative, negatives) || !Number.isFinite(margin)) {
          throw marginError(`${abridge(JSON.stringify(pair))} is not a pair of the line's passages`);
        }
        return [positive, negative, margin] as Margin;
      }),
    );
  });
}

function listOf(value: unknown, name: string, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new SluiceError(`${where}: "${name}" is ${found(value)}, expected a list`, SHAPES);
}

function requireTextOrTokenIds(value: unknown, name: string, where: string): Text {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((id) => Number.isInteger(id) && id >= 0)) return value;
  throw new SluiceError(
    `${where}: ${name} is ${found(value)}, expected a text or a list of token ids`,
    SHAPES,
  );
}

function nonEmpty(text: Text, what: string, where: string): Text {
  if (typeof text === "string" ? text.trim() !== "" : text.length > 0) return text;
  throw new SluiceError(`${where}: ${what} is empty`);
}

/** Puts the title before the text, as an index does. */
function titled(title: unknown, text: unknown, name: string, where: string): Text {
  const body = requireTextOrTokenIds(text, name, where);
  if (typeof title !== "string" || title === "" || typeof body !== "string") return body;
  return `${title} ${body}`;
}

function idOf(value: unknown, where: string): string {
  if (typeof value === "string" || Number.isSafeInteger(value)) return String(value);
  throw new SluiceError(`${where}: the id of a passage is ${found(value)}, expected a text`);
}

function rowOf(value: unknown, where: string): number {
  const row = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(row) && (row as number) >= 0) return row as number;
  throw new SluiceError(`${where}: the passage ${found(value)} is not a row number of a corpus`);
}

function found(value: unknown): string {
  return value === undefined ? "missing" : abridge(JSON.stringify(value));
}
