// How documents are split over buffers. A binding has a largest size, so documents are split into chunks. Each chunk has
// one buffer for values, one for indices and one for semantic dimensions, slice by slice:
//
//   values   [slice][document]  float16        semantic [dim][document]  float16
//   indices  [slice][document]  u8 or u16
//
// A thread takes eight neighboring documents, so one 16-byte load has their values of one slice, and the threads of a
// group read one contiguous range. A scan reads only the slices it needs, as a first stage over the heavy part of a query
// does. (The layout tried first had groups of 16 slices per document. It is as fast when all slices are needed, and reads
// 16 times too much when one is.)

import type { DeviceLimits } from "./device.ts";
import { DeviceMemory } from "./device-errors.ts";

export interface RowShape {
  readonly docs: number;
  /** Slices. */
  readonly dims: number;
  /** Different indices that a slice can hold: up to 256 take one byte, more take two. */
  readonly perSlice: number;
  readonly semanticDims: number;
}

export interface DocumentChunk {
  /** The first document. */
  readonly first: number;
  readonly docs: number;
  /** Documents with padding: the distance between slices. */
  readonly stride: number;
}

/** Bytes of a document beside its vector of bytes: its scale and the length of its rounding error, float32 each. */
export const BYTE_VECTOR_FACTS = 8;

/**
 * Strides are a multiple of this many documents, so that a bit a document takes a multiple of 256 bytes: bindings may
 * begin there.
 */
const CHUNK_STEP = 2048;

export const indexBytes = ({ perSlice }: RowShape): 1 | 2 => (perSlice <= 256 ? 1 : 2);

/** Chunks as large as bindings allow; all but the last have the same size. */
export function splitIntoChunks(shape: RowShape, { bindingBytes }: DeviceLimits): DocumentChunk[] {
  // A document takes at least 4 bytes anywhere: its score.
  const widest = Math.max(4, shape.dims * 2, shape.semanticDims * 2, shape.semanticDims + BYTE_VECTOR_FACTS);
  const most = Math.floor(bindingBytes / widest / CHUNK_STEP) * CHUNK_STEP;
  if (most === 0) {
    throw new DeviceMemory(
      `${CHUNK_STEP} documents of ${widest} bytes do not fit a binding of ${bindingBytes} bytes`,
      "use fewer slices, or a device with larger bindings",
    );
  }
  const chunks: DocumentChunk[] = [];
  for (let first = 0; first < Math.max(1, shape.docs); first += most) {
    const docs = Math.min(most, shape.docs - first);
    chunks.push({ first, docs, stride: Math.max(1, Math.ceil(docs / CHUNK_STEP)) * CHUNK_STEP });
  }
  return chunks;
}

/** The fields of the shaders' `DocumentChunk`, in order. */
export const chunkWords = (stride: number, { dims, semanticDims }: RowShape): number[] => [
  ...[stride / 8, stride / 4],
  ...[dims, semanticDims],
];

/**
 * The form in which a row is uploaded, and kept for rescoring: values, then indices, then semantic dimensions. Each part is
 * padded, so that 16-byte loads find the same sixteen slots, or eight dimensions.
 */
export interface RowWords {
  /** The first word of the indices. */
  readonly indices: number;
  /** The first word of the semantic part. */
  readonly semantic: number;
  /** Words of a row. */
  readonly row: number;
}

/** Groups of sixteen slots, and of eight semantic dimensions. */
export const slotUnits = ({ dims }: Pick<RowShape, "dims">): number => Math.ceil(dims / 16);
export const semanticUnits = ({ semanticDims }: Pick<RowShape, "semanticDims">): number =>
  Math.ceil(semanticDims / 8);

export function rowWords(shape: RowShape): RowWords {
  const indices = slotUnits(shape) * 8;
  const semantic = indices + slotUnits(shape) * 4 * indexBytes(shape);
  return { indices, semantic, row: semantic + semanticUnits(shape) * 4 };
}
