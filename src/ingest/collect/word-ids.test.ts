import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_TERM, UNSEEN, WordIds } from "./word-ids.ts";

test("remembers what a Map remembers", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("", "a", "b", "ab", "ba", "\ud800", "é", "x".repeat(64)),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, fc.integer({ min: NO_TERM, max: 0x7fff_fff0 })), { maxLength: 60 }),
      (pairs) => {
        const [ids, expected] = [new WordIds(), new Map<string, number>()];
        for (const [word, id] of pairs) {
          const text = `<${word}>`;
          const found = ids.find(text, 1, 1 + word.length);
          expect(found).toBe(expected.get(word) ?? UNSEEN);
          if (found !== UNSEEN || id === UNSEEN) continue;
          ids.set(text, 1, 1 + word.length, id);
          expected.set(word, id);
        }
      },
    ),
  );
});

test("a table that grows keeps its words, and forgets all of them when it is full", () => {
  const ids = new WordIds();
  const nameOf = (i: number) => `w${i}`;
  const words = 10_000;
  for (let i = 0; i < words; i++) ids.set(nameOf(i), 0, nameOf(i).length, i);
  for (let i = 0; i < words; i++) expect(ids.find(nameOf(i), 0, nameOf(i).length)).toBe(i);
  for (let i = words; i < 200_000; i++) ids.set(nameOf(i), 0, nameOf(i).length, i);
  expect(ids.find("w0", 0, 2)).toBe(UNSEEN);
  expect(ids.find("w199999", 0, 7)).toBe(199_999);
});

test("a very long word is never remembered", () => {
  const ids = new WordIds();
  const word = "x".repeat(65);
  ids.set(word, 0, word.length, 1);
  expect(ids.find(word, 0, word.length)).toBe(UNSEEN);
});
