// Packed posting lists come back as they were: lists of every length around a block, lanes next to each other and far apart,
// values of few classes, of many and of none.

import { describe, expect, test } from "vitest";
import { type Rows, RowsBuilder } from "../../densify/rows.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { BLOCK_NUMBERS, BlockWriter, readBlock, skipBlock } from "./packed-numbers.ts";
import { packLists, unpackLists } from "./packed-postings.ts";
import { findProblem, invert } from "./postings.ts";

const random = mulberry32(11);
const whole = (below: number) => Math.floor(random() * below);

describe("packed numbers", () => {
  const kinds: [string, () => number][] = [
    ["zeros", () => 0],
    ["one bit", () => whole(2)],
    ["small, with a few large ones", () => (random() < 0.03 ? whole(65_536) : whole(8))],
    ["small, with many large ones", () => (random() < 0.3 ? whole(65_536) : whole(8))],
    ["the largest", () => 65_535],
    ["any", () => whole(65_536)],
  ];
  test.each(kinds)("%s come back, block after block", (_, number) => {
    const sizes = [1, 2, 7, 8, 9, 63, 64, 127, BLOCK_NUMBERS, 1, BLOCK_NUMBERS];
    const blocks = sizes.map((size) => Uint16Array.from({ length: size }, number));
    const writer = new BlockWriter();
    const starts = blocks.map((block) => {
      const { length } = writer;
      writer.add(block, block.length);
      return length;
    });
    const bytes = writer.finish();
    const read = new Uint16Array(3 + BLOCK_NUMBERS);
    for (const [i, block] of blocks.entries()) {
      const end = readBlock(bytes, starts[i], block.length, read, 3);
      expect(read.subarray(3, 3 + block.length)).toEqual(block);
      expect(end).toBe(starts[i + 1] ?? bytes.length - 2);
      expect(skipBlock(bytes, starts[i], block.length)).toBe(end);
    }
  });

  test("the example of the file format", () => {
    const writer = new BlockWriter();
    writer.add(Uint16Array.of(3, 0, 4), 3);
    writer.add(Uint16Array.of(0, 1, 0), 3);
    expect([...writer.finish()]).toEqual([0x03, 0x03, 0x01, 0x01, 0x02, 0, 0]);
  });

  test("a few large numbers among small ones do not widen a block", () => {
    const writer = new BlockWriter();
    writer.add(
      Uint16Array.from({ length: BLOCK_NUMBERS }, (_, i) => (i % 50 === 3 ? 40_000 : 1)),
      BLOCK_NUMBERS,
    );
    expect(writer.length).toBeLessThan(1 + 16 + 3 * 4 + 1);
  });
});

/** Rows whose slice s is held by a share of the documents that shrinks with s. */
function rowsOf(docs: number, dims: number, value: (doc: number) => number): Rows {
  const builder = new RowsBuilder(dims, 1);
  for (let doc = 0; doc < docs; doc++) {
    const slices = Array.from({ length: dims }, (_, slice) => slice).filter(
      (slice) => random() < 1.2 / (1 + slice * slice * 0.2),
    );
    builder.add({
      slices: Uint32Array.from(slices),
      indices: new Uint16Array(slices.length),
      values: Float32Array.from(slices, () => roundToFloat16(value(doc))),
    });
  }
  return builder.finish();
}

describe("packed posting lists", () => {
  const bm25 = (doc: number) => {
    const times = 1 + Math.floor(random() ** 4 * 5);
    return times / (times + 0.5 + (doc % 9) / 10);
  };
  const kinds: [string, number, (doc: number) => number][] = [
    ["classes by length", 2, bm25],
    ["one value", 1, () => 1],
    ["learned weights", 1, () => 0.01 + random() * 3],
    ["integer weights", 1, () => 1 + whole(200)],
  ];
  for (const [name, least, value] of kinds) {
    test.each([0, 1, 127, 128, 129, 3000])(`${name}: %i documents`, (docs) => {
      const rows = rowsOf(docs, 30, value);
      for (const windowDocs of [32, 1024, 65_536]) {
        const lists = invert(rows, windowDocs);
        const { starts, packed } = packLists(lists, docs, windowDocs);
        const restored = unpackLists(packed, starts, docs, windowDocs);
        expect(restored).toEqual(lists);
        expect(findProblem(restored, docs, windowDocs)).toBeUndefined();
        if (docs === 3000) expect(packed.classStarts.length - 1).toBeGreaterThanOrEqual(least);
        if (docs === 3000 && least === 1) expect(packed.valueClasses.length).toBe(0);
      }
    });
  }

  test("BM25's lists take less than half of their arrays", () => {
    const rows = rowsOf(3000, 30, bm25);
    const { packed } = packLists(invert(rows), 3000, 65_536);
    const bytes = Object.values(packed).reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes).toBeLessThan((4 * rows.starts[3000]) / 2);
  });

  test("damaged lists are no endless loop, and the check finds them or their values differ", () => {
    const rows = rowsOf(300, 10, bm25);
    const lists = invert(rows);
    const { starts, packed } = packLists(lists, 300, 65_536);
    for (let at = 0; at < packed.postings.length; at++) {
      const postings = packed.postings.slice();
      postings[at] ^= 1 << (at % 8);
      const damaged = unpackLists({ ...packed, postings }, starts, 300, 65_536);
      const isFound = findProblem(damaged, 300) !== undefined;
      const differs =
        String(damaged.postingDocs) !== String(lists.postingDocs) ||
        String(damaged.postingValues) !== String(lists.postingValues);
      // The unused bits of a block's last byte mean nothing.
      expect(isFound || differs || packed.postings[at] >>> (at % 8) === 0).toBe(true);
    }
  });
});
