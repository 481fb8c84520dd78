import { expect, test } from "vitest";
import { mulberry32 } from "../support/numbers/random.ts";
import { TermTable } from "./term-table.ts";
import { Vocabulary } from "./vocabulary.ts";

const random = mulberry32(17);
const LETTERS = [..."abcdeéß水🜂 [#", "\u0000", "\u007f", "\u0080", "\uffff", "\ud83d"];

function randomTerms(count: number): string[] {
  const terms = new Set<string>([""]);
  while (terms.size < count) {
    const length = 1 + Math.floor(6 * random());
    terms.add(
      Array.from({ length }, () => LETTERS[Math.floor(LETTERS.length * random())]).join("") +
        (random() < 0.01 ? "x".repeat(3000) : ""),
    );
  }
  return [...terms];
}

test("a table finds what a Map finds, at every size", () => {
  const terms = randomTerms(3000);
  const strangers = randomTerms(3000);
  const table = new TermTable();
  const map = new Map<string, number>();
  for (const [id, term] of terms.entries()) {
    expect(table.find(term)).toBeUndefined();
    expect(table.add(term)).toBe(id);
    expect(table.add(term)).toBeUndefined();
    expect(table.size).toBe(id + 1);
    map.set(term, id);
    expect(table.find(term)).toBe(id);
    if (id % 500 !== 0) continue;
    for (const other of [...terms, ...strangers]) expect(table.find(other)).toBe(map.get(other));
    for (const [other, place] of map) expect(table.at(place)).toBe(other);
  }
});

test("terms that differ in their last letter, and many of them", () => {
  const terms = Array.from({ length: 60_000 }, (_, i) => `w${i}`);
  const vocabulary = new Vocabulary(terms);
  expect(terms.every((term, id) => vocabulary.findId(term) === id)).toBe(true);
  expect(vocabulary.findId("w60000")).toBeUndefined();
});

test("a vocabulary that goes on does not change the one before it, nor one that goes on elsewhere", () => {
  const first = new Vocabulary(["a", "b"]);
  const second = first.extended(["c", "d"]);
  const other = first.extended(["d", "e"]);
  const third = second.extended(["e"]);
  expect(["a", "b", "c", "d", "e"].map((term) => first.findId(term))).toEqual([
    0,
    1,
    ...Array(3).fill(undefined),
  ]);
  expect(["a", "b", "c", "d", "e"].map((term) => second.findId(term))).toEqual([0, 1, 2, 3, undefined]);
  expect(["a", "b", "c", "d", "e"].map((term) => other.findId(term))).toEqual([0, 1, undefined, 2, 3]);
  expect(["a", "b", "c", "d", "e"].map((term) => third.findId(term))).toEqual([0, 1, 2, 3, 4]);
});

test("a term that appears twice is refused, and leaves no trace", () => {
  expect(() => new Vocabulary(["a", "b", "a"])).toThrow('the vocabulary holds "a" twice');
  const first = new Vocabulary(["a", "b"]);
  expect(() => first.extended(["c", "b"])).toThrow('the vocabulary holds "b" twice');
  expect(first.findId("c")).toBeUndefined();
  expect(first.extended(["x", "c"]).findId("c")).toBe(3);
});

test("terms as a list in bytes, and as a table, make the vocabulary that texts make", () => {
  for (const count of [1, 2, 50, 3000]) {
    // A backslash escapes a term, and half a surrogate pair is escaped: readers pass such a list as texts.
    const terms = [...randomTerms(count), "\ufeffmark", "zz"].filter(
      (term) => !JSON.stringify(term).includes("\\"),
    );
    const half = terms.length >>> 1;
    const expected = new Vocabulary(terms.slice(0, half)).extended(terms.slice(half));
    const bytesOf = (own: readonly string[]) => new TextEncoder().encode(JSON.stringify(own));
    const tableOf = (own: readonly string[]) => {
      const table = new TermTable();
      for (const term of own) table.add(term);
      return table;
    };
    for (const vocabulary of [
      new Vocabulary(terms),
      new Vocabulary([bytesOf(terms)]),
      new Vocabulary([bytesOf(terms.slice(0, half)), ...terms.slice(half)]),
      new Vocabulary(terms.slice(0, half)).extended([bytesOf([]), bytesOf(terms.slice(half))]),
      new Vocabulary(tableOf(terms)),
      new Vocabulary([]).extended(tableOf(terms)),
      new Vocabulary(terms.slice(0, half)).extended(tableOf(terms.slice(half))),
    ]) {
      expect(vocabulary.terms).toEqual(terms);
      expect(vocabulary.fingerprint).toBe(expected.fingerprint);
      expect(terms.every((term, id) => vocabulary.findId(term) === id)).toBe(true);
    }
    expect(() => new Vocabulary([bytesOf([...terms, terms[0]])])).toThrow("twice");
  }
});
