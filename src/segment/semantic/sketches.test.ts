import { describe, expect, test } from "vitest";
import type { Vectors } from "../../densify/rows.ts";
import { toFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { ProductCoder } from "../codes/product-codes.ts";
import { sketchPlainly } from "./plain-sketches.ts";
import { hasPartsOfFour, sketchInFours } from "./sketch-fours.ts";
import { createSketches } from "./sketches.ts";

const WINDOW_DOCS = 1040;

/** Vectors of several lengths; some are 0, some have many zeros of both signs, and some occur twice. */
function someVectors(docs: number, semanticDims: number, seed: number): Vectors {
  const random = mulberry32(seed);
  const semantic = new Uint16Array(docs * semanticDims);
  for (let doc = 0; doc < docs; doc++) {
    const zeros = [0, 0.1, 0.6, 1][doc % 4];
    const length = 4 ** ((doc % 9) - 5);
    for (let dim = 0; dim < semanticDims; dim++) {
      const value = random() < zeros ? 0 * (random() - 0.5) : (random() - 0.5) * length;
      semantic[doc * semanticDims + dim] = toFloat16(value);
    }
    if (doc % 11 === 10) semantic.copyWithin(doc * semanticDims, 0, semanticDims);
  }
  return { docs, semanticDims, semantic };
}

/** A coder whose centroids are random; some occur twice, so that two are equally near. */
function someCoder(semanticDims: number, seed: number): ProductCoder {
  const random = mulberry32(seed);
  const codebooks = Float32Array.from({ length: semanticDims * 16 }, () => random() - 0.5);
  for (let column = 0; column < semanticDims; column++)
    for (const [copy, original] of [[3, 1], [9, 1], [15, 12]]) // biome-ignore format: pairs
      codebooks[column * 16 + copy] = codebooks[column * 16 + original];
  if (seed % 3 === 0) codebooks.fill(0, 0, 64);
  return new ProductCoder({ parts: semanticDims / 4, bits: 4, dims: 0, semanticDims }, codebooks);
}

describe.each([8, 16, 72, 256])("%i dims: the kernels give the bits of the definition", (dims) => {
  test.each([1, 3, 4, 5, 15, 16, 17, 63, 512, 513, 1041, 1600])("%i documents", (docs) => {
    for (const seed of [1, 2, 3]) {
      const [vectors, coder] = [someVectors(docs, dims, seed), someCoder(dims, seed)];
      expect(hasPartsOfFour(coder)).toBe(true);
      expect(sketchInFours(vectors, coder, WINDOW_DOCS)).toEqual(sketchPlainly(vectors, coder, WINDOW_DOCS));
    }
  });
});

test.each([8, 64])("%i dims: sketches that were learned", (dims) => {
  const vectors = someVectors(300, dims, 4);
  const { shape, sketchBooks, ...arrays } = createSketches(vectors);
  expect(arrays).toEqual(sketchPlainly(vectors, new ProductCoder(shape, sketchBooks)));
});

test("parts of several widths are sketched by the definition", () => {
  const vectors = someVectors(100, 70, 5);
  const { shape, sketchBooks, ...arrays } = createSketches(vectors);
  const coder = new ProductCoder(shape, sketchBooks);
  expect(hasPartsOfFour(coder)).toBe(false);
  expect(arrays).toEqual(sketchPlainly(vectors, coder));
});
