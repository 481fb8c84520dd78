import { expect, test } from "vitest";
import { mulberry32 } from "../support/numbers/random.ts";
import { Densifier } from "./densify.ts";
import { Slicing } from "./slicing.ts";
import { spread } from "./spread.ts";
import { Vocabulary } from "./vocabulary.ts";

const vocabulary = new Vocabulary(Array.from({ length: 200 }, (_, id) => `w${id}`));

/** Documents with a topic each: the terms of a document come from one tenth of the vocabulary. */
function corpus(docs: number) {
  const random = mulberry32(5);
  return Array.from({ length: docs }, () => {
    const topic = Math.floor(random() * 10);
    const ids = [...new Set(Array.from({ length: 12 }, () => topic + 10 * Math.floor(random() * 20)))];
    return { ids, weights: ids.map(() => random() + 0.1) };
  });
}

test("words that occur together are kept apart", () => {
  const texts = corpus(300);
  const lost = (slicing: Slicing) => {
    const densifier = new Densifier(slicing);
    return texts.reduce((sum, text) => sum + densifier.densify(text).collisions, 0);
  };
  const table = spread(vocabulary, 40, texts);
  const spreadLoss = lost(new Slicing(vocabulary, { strategy: "spread", dims: 40, table }));
  // The 20 terms of a topic fit into 40 slices without a collision.
  expect(spreadLoss).toBe(0);
  expect(lost(new Slicing(vocabulary, { strategy: "random", dims: 40 }))).toBeGreaterThan(100);
});

test("slices stay balanced, and words nobody saw find a place", () => {
  const texts = corpus(20).slice(0, 2); // nearly all words are unseen
  const table = spread(vocabulary, 8, texts);
  const sizes = new Array(8).fill(0);
  for (const slice of table) sizes[slice]++;
  expect(sizes.reduce((a, b) => a + b)).toBe(200);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(38); // 200 / 8 × 1.5
});

test("no documents and no words are no trouble", () => {
  expect(spread(vocabulary, 8, [])).toHaveLength(200);
  expect(spread(new Vocabulary([]), 8, [])).toHaveLength(0);
});

test("one-byte indices are kept where they suffice", () => {
  const many = new Vocabulary(Array.from({ length: 2000 }, (_, id) => `w${id}`));
  const table = spread(many, 8, []); // 250 a slice: half as much again would need two bytes
  expect(new Slicing(many, { strategy: "spread", dims: 8, table }).settings.perSlice).toBeLessThanOrEqual(
    256,
  );
});
