// An index in memory ↔ one file: what `saveFile` writes, for rows that are to be carried about, and what version 1 kept
// every index in. FORMAT.md lists the sections.

import type { Counts } from "../densify/counts.ts";
import { isExtendable, requireSame, type Settings, Slicing } from "../densify/slicing.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import { UsageError } from "../errors.ts";
import type { Rows } from "../kernel/rows.ts";
import type { Bm25Parameters } from "../lexical/bm25.ts";
import type { LexicalModel } from "../lexical/model.ts";
import { readContainer } from "./container.ts";
import type { Meta, SectionArray } from "./container-format.ts";
import { writeContainer } from "./container-writer.ts";
import { DocumentTable } from "./documents.ts";
import type { Quantize } from "./layout.ts";
import {
  type AnalyzerRecord,
  analyzerOf,
  analyzerRecord,
  type EncoderRecord,
  type VocabularyKind,
} from "./model-record.ts";

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
  readonly vocabulary: VocabularyKind;
  /** Product codes beside the rows. */
  readonly quantize?: Quantize;
  /** The model that encodes queries, where one encoded the documents. */
  readonly encoder?: EncoderRecord;
}

export async function writeIndexFile(path: string, index: IndexData): Promise<void> {
  const { slicing, rows, lexical } = index;
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
  readonly kind?: "index";
  readonly analyzer: AnalyzerRecord;
  readonly lexical: LexicalModel["kind"];
  readonly bm25?: Bm25Parameters & { readonly docs: number; readonly length: number };
  readonly semanticDims: number;
  readonly lambda: number;
  readonly counts: Counts;
  readonly vocabulary?: VocabularyKind;
  readonly encoder?: EncoderRecord;
}

function metaOf({ slicing, rows, lexical, lambda, counts, encoder, vocabulary }: IndexData): IndexMeta {
  return {
    kind: "index",
    settings: slicing.settings,
    vocabulary,
    analyzer: analyzerRecord(lexical.analyzer),
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

export async function readIndexFile(file: string): Promise<IndexData> {
  const { meta, sections } = await readContainer(file);
  if (meta.kind !== "index" && meta.kind !== undefined) {
    throw new UsageError(`${file}: a segment of an index, not an index`, "open the folder it belongs to");
  }
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
    starts: section<Uint32Array>("starts"),
    slices: section<Uint16Array | Uint32Array>("slices"),
    indices: section<Uint8Array | Uint16Array>("indices"),
    values: section<Uint16Array>("values"),
    semanticDims,
    semantic: section<Uint16Array>("semantic"),
  };
  const cutter = analyzerOf(analyzer, vocabulary.terms);
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
    // Version 1 did not say. What cannot be extended is sealed at any rate, and word pieces are given.
    vocabulary:
      (meta as IndexMeta).vocabulary ??
      (analyzer.name === "wordpiece" ? "given" : isExtendable(settings.strategy) ? "open" : "sealed"),
    ...(encoder && { encoder }),
  };
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function parsed(bytes: SectionArray): string[] {
  return JSON.parse(new TextDecoder().decode(bytes));
}
