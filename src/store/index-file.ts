// An index in memory ↔ one file: what `saveFile` writes, for rows that are to be carried about, and what version 1 kept
// every index in. FORMAT.md lists the sections.

import type { Counts } from "../densify/counts.ts";
import type { Rows } from "../densify/rows.ts";
import { isExtendable, type Slicing } from "../densify/slicing.ts";
import { DocumentTable } from "../documents/document-table.ts";
import { UsageError } from "../errors.ts";
import { readContainer } from "../segment/container.ts";
import type { SectionArray } from "../segment/container-format.ts";
import { writeContainer } from "../segment/container-writer.ts";
import type { Quantize } from "../segment/stored-layout.ts";
import type { LexicalModel } from "../weigh/weighting.ts";
import { bytesAsTexts, type IndexMeta, lexicalFrom, slicingFrom, textsAsBytes } from "./index-meta.ts";
import { analyzerOf, analyzerRecord, type EncoderRecord, type VocabularyKind } from "./model-record.ts";

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
  const meta = { kind: "index", ...indexMeta({ ...index, semanticDims: rows.semanticDims }) };
  const sections: Record<string, SectionArray> = {
    terms: textsAsBytes(slicing.vocabulary.terms),
    ids: textsAsBytes(index.ids),
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
  await writeContainer(path, meta, sections);
}

/** What a header says of an index, whatever holds its rows. */
export function indexMeta({
  slicing,
  lexical,
  semanticDims,
  lambda,
  counts,
  encoder,
  vocabulary,
}: Omit<IndexData, "rows" | "ids" | "documents"> & { readonly semanticDims: number }): IndexMeta {
  return {
    settings: slicing.settings,
    vocabulary,
    analyzer: analyzerRecord(lexical.analyzer),
    lexical: lexical.kind,
    ...(lexical.kind === "bm25" && {
      bm25: { ...lexical.parameters, docs: lexical.statistics.docs, length: lexical.statistics.length },
    }),
    semanticDims,
    lambda,
    counts,
    ...(encoder && { encoder }),
  };
}

export async function readIndexFile(file: string): Promise<IndexData> {
  const { meta, sections } = await readContainer(file);
  if (meta.kind !== "index" && meta.kind !== undefined) {
    throw new UsageError(
      `${file}: a segment of an index, not an index`,
      "open the folder it belongs to",
      "ERR_SLUICE_NO_INDEX",
    );
  }
  const { settings, analyzer, semanticDims, lambda, counts, encoder } = meta as IndexMeta;
  const section = <T extends SectionArray>(name: string) => {
    const array = sections.get(name);
    if (!array)
      throw new UsageError(
        `${file}: the section "${name}" is missing`,
        "build the index again",
        "ERR_SLUICE_DAMAGED",
      );
    return array as T;
  };

  const table = settings.table ? section<Uint32Array>("sliceTable") : undefined;
  const slicing = slicingFrom(settings, bytesAsTexts(section("terms")), table, file);
  const ids = bytesAsTexts(section("ids"));
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
  return {
    slicing,
    rows,
    ids,
    documents: new DocumentTable(section("documentStarts"), section("documents")),
    lexical: lexicalFrom(meta as IndexMeta, analyzerOf(analyzer, slicing.vocabulary), () =>
      section("documentFrequencies"),
    ),
    lambda,
    counts,
    // Version 1 did not say. What cannot be extended is sealed at any rate, and word pieces are given.
    vocabulary:
      (meta as IndexMeta).vocabulary ??
      (analyzer.name === "wordpiece" ? "given" : isExtendable(settings.strategy) ? "open" : "sealed"),
    ...(encoder && { encoder }),
  };
}
