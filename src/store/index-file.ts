// An index ↔ its file. FORMAT.md lists the sections.

import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Counts } from "../densify/counts.ts";
import { requireSame, type Settings, Slicing } from "../densify/slicing.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import type { Description } from "../encode/description.ts";
import { UsageError } from "../errors.ts";
import { fileError } from "../files/errors.ts";
import type { Rows } from "../kernel/rows.ts";
import type { Bm25Parameters } from "../lexical/bm25.ts";
import type { LexicalModel } from "../lexical/model.ts";
import { type Analyzer, whitespace } from "../text/analyzer.ts";
import { english } from "../text/english.ts";
import { WordPiece, type WordPieceOptions } from "../text/wordpiece.ts";
import { type Meta, readContainer, type SectionArray, writeContainer } from "./container.ts";
import { DocumentTable } from "./documents.ts";

export interface IndexData {
  readonly slicing: Slicing;
  readonly rows: Rows;
  /** The id of each document number. */
  readonly ids: readonly string[];
  readonly documents: DocumentTable;
  readonly lexical: LexicalModel;
  /** Weight of the semantic part, unless a search says otherwise. */
  readonly lambda: number;
  readonly counts: Counts;
  /** The model that encodes queries, where one encoded the documents. */
  readonly encoder?: EncoderRecord;
}

/** Which model it was: enough to open it again, and to notice another one. */
export interface EncoderRecord {
  readonly path: string;
  readonly fingerprint: string;
  readonly description: Description;
}

const FILE_NAME = "index.sluice";

/** The file of an index, given its folder or the file itself. */
export async function indexPath(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? path : join(path, FILE_NAME);
}

export async function indexExists(folder: string): Promise<boolean> {
  return (await stat(join(folder, FILE_NAME)).catch(() => undefined)) !== undefined;
}

export async function writeIndex(folder: string, index: IndexData): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (there && !there.isDirectory()) throw new UsageError(`${folder}: is a file, expected a folder`);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw fileError(error, folder);
  }
  await writeIndexFile(join(folder, FILE_NAME), index);
}

/** The same, into a file of any name. */
export async function writeIndexFile(path: string, index: IndexData): Promise<void> {
  const { slicing, rows, lexical } = index;
  const { analyzer } = lexical;
  if (analyzer !== english && analyzer !== whitespace && !(analyzer instanceof WordPiece)) {
    throw new UsageError(
      "an index with an analyser of your own cannot be saved: it could not be opened again",
    );
  }
  const sections: Record<string, SectionArray> = {
    terms: json(slicing.vocabulary.terms),
    ids: json(index.ids),
    starts: rows.starts,
    slices: rows.slices,
    indices: rows.indices,
    values: rows.values,
    semantic: rows.semantic,
    documentStarts: index.documents.starts,
    documents: index.documents.bytes,
    ...(slicing.table && { sliceTable: slicing.table }),
    ...(lexical.kind === "bm25" && { documentFrequencies: lexical.statistics.documentFrequencies }),
  };
  await writeContainer(path, metaOf(index), sections);
}

interface IndexMeta extends Meta {
  readonly settings: Settings;
  readonly analyzer: { readonly name: Analyzer["name"]; readonly options?: WordPieceOptions };
  readonly lexical: LexicalModel["kind"];
  readonly bm25?: Bm25Parameters & { readonly docs: number; readonly length: number };
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: Counts;
  readonly encoder?: EncoderRecord;
}

function metaOf({ slicing, rows, lexical, lambda, counts, encoder }: IndexData): IndexMeta {
  const { analyzer } = lexical;
  return {
    settings: slicing.settings,
    analyzer: { name: analyzer.name, ...(analyzer instanceof WordPiece && { options: analyzer.options }) },
    lexical: lexical.kind,
    ...(lexical.kind === "bm25" && {
      bm25: { ...lexical.parameters, docs: lexical.statistics.docs, length: lexical.statistics.length },
    }),
    semanticDims: rows.semanticDims,
    lambda,
    counts,
    ...(encoder && { encoder }),
  };
}

export async function readIndex(path: string): Promise<IndexData> {
  const file = await indexPath(path);
  const { meta, sections } = await readContainer(file);
  const { settings, analyzer, lexical, bm25, semanticDims, lambda, counts, encoder } = meta as IndexMeta;
  const section = <T extends SectionArray>(name: string) => {
    const array = sections.get(name);
    if (!array) throw new UsageError(`${file}: the section "${name}" is missing`, "build the index again");
    return array as T;
  };

  const vocabulary = new Vocabulary(parsed(section("terms")));
  const slicing = new Slicing(vocabulary, {
    strategy: settings.strategy,
    dims: settings.dims,
    discard: settings.discard,
    ...(settings.seed !== undefined && { seed: settings.seed }),
    ...(settings.table && { table: section<Uint32Array>("sliceTable") }),
  });
  requireSame(settings, slicing.settings, file);
  const ids = parsed(section("ids"));
  const rows: Rows = {
    docs: ids.length,
    dims: settings.dims,
    starts: section("starts"),
    slices: section("slices"),
    indices: section("indices"),
    values: section("values"),
    semanticDims,
    semantic: section("semantic"),
  };
  const cutter = analyzerNamed(analyzer, vocabulary);
  return {
    slicing,
    rows,
    ids,
    documents: new DocumentTable(section("documentStarts"), section("documents")),
    lexical:
      lexical === "bm25" && bm25
        ? {
            kind: "bm25",
            analyzer: cutter,
            parameters: { k1: bm25.k1, b: bm25.b },
            statistics: {
              docs: bm25.docs,
              length: bm25.length,
              documentFrequencies: section("documentFrequencies"),
            },
          }
        : { kind: "weights", analyzer: cutter },
    lambda,
    counts,
    ...(encoder && { encoder }),
  };
}

/** Word pieces need no file of their own: their vocabulary is the index's. */
function analyzerNamed({ name, options }: IndexMeta["analyzer"], vocabulary: Vocabulary): Analyzer {
  if (name === "wordpiece") return new WordPiece(vocabulary.terms, options);
  return name === "english" ? english : whitespace;
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function parsed(bytes: SectionArray): string[] {
  return JSON.parse(new TextDecoder().decode(bytes));
}
