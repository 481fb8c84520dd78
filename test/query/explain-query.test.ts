// The explanation of a query must agree with what a search does.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Document } from "../../src/documents/document.ts";
import { type Plan, Sluice } from "../../src/index.ts";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";

const WORDS = ["gate", "water", "lock", "boat", "river", "school"];
/** The first terms are in few documents, so they weigh more. */
const DOCUMENTS: Document[] = Array.from({ length: 64 }, (_, i) => ({
  id: String(i),
  text: WORDS.filter((_, word) => i % 2 ** (WORDS.length - word) === 0).join(" "),
  vector: [Math.sin(i), Math.cos(i), 0.25],
}));

test("as many dimensions are selected as a search looks at", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none", dims: "full" });
  const plans = fc.oneof(
    fc.record({ kind: fc.constant("pruned" as const), theta: fc.double({ min: 0, max: 4, noNaN: true }) }),
    fc.record({ kind: fc.constant("pruned" as const), mass: fc.double({ min: 0.01, max: 1, noNaN: true }) }),
  );
  const asked = fc.record({
    text: fc.subarray(WORDS, { minLength: 1 }),
    lambda: fc.constantFrom(0, 0.5, 2),
    plan: plans,
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ text, lambda, plan }) => {
      const query = { text: text.join(" "), vector: [0.7, -0.7, 0.1] };
      // With fewer candidates than documents, and without a second stage, the stats are those of the first stage.
      const { stats } = await index.search(query, {
        lambda,
        plan: { ...plan, candidates: 1, rescore: false } as Plan,
      });
      const { terms, lexicalDims, semanticDims } = await index.explainQuery(query, {
        lambda,
        plan: plan as Plan,
      });
      expect(lexicalDims.selected + semanticDims.selected).toBe(stats.usedDims);
      expect(lexicalDims.of + semanticDims.of).toBe(stats.queryDims);
      expect(terms.filter(({ selected }) => selected)).toHaveLength(lexicalDims.selected);
      const weights = terms.map(({ weight }) => weight);
      expect(weights).toEqual([...weights].sort((a, b) => b - a));
    }),
  );
});

test("terms without a slot are not selected, and those with one have it named", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none", dims: 2, slicingStrategy: "stride" });
  const { terms } = await index.explainQuery({ text: WORDS.join(" "), vector: [1, 0, 0] });
  const kept = terms.filter(({ fate }) => fate === "kept");
  expect(kept).toHaveLength(2);
  for (const { term, fate, slice, index: at, selected } of terms) {
    expect(selected).toBe(fate === "kept");
    expect(index.slicing.termAt(slice!, at!)).toBe(term);
  }
  const unknown = await index.explainQuery({ text: "zebra", vector: [1, 0, 0] });
  expect(unknown.terms).toEqual([{ term: "zebra", weight: 0, fate: "unknown", selected: false }]);
  await expect(index.explainQuery("gate", { plan: { kind: "pruned" } as Plan, lambda: 0 })).rejects.toThrow(
    "either theta or mass",
  );
});

test("words of a query are found in a hit, and only words that count", async () => {
  const index = await Sluice.build([{ id: "1", title: "Gates", text: "Gated gardens of the gatekeeper" }], {
    encoder: "none",
  });
  const { hits, terms } = await index.search("the gate, a zebra");
  expect(await index.highlight(terms, hits[0].document)).toEqual({ title: [[0, 5]], text: [[0, 5]] });
  expect(await index.highlight(terms, { text: 5, other: "gate" })).toEqual({});
});

test("a search that was given up says why, and an index what it is", async () => {
  const index = await Sluice.build(
    DOCUMENTS.map(({ vector: _, ...document }) => document),
    { encoder: "none" },
  );
  const controller = new AbortController();
  const searching = index.search("gate", { signal: controller.signal });
  controller.abort(new SluiceError("enough"));
  await expect(searching).rejects.toThrow("enough");
  await expect(index.search("gate", { signal: controller.signal })).rejects.toThrow("enough");
  expect((await index.search("gate", { signal: new AbortController().signal })).hits).toHaveLength(1);
  expect([index.location, index.writable, await index.has("3"), await index.has("x")]).toEqual([
    undefined,
    true,
    true,
    false,
  ]);
});
