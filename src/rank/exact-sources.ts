// A segment → where the two parts of its exact scores are read from: what a first stage holds in memory, rows in memory, or the
// disk. What is loaded stays with the segment.

import type { ExactMemory, SemanticParts } from "../scan/contract/exact-memory.ts";
import { FEW_DOCS } from "../scan/contract/first-stage.ts";
import type { SegmentSource } from "../segment/segment.ts";
import { VectorMemory } from "../wasm/float16-vectors.ts";
import { postingValuesOnDisk } from "./disk-postings.ts";
import { rowsOnDisk, vectorsOnDisk } from "./disk-rows.ts";
import { type LexicalParts, postingParts, rowParts } from "./engine-segment.ts";

/** The lexical parts of scores. `memory` is what a first stage holds. `fits`: rows may stay in memory, too. */
export async function lexicalPartsOf(
  source: SegmentSource,
  memory: ExactMemory | undefined,
  fits: boolean,
): Promise<LexicalParts> {
  const { loaded, sections } = source;
  if (memory?.hasLists) {
    if (memory.hasLevels) return postingParts(memory);
    if (!fits) {
      const onDisk = await loaded.get("posting values on disk", () => postingValuesOnDisk(source));
      return postingParts(memory, onDisk);
    }
    const values = await loaded.get("posting values", () => source.postingValues());
    return postingParts(memory, (posting) => values[posting]);
  }
  return fits || !sections.has("starts")
    ? loaded.get("rows", async () => rowParts(await source.rows()))
    : loaded.get("rows on disk", () => rowsOnDisk(source));
}

/** The semantic parts of scores. `memory` is what a first stage holds. `fits`: vectors may stay in memory, too. */
export function semanticPartsOf(
  source: SegmentSource,
  memory: ExactMemory | undefined,
  fits: boolean,
): Promise<SemanticParts> {
  if (memory?.hasVectors) return memory.loadVectors();
  return fits
    ? source.loaded.get("vectors", () => loadVectors(source))
    : source.loaded.get("vectors on disk", () => vectorsOnDisk(source));
}

/** Loads vectors into WebAssembly memory, or into arrays if they are few or do not fit. */
async function loadVectors(source: SegmentSource): Promise<SemanticParts> {
  const { rowCount, sections } = source;
  const { semanticDims } = source.meta;
  if (rowCount <= FEW_DOCS || !VectorMemory.fits(sections.bytesOf("semantic"), semanticDims)) {
    return rowParts(await source.rows());
  }
  const vectors = new VectorMemory(rowCount, semanticDims);
  const { halves } = vectors;
  await sections.readInto("semantic", new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength));
  return vectors;
}
