import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Bits } from "./bits.ts";

/** A set as a list of yes and no, on both sides of a word's width. */
const flags = fc.integer({ min: 0, max: 100 }).chain((length) => {
  const list = fc.array(fc.boolean(), { minLength: length, maxLength: length });
  return fc.tuple(list, list);
});

function bitsOf(list: readonly boolean[]): Bits {
  const bits = new Bits(list.length);
  list.forEach((flag, doc) => {
    if (flag) bits.set(doc);
  });
  return bits;
}

function listOf(bits: Bits): boolean[] {
  return Array.from({ length: bits.length }, (_, doc) => bits.get(doc));
}

/** Nothing beyond the length, whatever was done before. */
function expectClean(bits: Bits): void {
  for (let doc = bits.length; doc < bits.words.length * 32; doc++) expect(bits.get(doc)).toBe(false);
}

describe("bits agree with a list of yes and no", () => {
  test("one set", () => {
    fc.assert(
      fc.property(flags, ([list]) => {
        const bits = bitsOf(list);
        expect(listOf(bits)).toEqual(list);
        expect(bits.count()).toBe(list.filter(Boolean).length);
        expect([...bits]).toEqual(list.flatMap((flag, doc) => (flag ? [doc] : [])));
        const copy = bits.copy();
        for (const doc of bits) copy.clear(doc);
        expect(copy.count()).toBe(0);
        expect(listOf(bits.not())).toEqual(list.map((flag) => !flag));
        expectClean(bits);
      }),
    );
  });

  test("two sets", () => {
    fc.assert(
      fc.property(flags, ([a, b]) => {
        expect(listOf(bitsOf(a).and(bitsOf(b)))).toEqual(a.map((flag, i) => flag && b[i]));
        expect(listOf(bitsOf(a).or(bitsOf(b)))).toEqual(a.map((flag, i) => flag || b[i]));
        expect(listOf(bitsOf(a).andNot(bitsOf(b)))).toEqual(a.map((flag, i) => flag && !b[i]));
        expectClean(bitsOf(a).not().or(bitsOf(b).not()));
      }),
    );
  });
});

test.each([0, 1, 31, 32, 33, 64, 100])("all of %i", (length) => {
  const all = Bits.all(length);
  expect(all.count()).toBe(length);
  expect([...all]).toEqual(Array.from({ length }, (_, doc) => doc));
  expectClean(all);
});

test("words are laid out as said", () => {
  const bits = new Bits(70);
  for (const doc of [0, 31, 32, 69]) bits.set(doc);
  expect([...bits.words]).toEqual([0x8000_0001, 1, 1 << 5]);
  expect([...new Bits(70, bits.words)]).toEqual([0, 31, 32, 69]);
});

test("what would leave bits beyond the length is refused", () => {
  const bits = new Bits(33);
  expect(() => bits.set(33)).toThrow(RangeError);
  expect(() => bits.clear(-1)).toThrow(RangeError);
  expect(() => bits.and(new Bits(34))).toThrow("34 bits, expected 33");
  expect(() => new Bits(33, Uint32Array.of(0, 2))).toThrow(RangeError);
  expect(() => new Bits(33, Uint32Array.of(0))).toThrow(RangeError);
});
