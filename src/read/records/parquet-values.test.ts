import fc from "fast-check";
import { snappyUncompress } from "hyparquet";
import { describe, expect, test } from "vitest";
import {
  bitsAt,
  checkDeltas,
  checkSnappy,
  DELTA_LENGTHS,
  DELTA_NUMBERS,
  DELTA_TEXTS,
} from "./parquet-values.ts";

describe("Snappy", () => {
  /** A text of literals and copies, and its packed form. */
  const packed = (parts: readonly { length: number; copies: boolean }[]) => {
    const bytes: number[] = [];
    const text: number[] = [];
    for (const { length, copies } of parts) {
      if (copies && text.length >= 4) {
        bytes.push(2 | ((Math.min(length, 64) - 1) << 2), 4, 0);
        for (let i = 0; i < Math.min(length, 64); i++) text.push(text[text.length - 4]);
        continue;
      }
      const size = length - 1;
      if (size < 60) bytes.push(size << 2);
      else if (size < 256) bytes.push(60 << 2, size);
      else bytes.push(61 << 2, size & 255, size >> 8);
      for (let i = 0; i < length; i++) {
        bytes.push(i & 255);
        text.push(i & 255);
      }
    }
    const head: number[] = [];
    let left = text.length;
    for (; left > 127; left >>>= 7) head.push((left & 127) | 128);
    return { packed: Uint8Array.from([...head, left, ...bytes]), text: Uint8Array.from(text) };
  };

  test("what hyparquet unpacks is let through", () => {
    const part = fc.record({ length: fc.integer({ min: 1, max: 1000 }), copies: fc.boolean() });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const made = packed(parts);
        if (made.text.length === 0) return;
        const text = new Uint8Array(made.text.length);
        snappyUncompress(made.packed, text);
        expect(text).toEqual(made.text);
        checkSnappy(made.packed);
      }),
    );
  });

  test("a length with the highest bit set is refused, and so is one beyond the end", () => {
    // hyparquet takes the first for −10, and goes back to it without end.
    expect(() => checkSnappy(Uint8Array.of(8, 63 << 2, 0xf5, 0xff, 0xff, 0xff, 1, 2, 3, 4))).toThrow(
      "beyond",
    );
    expect(() => checkSnappy(Uint8Array.of(8, 60 << 2, 9, 1, 2, 3))).toThrow("beyond");
  });
});

describe("differences", () => {
  /** One block of four parts with eight numbers each, none wider than a bit. */
  const stream = (first: number, least: number) => {
    const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);
    return [32, 4, 9, zigzag(first), zigzag(least), 1, 0, 0, 0, 0b10];
  };

  test("of texts and lengths are let through if the lengths can be", () => {
    // Lengths 5, 6, 8: the differences are 1 + 0 and 1 + 1.
    checkDeltas(Uint8Array.from(stream(5, 1)), DELTA_LENGTHS, 3, 19);
    expect(() => checkDeltas(Uint8Array.from(stream(5, 1)), DELTA_LENGTHS, 3, 18)).toThrow(
      "more than 18 bytes",
    );
    expect(() => checkDeltas(Uint8Array.from(stream(1, -3)), DELTA_LENGTHS, 3, 99)).toThrow("of its own");
    // Prefixes 0, 1, 3 of texts with 5, 5 + 1 … bytes.
    checkDeltas(Uint8Array.from([...stream(0, 1), ...stream(5, 0)]), DELTA_TEXTS, 3, 99);
    expect(() =>
      checkDeltas(Uint8Array.from([...stream(6, 1), ...stream(5, 0)]), DELTA_TEXTS, 3, 99),
    ).toThrow("a text has 6 bytes of the text before");
  });

  test.each([
    ["no parts", [128, 1, 0]],
    ["parts below 0", [128, 1, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ["numbers below 0", [0x80, 0xff, 0xff, 0xff, 0x0f, 4]],
    ["parts that do not fill it", [128, 1, 3]],
    ["no numbers", [0, 4]],
    ["too many numbers", [0x80, 0x80, 0x80, 0x40, 4]],
  ])("a block of %s is refused", (_, head) => {
    const bytes = Uint8Array.from([...head, 3, 0, 0, 0, 0, 0, 0, 0]);
    for (const encoding of [DELTA_NUMBERS, DELTA_LENGTHS, DELTA_TEXTS])
      expect(() => checkDeltas(bytes, encoding, 3, 1000)).toThrow("a block of");
  });

  test("bits are read from the lowest up, and not beyond the end", () => {
    expect([0, 1, 2].map((i) => bitsAt(Uint8Array.of(0b10_110_001, 0b1), 3 * i, 3))).toEqual([1, 6, 6]);
    expect(() => bitsAt(Uint8Array.of(1), 6, 3)).toThrow("end in the middle");
  });
});
