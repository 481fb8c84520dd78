// Product codes: how they lie in memory, and plainly what the functions of wasm/assembly/pq.ts compute from them.
//
//   4 bits  by sixteen documents, by two parts, by document: a byte, the even part in its low half
//   8 bits  by document, by part: a byte
//
// Documents are padded to a multiple of sixteen. With 4 bits one load brings the codes of two parts for as many
// documents as a look-up instruction takes. With 8 bits a look-up is a load of its own, in whatever order.

export interface CodeShape {
  /** Even. */
  readonly parts: number;
  /** Of a part's code: 16 or 256 centroids. */
  readonly bits: 4 | 8;
}

/** What one document takes. */
export function codeBytes({ parts, bits }: CodeShape): number {
  return (parts * bits) / 8;
}

/** Writes a code into codes that are still 0 there. */
export function putCode(codes: Uint8Array, shape: CodeShape, doc: number, part: number, code: number): void {
  if (shape.bits === 8) codes[doc * shape.parts + part] = code;
  else codes[nibblesAt(shape.parts, doc, part)] |= code << (4 * (part & 1));
}

export function codeAt(codes: Uint8Array, shape: CodeShape, doc: number, part: number): number {
  if (shape.bits === 8) return codes[doc * shape.parts + part];
  return (codes[nibblesAt(shape.parts, doc, part)] >>> (4 * (part & 1))) & 15;
}

function nibblesAt(parts: number, doc: number, part: number): number {
  return ((doc >>> 4) * (parts >>> 1) + (part >>> 1)) * 16 + (doc & 15);
}

/** The definition of both scans: the sum of a document's look-ups in tables of 2^bits numbers a part. */
export function lookUpSum(
  codes: Uint8Array,
  shape: CodeShape,
  tables: Uint8Array | Float32Array,
  doc: number,
): number {
  let sum = 0;
  for (let part = 0; part < shape.parts; part++) {
    sum += tables[(part << shape.bits) + codeAt(codes, shape, doc, part)];
  }
  return sum;
}

/**
 * The definition of `nearestCentroids`: which of `count` centroids has the largest x·c − ½‖c‖², the lower of two with
 * the same. `codebook` has the centroids column by column, `halves` −½‖c‖². In float32 and in the order of the
 * columns, so that a kernel finds the same one.
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
