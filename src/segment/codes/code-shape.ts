// The layout of product codes in memory, and plain definitions of what wasm/assembly/pq.ts computes from them.
//
//   4 bits  by group of sixteen documents, by pair of parts, by document: a byte, the even part in its low half
//   8 bits  by document, by part: a byte
//
// Documents are padded to a multiple of sixteen. With 4 bits, one load brings the codes of two parts for sixteen
// documents, as many as a look-up instruction takes. With 8 bits every look-up is a load, so any order would do.

export interface CodeShape {
  /** How many parts a row is cut into: an even number. */
  readonly parts: number;
  /** Bits of a part's code: 4 for 16 centroids, 8 for 256. */
  readonly bits: 4 | 8;
}

/** The shape that options ask for: 64 parts of 4 bits, where they leave it open. */
export function toCodeShape({ parts = 64, bits = 4 }: Partial<CodeShape>): CodeShape {
  return { parts, bits };
}

/** Bytes of one document's codes. */
export function codeBytes({ parts, bits }: CodeShape): number {
  return (parts * bits) / 8;
}

/** Writes a code over bits that are 0. */
export function putCode(codes: Uint8Array, shape: CodeShape, lane: number, part: number, code: number): void {
  if (shape.bits === 8) codes[lane * shape.parts + part] = code;
  else codes[nibblesAt(shape.parts, lane, part)] |= code << (4 * (part & 1));
}

export function codeAt(codes: Uint8Array, shape: CodeShape, lane: number, part: number): number {
  if (shape.bits === 8) return codes[lane * shape.parts + part];
  return (codes[nibblesAt(shape.parts, lane, part)] >>> (4 * (part & 1))) & 15;
}

function nibblesAt(parts: number, lane: number, part: number): number {
  return ((lane >>> 4) * (parts >>> 1) + (part >>> 1)) * 16 + (lane & 15);
}

/** The definition of `scanNibbles` and `scanBytes`: the sum of a document's look-ups in tables of 2^bits numbers a part. */
export function lookUpSum(
  codes: Uint8Array,
  shape: CodeShape,
  tables: Uint8Array | Float32Array,
  lane: number,
): number {
  let sum = 0;
  for (let part = 0; part < shape.parts; part++) {
    sum += tables[(part << shape.bits) + codeAt(codes, shape, lane, part)];
  }
  return sum;
}

/**
 * The definition of `nearestCentroids`: the centroid with the largest x·c − ½‖c‖², the lower number of two that are equal.
 * `codebook` has the centroids column by column, `halves` has −½‖c‖². It adds in float32 and in the order of the columns,
 * so that the kernel finds the same one.
 */
export function nearestCentroid(
  columns: ArrayLike<number>,
  values: ArrayLike<number>,
  codebook: Float32Array,
  halves: Float32Array,
): number {
  const count = halves.length;
  let best = 0;
  let largest = -Infinity;
  for (let c = 0; c < count; c++) {
    let nearness = halves[c];
    for (let n = 0; n < columns.length; n++) {
      nearness = Math.fround(nearness + Math.fround(values[n] * codebook[columns[n] * count + c]));
    }
    if (nearness > largest) {
      largest = nearness;
      best = c;
    }
  }
  return best;
}
