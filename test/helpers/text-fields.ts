// Random documents with text fields, and the plain definition of their scores.

import { expect } from "vitest";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import type { Answer, OpenOptions, SearchOptions } from "../../src/index.ts";
import type { Sluice } from "../../src/sluice.ts";
import { roundToFloat16 } from "../../src/support/numbers/float16.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { combinedAverage, combinedPart } from "../../src/weigh/combined-fields.ts";

export interface Made {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  readonly about?: { readonly tags?: string | readonly string[] };
  readonly vector?: readonly number[];
  readonly votes: number;
}

export const WORDS = ["lock", "gate", "canal", "boat", "weir", "mill", "dam", "pump", "locks", "gates"];
export const WEIGHTS = { title: 3, text: 1, "about.tags": 0.7 };
export const FIELDS = Object.keys(WEIGHTS);
export const BM25 = { k1: 1.1, b: 0.6 };

export function madeDocuments(count: number, withVectors: boolean, seed: number): Made[] {
  const random = mulberry32(seed);
  const words = (most: number) =>
    Array.from(
      { length: Math.floor(random() * (most + 1)) },
      () => WORDS[Math.floor(random() ** 2 * WORDS.length)],
    );
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    ...(random() < 0.8 && { title: words(3).join(" ") }),
    ...(random() < 0.9 && { text: words(12).join(" ") }),
    ...(random() < 0.6 && { about: { tags: random() < 0.5 ? words(3) : words(2).join(" ") } }),
    ...(withVectors && { vector: [random() - 0.5, random() - 0.5, random() - 0.5] }),
    votes: Math.floor(random() * 5),
  }));
}

/** The terms of a document, by field. */
export function termsOf({ title, text, about }: Made): string[][] {
  const listed = [about?.tags ?? []].flat();
  return [title ?? "", text ?? "", listed.join(" ")].map((each) =>
    each.split(" ").filter((term) => term !== ""),
  );
}

interface Definition {
  readonly weights: readonly number[];
  readonly lambda: number;
  readonly vector?: readonly number[];
  readonly votesWeight?: number;
}

interface Scored {
  readonly id: string;
  readonly score: number;
  readonly lexical: number;
}

/**
 * The plain definition: every document is scored. `terms` are those of the query with their weights. One that counts in one field
 * alone is scored as if the others had the weight 0.
 */
export function defined(documents: readonly Made[], terms: Answer["terms"], how: Definition): Scored[] {
  const { weights, lambda, vector, votesWeight = 0 } = how;
  const all = documents.map(termsOf);
  const counted = all.filter((fields) => fields.some((own) => own.length > 0));
  const fieldLengths = weights.map((_, field) => counted.reduce((sum, own) => sum + own[field].length, 0));
  const weightsOf = (field: string | undefined) =>
    weights.map((weight, i) => (field === undefined || FIELDS[i] === field ? weight : 0));
  const scored = documents.flatMap((document, i) => {
    const lengths = all[i].map((own) => own.length);
    let lexical = 0;
    for (const { term, weight, fate, field } of terms) {
      if (fate !== "kept") continue;
      const own = weightsOf(field);
      const average = combinedAverage({ docs: counted.length, fieldLengths }, own);
      const counts = all[i].map((own) => own.filter((other) => other === term).length);
      lexical += roundToFloat16(weight) * roundToFloat16(combinedPart(counts, lengths, own, average, BM25));
    }
    if (lexical === 0 && !vector) return [];
    const half = (x: number) => roundToFloat16(x);
    const semantic = vector
      ? vector.reduce((sum, x, d) => sum + lambda * half(x) * half(document.vector![d]), 0)
      : 0;
    return [{ id: document.id, lexical, score: lexical + semantic + votesWeight * document.votes }];
  });
  return scored.sort((a, b) => b.score - a.score);
}

/** Compares scores, which are the same for documents that tie, and the lexical part of each hit. */
export function expectSame(
  { hits, stats }: Answer,
  expected: readonly Scored[],
  offset: number,
  k: number,
): void {
  expect(stats.exact).toBe(true);
  const page = expected.slice(offset, offset + k);
  expect(hits).toHaveLength(page.length);
  const byId = new Map(expected.map((each) => [each.id, each]));
  for (const [i, hit] of hits.entries()) {
    expect(hit.score).toBeCloseTo(page[i].score, 9);
    expect(hit.score).toBeCloseTo(byId.get(hit.id)!.score, 9);
    expect(hit.lexical).toBeCloseTo(byId.get(hit.id)!.lexical, 9);
    expect(hit.score).toBeCloseTo(hit.lexical + hit.semantic + (hit.boost ?? 0), 9);
  }
}

export const OPTIONS = {
  analyzer: whitespace,
  encoder: "none",
  bm25: BM25,
  fieldWeights: WEIGHTS,
} satisfies OpenOptions;
export const EXACT = { plan: { kind: "exact" } } satisfies SearchOptions;

/** Adds documents in several commits, replaces some and deletes some. Returns what is left, in the order of the index. */
export async function fill(
  index: Sluice,
  documents: readonly Made[],
  sizes: readonly number[],
  seed: number,
): Promise<Made[]> {
  const random = mulberry32(seed);
  let left: Made[] = [];
  let from = 0;
  for (const size of sizes) {
    const added = documents.slice(from, from + size);
    await index.add(added);
    left.push(...added);
    await index.commit();
    from += size;
  }
  const [replaced, gone] = [left.filter(() => random() < 0.1), left.filter(() => random() < 0.1)];
  const fresh = replaced.map((old, i) => ({ ...documents[(i * 7) % documents.length], id: old.id }));
  await index.upsert(fresh);
  await index.delete(gone.map(({ id }) => id));
  const removed = new Set([...replaced, ...gone].map(({ id }) => id));
  left = [
    ...left.filter(({ id }) => !removed.has(id)),
    ...fresh.filter(({ id }) => !gone.some((other) => other.id === id)),
  ];
  await index.commit();
  await index.idle();
  return left;
}
