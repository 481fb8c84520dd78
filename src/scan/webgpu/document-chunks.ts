// How documents are split over buffers. A binding has a largest size, so documents go in chunks: each chunk has its
// values, indices and semantic dimensions in one buffer each, slice by slice:
//
//   values   [slice][document]  float16        semantic [dim][document]  float16
//   indices  [slice][document]  u8 or u16
//
// A thread takes eight neighbouring documents, so one 16-byte load has their values of one slice, and the threads of a
// group read one unbroken stretch. Any subset of slices is read whole and nothing else with it, which is what a first
// stage over the heavy part of a query needs. (Groups of 16 slices per document, the layout tried first, read as
// fast when all slices are wanted, and 16 times too much when one is.)

import type { DeviceLimits } from "./device.ts";
import { DeviceMemory } from "./device-errors.ts";

export interface RowShape {
  readonly docs: number;
  /** Slices. */
  readonly dims: number;
  /** Different indices that a slice can hold: up to 256 take a byte, others two. */
  readonly perSlice: number;
  readonly semanticDims: number;
}

export interface Chunk {
  /** The first document. */
  readonly first: number;
  readonly docs: number;
  /** Documents with padding: how far apart slices are. */
  readonly stride: number;
}

/** Bytes of a document beside its vector of bytes: what a step is worth, and how long its error is. */
export const BYTE_VECTOR_FACTS = 8;

/** Chunks hold a multiple of this: a bit a document is then a multiple of 256 bytes, where bindings may begin. */
export const CHUNK_STEP = 2048;

export const indexBytes = ({ perSlice }: RowShape): 1 | 2 => (perSlice <= 256 ? 1 : 2);

/** Chunks as large as bindings allow, all but the last alike. */
export function chunksOf(shape: RowShape, { bindingBytes }: DeviceLimits): Chunk[] {
  // A document takes at least 4 bytes anywhere: its score.
  const widest = Math.max(4, shape.dims * 2, shape.semanticDims * 2, shape.semanticDims + BYTE_VECTOR_FACTS);
  const most = Math.floor(bindingBytes / widest / CHUNK_STEP) * CHUNK_STEP;
  if (most === 0) {
    throw new DeviceMemory(
      `${CHUNK_STEP} documents of ${widest} bytes do not fit a binding of ${bindingBytes} bytes`,
      "fewer slices, or a device with larger bindings",
    );
  }
  const chunks: Chunk[] = [];
  for (let first = 0; first < Math.max(1, shape.docs); first += most) {
    const docs = Math.min(most, shape.docs - first);
    chunks.push({ first, docs, stride: Math.max(1, Math.ceil(docs / CHUNK_STEP)) * CHUNK_STEP });
  }
  return chunks;
}

/** The same numbers that the shaders' Chunk has. */
export const chunkWords = (stride: number, { dims, semanticDims }: RowShape): number[] => [
  ...[stride / 8, stride / 4],
  ...[dims, semanticDims],
];

/**
 * A row as it is uploaded, and kept where candidates are rescored from rows: values, indices, semantic dimensions, one
 * after the other, each padded so that loads of 16 bytes find the same sixteen slots, or eight dimensions.
 */
export interface RowWords {
  /** First word of the indices and of the semantic part; words of a row. */
  readonly indices: number;
  readonly semantic: number;
  readonly row: number;
}

/** Sixteens of slots, and eights of semantic dimensions. */
export const slotUnits = ({ dims }: Pick<RowShape, "dims">): number => Math.ceil(dims / 16);
export const semanticUnits = ({ semanticDims }: Pick<RowShape, "semanticDims">): number =>
  Math.ceil(semanticDims / 8);

export function rowWords(shape: RowShape): RowWords {
  const indices = slotUnits(shape) * 8;
  const semantic = indices + slotUnits(shape) * 4 * indexBytes(shape);
  return { indices, semantic, row: semantic + semanticUnits(shape) * 4 };
}
