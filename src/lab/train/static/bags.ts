// Texts → bags of word pieces: which pieces a text has, and the weight of each. A piece counts with the square root of how
// often it occurs.

import type { WordPieces } from "../../../encode/tokenize/word-pieces.ts";

export interface Bags {
  /** Where the pieces of each text begin; one more than there are texts. */
  readonly starts: Uint32Array;
  readonly pieces: Uint16Array;
  readonly weights: Float32Array;
}

export function bagsOf(texts: readonly string[], tokenizer: WordPieces): Bags {
  const starts = new Uint32Array(texts.length + 1);
  const [pieces, weights]: [number[], number[]] = [[], []];
  texts.forEach((text, i) => {
    const counts = new Map<number, number>();
    for (const id of tokenizer.ids(text)) counts.set(id, (counts.get(id) ?? 0) + 1);
    for (const [id, count] of counts) {
      pieces.push(id);
      weights.push(Math.sqrt(count));
    }
    starts[i + 1] = pieces.length;
  });
  return { starts, pieces: Uint16Array.from(pieces), weights: Float32Array.from(weights) };
}

/** In how many of the texts each piece occurs. */
export function documentFrequencies({ pieces }: Bags, vocabularySize: number): Uint32Array {
  const frequencies = new Uint32Array(vocabularySize);
  for (const piece of pieces) frequencies[piece]++;
  return frequencies;
}

/** Sums the rows of some bags' pieces: one vector per bag, one after another, into `out`. */
export function sumRows(
  { starts, pieces, weights }: Bags,
  chosen: Uint32Array,
  table: Float32Array,
  dims: number,
  out: Float32Array,
): void {
  out.fill(0);
  chosen.forEach((bag, i) => {
    for (let at = starts[bag]; at < starts[bag + 1]; at++) {
      const [row, weight, to] = [pieces[at] * dims, weights[at], i * dims];
      for (let j = 0; j < dims; j++) out[to + j] += weight * table[row + j];
    }
  });
}

/** Adds the gradients of such sums to those of the rows, and marks the rows. */
export function addGradients(
  { starts, pieces, weights }: Bags,
  chosen: Uint32Array,
  gradients: Float32Array,
  dims: number,
  out: Float32Array,
  isTouched: Uint8Array,
): void {
  chosen.forEach((bag, i) => {
    for (let at = starts[bag]; at < starts[bag + 1]; at++) {
      const [row, weight, from] = [pieces[at] * dims, weights[at], i * dims];
      isTouched[pieces[at]] = 1;
      for (let j = 0; j < dims; j++) out[row + j] += weight * gradients[from + j];
    }
  });
}
