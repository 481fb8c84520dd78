// A segment → where the two parts of its exact scores are read from: the memory of its scanner, rows in memory, or the disk.
// What is loaded stays with the segment.

import { layoutOf } from "../scan/wasm/load-scanner.ts";
import type { Scanner } from "../scan/wasm/scanner.ts";
import { FEW_DOCS } from "../scan/wasm/wasm-first-stage.ts";
import { layoutSection } from "../segment/layout.ts";
import type { SegmentSource } from "../segment/segment.ts";
import { VectorMemory } from "../wasm/float16-vectors.ts";
import { postingValuesOnDisk, rowsOnDisk, vectorsOnDisk } from "./disk-rows.ts";
import { type LexicalParts, postingParts, rowParts, type SemanticParts } from "./search-segment.ts";

/** The lexical parts of scores. `fits`: rows may stay in memory. */
export async function lexicalPartsOf(
  source: SegmentSource,
  scanner: Scanner | undefined,
  fits: boolean,
): Promise<LexicalParts> {
  const { loaded, sections } = source;
  if (scanner?.hasLists) {
    if (scanner.values) return postingParts(scanner, scanner.values);
    if (!fits) {
      const onDisk = await loaded.get("posting values on disk", () => postingValuesOnDisk(source));
      return postingParts(scanner, onDisk);
    }
    const values = await sections.section(layoutSection("postingValues"));
    return postingParts(scanner, (posting) => values[posting]);
  }
  return fits || !sections.has("starts")
    ? loaded.get("rows", async () => rowParts(await source.rows()))
    : loaded.get("rows on disk", () => rowsOnDisk(source));
}

/** The semantic parts of scores. `fits`: vectors may stay in memory. */
export function semanticPartsOf(
  source: SegmentSource,
  scanner: Scanner | undefined,
  fits: boolean,
): Promise<SemanticParts> {
  if (scanner?.hasVectors) return scanner.withVectors(() => layoutOf(source));
  return fits
    ? source.loaded.get("vectors", () => loadVectors(source))
    : source.loaded.get("vectors on disk", () => vectorsOnDisk(source));
}

/** Loads vectors into WebAssembly memory, or into arrays if they are few or do not fit. */
async function loadVectors(source: SegmentSource): Promise<SemanticParts> {
  const { docs, sections } = source;
  const { semanticDims } = source.meta;
  if (docs <= FEW_DOCS || !VectorMemory.fits(sections.bytesOf("semantic"), semanticDims)) {
    return rowParts(await source.rows());
  }
  const memory = new VectorMemory(docs, semanticDims);
  const { halves } = memory;
  await sections.readInto("semantic", new Uint8Array(halves.buffer, halves.byteOffset, halves.byteLength));
  return memory;
}
