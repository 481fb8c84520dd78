// Made-up documents for tests of exports: words by Zipf's law, vectors with common directions, and metadata to filter by. And
// queries for them, with every option that changes an answer.

import type { Document, Query, SearchOptions } from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

const WORDS = 20_000;
const DIRECTIONS = 6;
export const VECTOR_DIMS = 24;

export function madeUpDocuments(count: number, seed = 1, { vectors = true } = {}): Document[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, i) => ({
    id: `doc-${seed}-${i}`,
    title: words(random, 3),
    text: words(random, 8 + Math.floor(random() * 24)),
    year: 1900 + Math.floor(random() * 120),
    tags: ["red", "green", "blue"].filter(() => random() < 0.4),
    ...(random() < 0.5 && { author: { name: `author ${Math.floor(random() * 50)}` } }),
    ...(vectors && { vector: vectorOf(random) }),
  }));
}

function words(random: () => number, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(" ");
}

/** A random word. Frequent words have low numbers. */
function word(random: () => number): string {
  return `w${Math.floor(WORDS ** random()).toString(36)}`;
}

function vectorOf(random: () => number): number[] {
  const strength = Array.from({ length: DIRECTIONS }, () => random() - 0.5);
  return Array.from({ length: VECTOR_DIMS }, (_, d) => strength[d % DIRECTIONS] + 0.3 * (random() - 0.5));
}

/** Queries of every kind, the same for every index of such documents. */
export function questions(
  count: number,
  { vectors = true } = {},
): { query: Query; options: SearchOptions }[] {
  const random = mulberry32(99);
  return Array.from({ length: count }, (_, i) => {
    const text = words(random, 1 + (i % 6));
    const vector = vectorOf(random);
    const isHybrid = vectors && i % 3 > 0;
    return {
      query: isHybrid ? { text: i % 9 === 1 ? "" : text, vector } : text,
      options: { ...OPTIONS[i % OPTIONS.length], ...(vectors && { lambda: isHybrid ? 1 + (i % 4) * 7 : 0 }) },
    };
  });
}

const OPTIONS: readonly SearchOptions[] = [
  {},
  { k: 25, plan: { kind: "exact" } },
  { k: 5, offset: 10, plan: { kind: "exact" } },
  { filter: { year: { gte: 1950, lt: 1980 } } },
  { k: 100, plan: { kind: "pruned", mass: 0.7, candidates: 400 } },
  { filter: { or: [{ tags: "red" }, { "author.name": "author 7" }] }, plan: { kind: "exact" } },
  { k: 3, exclude: ["doc-1-1", "doc-1-2", "nobody"], plan: { kind: "exact" } },
];
