import { describe, expect, test } from "vitest";
import { Fingerprint, hash32, hashBytes } from "../support/bytes/hash.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { shuffle } from "../support/numbers/random.ts";
import {
  DISCARDED,
  hashedSlice,
  requireSameSlicing,
  Slicing,
  toSlicingSettings,
  toStoredSlicing,
} from "./slicing.ts";
import { Vocabulary } from "./vocabulary.ts";

/** As many terms as BERT's vocabulary, the first 999 of them markers. */
const bert = new Vocabulary(
  Array.from({ length: 30_522 }, (_, id) => (id < 999 ? `[unused${id}]` : `w${id}`)),
);
const words = (size: number) => new Vocabulary(Array.from({ length: size }, (_, id) => `w${id}`));

describe("how many ids go and how many a slice holds (specification.md, 1.2)", () => {
  test.each([
    [768, 39],
    [256, 117],
    [128, 234],
  ])("BERT at %i dims: 570 markers go, %i a slice", (dims, perSlice) => {
    const { settings, slices } = new Slicing(bert, { strategy: "stride", dims });
    expect(settings).toMatchObject({ discard: 570, perSlice, vocabularySize: 30_522 });
    expect(slices[569]).toBe(DISCARDED);
    expect(slices[570]).toBe(0);
  });

  test("a remainder of real words stays, and the last slots are empty", () => {
    const { settings, slices } = new Slicing(words(1000), { strategy: "stride", dims: 768 });
    expect(settings).toMatchObject({ discard: 0, perSlice: 2 });
    expect(slices.includes(DISCARDED)).toBe(false);
  });

  test("a width that does not divide 768 takes its own remainder", () => {
    expect(new Slicing(bert, { strategy: "stride", dims: 100 }).settings).toMatchObject({
      discard: 22,
      perSlice: 305,
    });
  });

  test("the paper's numbers for other vocabularies, given as an option", () => {
    const { settings } = new Slicing(words(30_000), { strategy: "stride", dims: 768, discard: 48 });
    expect(settings).toMatchObject({ discard: 48, perSlice: 39 });
  });

  test.each([
    [{ strategy: "stride", dims: 0 }],
    [{ strategy: "stride", dims: 1.5 }],
    [{ strategy: "stride", dims: 1e9 }],
    [{ strategy: "stride" }],
    [{ strategy: "stride", dims: 4, discard: 11 }],
    [{ strategy: "spread", dims: 4 }],
    [{ strategy: "spread", dims: 4, table: Uint32Array.from({ length: 10 }, () => 4) }],
    [{ strategy: "random", dims: 4, table: Uint32Array.of(1) }],
    [{ strategy: "random", dims: 4, table: new Uint32Array(12) }],
  ] as const)("%j is refused", (options) => {
    expect(() => new Slicing(words(10), options)).toThrow(SluiceError);
  });

  test("more than 65,536 terms a slice are refused, with the way out", () => {
    expect(() => new Slicing(words(65_537), { strategy: "stride", dims: 1 })).toThrow("at most 65536 fit");
  });
});

describe("every strategy", () => {
  test.each(["stride", "contiguous", "random", "full"] as const)(
    "%s gives each term a cell of its own",
    (strategy) => {
      const slicing = new Slicing(words(1000), { strategy, dims: 64, seed: 3 });
      expect(slicing.sharedCells).toBe(0);
      for (let id = 0; id < 1000; id++)
        expect(slicing.idAt(slicing.slices[id], slicing.indices[id])).toBe(id);
    },
  );

  test("hashed cells depend on the word alone", () => {
    const one = new Slicing(new Vocabulary(["b", "a"]), { strategy: "hashed", dims: 64 });
    const other = new Slicing(new Vocabulary(["a", "x", "b"]), { strategy: "hashed", dims: 64 });
    const cell = (slicing: Slicing, term: string) => {
      const id = slicing.vocabulary.findId(term)!;
      return [slicing.slices[id], slicing.indices[id]];
    };
    expect(cell(one, "a")).toEqual(cell(other, "a"));
    expect(cell(one, "b")).toEqual(cell(other, "b"));
  });

  test("hashed words that share a cell are counted and revert to the lower id", () => {
    const slicing = new Slicing(words(100_000), { strategy: "hashed", dims: 2 });
    expect(slicing.sharedCells).toBeGreaterThan(0);
    const shared = [...Array(100_000).keys()].filter(
      (id) => slicing.idAt(slicing.slices[id], slicing.indices[id]) !== id,
    );
    expect(shared).toHaveLength(slicing.sharedCells);
    for (const id of shared) expect(slicing.idAt(slicing.slices[id], slicing.indices[id])).toBeLessThan(id);
    expect(slicing.termAt(slicing.slices[shared[0]], slicing.indices[shared[0]])).toContain(
      ` | w${shared[0]}`,
    );
  });

  test("a seed means the same permutation forever", () => {
    expect([...shuffle(8, 42)]).toEqual([...shuffle(8, 42)]);
    expect([...shuffle(8, 42)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([...shuffle(8, 1)]).toEqual(SHUFFLED_8_BY_1);
  });
});

describe("a vocabulary that grows", () => {
  const [before, after] = [words(500), words(800)];
  const more = after.terms.slice(500);

  test("is the one of all its terms, and leaves the one before as it was", () => {
    const grown = before.extended(more);
    expect(grown.fingerprint).toBe(after.fingerprint);
    expect(grown.terms).toEqual(after.terms);
    expect([grown.findId("w700"), before.findId("w700"), before.findId("w3")]).toEqual([700, undefined, 3]);
    expect(before.size).toBe(500);
    const other = before.extended(["another"]);
    expect([
      other.findId("another"),
      other.findId("w700"),
      grown.findId("another"),
      grown.findId("w700"),
    ]).toEqual([500, undefined, undefined, 700]);
    expect(() => grown.extended(["w3"])).toThrow('holds "w3" twice');
    expect(before.extended([])).toBe(before);
  });

  test.each([
    ["hashed", { dims: 64 }],
    ["full", {}],
    ["spread", { dims: 7, table: Uint32Array.from({ length: 500 }, (_, id) => (id * 3) % 7) }],
  ] as const)("%s: no term moves, and new ones get a cell of their own", (strategy, options) => {
    const slicing = new Slicing(before, { strategy, ...options });
    const grown = slicing.extended(before.extended(more));
    expect(grown.slices.subarray(0, 500)).toEqual(slicing.slices);
    expect(grown.indices.subarray(0, 500)).toEqual(slicing.indices);
    const again =
      strategy === "spread"
        ? new Slicing(after, { strategy, dims: 7, table: grown.table! })
        : new Slicing(after, { strategy, ...options });
    expect(grown.settings).toEqual(again.settings);
    expect(grown.slices).toEqual(again.slices);
    expect(grown.indices).toEqual(again.indices);
    if (strategy === "spread") {
      for (let id = 500; id < 800; id++) expect(grown.slices[id]).toBe(hashedSlice(after.terms[id], 7));
    }
    expect(slicing.extended(before)).toBe(slicing);
  });

  test.each(["stride", "contiguous", "random"] as const)("%s has no place for more", (strategy) => {
    const slicing = new Slicing(before, { strategy, dims: 8 });
    expect(() => slicing.extended(before.extended(more))).toThrow('no place for new terms, such as "w500"');
  });
});

/** An index stores only the seed, so the permutation of a seed must never change. */
const SHUFFLED_8_BY_1 = [2, 1, 6, 7, 4, 3, 0, 5];

describe("settings", () => {
  const settings = (dims: number, seed: number) =>
    new Slicing(words(50), { strategy: "random", dims, seed }).settings;

  test("equal ones agree, others are refused with what differs", () => {
    expect(() => requireSameSlicing(settings(8, 1), settings(8, 1), "the query")).not.toThrow();
    expect(() => requireSameSlicing(settings(8, 1), settings(8, 2), "the query")).toThrow(
      "seed 2 instead of 1",
    );
    expect(() => requireSameSlicing(settings(8, 1), settings(4, 1), "the query")).toThrow(
      "dims 4 instead of 8",
    );
    const other = new Slicing(new Vocabulary(["x"]), { strategy: "stride", dims: 8 }).settings;
    expect(() => requireSameSlicing(settings(8, 1), other, "the query")).toThrow(
      /strategy stride.*vocabularyFingerprint .*seed none/,
    );
  });

  test("hashed cells need no common vocabulary", () => {
    const hashed = (terms: string[], dims: number) =>
      new Slicing(new Vocabulary(terms), { strategy: "hashed", dims }).settings;
    expect(() => requireSameSlicing(hashed(["a"], 8), hashed(["b", "c"], 8), "the query")).not.toThrow();
    // All that is compared of them is the number of slices, and the strategy.
    expect(() => requireSameSlicing(hashed(["a"], 8), hashed(["b", "c"], 4), "the query")).toThrow(
      /expected dims 8|dims 4 instead of 8/,
    );
  });

  test("a vocabulary in another order is another vocabulary", () => {
    expect(new Vocabulary(["a", "b"]).fingerprint).not.toBe(new Vocabulary(["b", "a"]).fingerprint);
    expect(new Vocabulary(["ab", "c"]).fingerprint).not.toBe(new Vocabulary(["a", "bc"]).fingerprint);
  });
});

test("a term that appears twice is refused", () => {
  expect(() => new Vocabulary(["a", "b", "a"])).toThrow('holds "a" twice');
});

test("sorted ids follow UTF-8 bytes, not UTF-16 units", () => {
  expect(Vocabulary.sorted(["\u{1f600}", "\uff5e", "b", "a", "ab", "a"]).terms).toEqual([
    "a",
    "ab",
    "b",
    "\uff5e",
    "\u{1f600}",
  ]);
});

test("MurmurHash3 gives the reference values", () => {
  // From the reference implementation's published test vectors (x86, 32 bits).
  expect(hash32("", 0)).toBe(0);
  expect(hash32("", 1)).toBe(0x514e28b7);
  expect(hash32("test", 0)).toBe(0xba6bd213);
  expect(hash32("Hello, world!", 0)).toBe(0xc0363e43);
  expect(hash32("The quick brown fox jumps over the lazy dog", 0)).toBe(0x2e4ff723);
  for (const text of ["größe", "abc\u00e9", "日本", "a\ud800b", "x".repeat(500), `${"x".repeat(500)}ß`]) {
    expect(hash32(text)).toBe(hashBytes(new TextEncoder().encode(text)));
  }
});

test("fingerprints have sixteen digits", () => {
  expect(new Fingerprint().toString()).toMatch(/^[0-9a-f]{16}$/);
  expect(new Fingerprint().add("a").toString()).not.toBe(new Fingerprint().add("b").toString());
});

test("settings come back from the form that files keep, which has its names since the first version", () => {
  const { settings } = new Slicing(new Vocabulary(["a", "b", "c"]), { strategy: "random", dims: 2, seed: 3 });
  const stored = toStoredSlicing(settings);
  expect(stored).toMatchObject({ terms: 3, vocabulary: settings.vocabularyFingerprint, seed: 3 });
  expect(toSlicingSettings(JSON.parse(JSON.stringify(stored)))).toEqual(settings);
});
