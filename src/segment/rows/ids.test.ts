// Ids come back as they were, and bytes that no writer writes are refused.

import { expect, test } from "vitest";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { IdTable, LONGEST_ID, MOST_LENGTH_BYTES } from "./ids.ts";

const random = mulberry32(5);
const hexadecimal = () => Math.floor(random() * 2 ** 32).toString(16);

test.each<[string, string[]]>([
  ["none", []],
  ["one", ["a"]],
  ["numbers", Array.from({ length: 2000 }, (_, i) => String(i))],
  ["paths", Array.from({ length: 300 }, (_, i) => `a/long/path/to/some/file-${i >> 3}.md#${i & 7}`)],
  ["any", Array.from({ length: 300 }, () => `${hexadecimal()}-${hexadecimal()}-${hexadecimal()}`)],
  ["the same twice, and the beginning of the one before", ["abc", "abc", "ab", "a", "abcd"]],
  ["other letters", ["水門", "水", "été", "\u{1f6b0}", "\u{1f6b1}"]],
  [
    "lengths around what half a byte holds",
    [0, 1, 14, 15, 16, 29, 30, 31, 200].map((n) => `${"x".repeat(n)}y`),
  ],
  ["the longest", ["a".repeat(LONGEST_ID), `${"a".repeat(LONGEST_ID - 1)}b`, "b".repeat(LONGEST_ID), "c"]],
])("%s", (_, ids) => {
  const table = IdTable.of(ids);
  const packed = table.pack();
  expect(packed.lengths.length).toBeGreaterThanOrEqual(ids.length);
  expect(packed.lengths.length).toBeLessThanOrEqual(MOST_LENGTH_BYTES * ids.length);
  const restored = IdTable.unpack(packed, ids.length);
  expect(restored).toEqual(table);
  expect(ids.map((_, local) => restored.at(local))).toEqual(ids);
});

test("an id that differs in its last letter takes two bytes", () => {
  const { lengths, bytes } = IdTable.of(Array.from({ length: 10 }, (_, i) => `document-${i}`)).pack();
  expect([lengths.length, bytes.length]).toEqual([10, "document-0".length + 9]);
});

test("bytes that no writer writes are refused", () => {
  const unpack = (lengths: number[], bytes: number, docs = 2) =>
    IdTable.unpack({ lengths: Uint8Array.from(lengths), bytes: new Uint8Array(bytes) }, docs);
  expect(unpack([0x02, 0x11], 3).docs).toBe(2);
  const wrong: [number[], number][] = [
    [[0x02], 2], // too few
    [[0x02, 0x11, 0x01], 4], // too many
    [[0x02, 0x11], 4], // too many bytes
    [[0x02, 0x31], 3], // it shares more than the one before has
    [[0x12, 0x11], 3],
    [[0x02, 0x0f], 17], // a length is missing
    [[0x02, 0x0f, 0x80], 17],
    [[0x0f, 0xff, 0x7f, 0x01], 15 + 0x3fff + 1], // too long
  ];
  for (const [lengths, bytes] of wrong)
    expect(() => unpack(lengths, bytes), String(lengths)).toThrow(SluiceError);
});
