import { expect, test } from "vitest";
import { readResults } from "./read-results.ts";
import { scoreToKey } from "./wgsl.ts";

const pairsOf = (items: readonly { doc: number; score: number }[]) =>
  Uint32Array.from(items.flatMap(({ doc, score }) => [doc, ~scoreToKey(score) >>> 0]));

test.each([0, 1, 2, 1000, 10_000])("%i documents: best first, equal scores by lower number", (count) => {
  let state = count;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const items = Array.from({ length: count }, (_, i) => ({
    doc: (i * 7919) % 10_007,
    score: Math.fround(random() < 0.3 ? Math.floor(random() * 5) - 2 : (random() - 0.5) * 1e3),
  }));
  const { docs, scores } = readResults(pairsOf(items), false);
  const expected = [...items].sort((a, b) => b.score - a.score || a.doc - b.doc);
  expect([...docs]).toEqual(expected.map(({ doc }) => doc));
  expect(readResults(pairsOf(expected), true)).toEqual({ docs, scores });
  expect([...scores].map((score) => score + 0)).toEqual(expected.map(({ score }) => score + 0));
});
