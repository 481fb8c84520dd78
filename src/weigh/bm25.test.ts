import { describe, expect, test } from "vitest";
import { golden } from "../../test/helpers/golden.ts";
import { countTerms } from "../documents/bag.ts";
import { idf, lengthToByte, roundLength, termPart } from "./bm25.ts";

describe("BM25", () => {
  const { k1, b, corpus, weights, length_norm } = golden("bm25.json");

  test("idf × term part is Lucene's weight", () => {
    const texts = Object.entries<string>(corpus).map(
      ([id, text]) => [id, countTerms(text.split(" ")), text.split(" ").length] as const,
    );
    const average = texts.reduce((sum, [, , length]) => sum + length, 0) / texts.length;
    for (const [id, counts, length] of texts) {
      for (const [term, tf] of counts) {
        const df = texts.filter(([, other]) => other.has(term)).length;
        const weight = idf(texts.length, df) * termPart(tf, length, average, { k1, b });
        expect(weight).toBeCloseTo(weights[id][term], 12);
      }
    }
  });

  test("lengths are remembered in one byte, as Lucene does", () => {
    for (const [length, byte, decoded] of length_norm) {
      expect(lengthToByte(length)).toBe(byte);
      expect(roundLength(length)).toBe(decoded);
    }
  });
});
