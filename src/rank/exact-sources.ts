// A segment → the sources of the two parts of its exact scores: the memory of a first stage, rows in memory, or the disk. What is
// loaded stays with the segment.

import type { Row } from "../densify/rows.ts";
import type { ExactMemory, SemanticParts } from "../scan/contract/exact-memory.ts";
import { FEW_DOCS } from "../scan/contract/first-stage.ts";
import type { SegmentSource } from "../segment/segment.ts";
import { VectorMemory } from "../wasm/float16-vectors.ts";
import { openPostingValues } from "./disk-postings.ts";
import { openDiskRows, openDiskVectors } from "./disk-rows.ts";
import { createPostingParts, createRowParts, type LexicalParts } from "./engine-segment.ts";
import { LexicalScorer } from "./lexical-scorer.ts";

/** The lexical parts of scores. `memory` is what a first stage holds. If rows fit in memory, they are loaded and kept. */
export async function openLexicalParts(
  source: SegmentSource,
  memory: ExactMemory | undefined,
  rowsFitInMemory: boolean,
): Promise<LexicalParts> {
  const { loaded, sections } = source;
  if (memory?.hasPackedLists) {
    if (memory.hasLevels) return createPostingParts(memory);
    if (!rowsFitInMemory) {
      const onDisk = await loaded.get("posting values on disk", () => openPostingValues(source));
      return createPostingParts(memory, onDisk);
    }
    const values = await loaded.get("posting values", () => source.loadPostingValues());
    return createPostingParts(memory, (posting) => values[posting]);
  }
  return rowsFitInMemory || !sections.has("starts")
    ? loaded.get("rows", async () => createRowParts(await source.loadRows()))
    : loaded.get("rows on disk", () => openDiskRows(source));
}

/** The lexical parts that rows of a segment give the scores of some documents. `locals` must ascend. */
export function computeLexicalParts(
  source: SegmentSource,
  parts: LexicalParts,
  row: Row,
  locals: Uint32Array,
): Float64Array {
  // A query may have a slice that the segment lacks: its term came into the vocabulary later.
  const dims = row.slices.reduce((most, slice) => Math.max(most, slice + 1), source.meta.settings.dims);
  const scorer = new LexicalScorer(row, dims);
  const sums = new Float64Array(locals.length);
  parts.writeLexicalScores(scorer, locals, sums);
  scorer.release();
  return sums;
}

/** The semantic parts of scores. `memory` is what a first stage holds. If rows fit in memory, vectors are loaded and kept. */
export function openSemanticParts(
  source: SegmentSource,
  memory: ExactMemory | undefined,
  rowsFitInMemory: boolean,
): Promise<SemanticParts> {
  if (memory?.hasVectors) return memory.loadVectors();
  return rowsFitInMemory
    ? source.loaded.get("vectors", () => loadVectors(source))
    : source.loaded.get("vectors on disk", () => openDiskVectors(source));
}

/** Loads vectors into WebAssembly memory, or into arrays if they are few or do not fit. */
async function loadVectors(source: SegmentSource): Promise<SemanticParts> {
  const { rowCount, sections } = source;
  const { semanticDims } = source.meta;
  if (rowCount <= FEW_DOCS || !VectorMemory.fits(sections.bytesOf("semantic"), semanticDims)) {
    return createRowParts(await source.loadRows());
  }
  const vectors = new VectorMemory(rowCount, semanticDims);
  const { halves } = vectors;
  await sections.readInto("semantic", new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength));
  return vectors;
}
