// Packed posting lists come back as they were: lists of every length around a block, lanes next to each other and far apart,
// values of few classes, of many and of none. Lists that no writer writes are refused.

import { describe, expect, test } from "vitest";
import { type Rows, RowsBuilder } from "../../densify/rows.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { packCells, unpackCells } from "./packed-cells.ts";
import { type PackedLists, packLists, unpackLists } from "./packed-postings.ts";
import { BLOCK_LENGTH, BlockWriter, readBlock, skipBlock } from "./posting-blocks.ts";
import { findProblem, type PostingLists, toPostingLists } from "./postings.ts";

const random = mulberry32(11);
const whole = (below: number) => Math.floor(random() * below);

interface Block {
  readonly gaps: Uint16Array;
  readonly ranks: Uint16Array;
}

const MOST_RANK = 32_767;

/** Writes blocks and reads them back. Returns their bytes, and where each begins. */
function throughBytes(blocks: readonly Block[]): { bytes: Uint8Array; starts: number[] } {
  const writer = new BlockWriter();
  const starts = blocks.map(({ gaps, ranks }) => {
    const { length } = writer;
    writer.add(gaps, ranks, gaps.length);
    return length;
  });
  const bytes = writer.finish();
  expect([...bytes.subarray(-2)]).toEqual([0, 0]);
  const [gaps, ranks] = [new Uint16Array(3 + BLOCK_LENGTH), new Uint16Array(5 + BLOCK_LENGTH)];
  for (const [i, block] of blocks.entries()) {
    const { length } = block.gaps;
    const end = readBlock(bytes, starts[i], length, gaps, 3, ranks, 5);
    expect(gaps.subarray(3, 3 + length)).toEqual(block.gaps);
    expect(ranks.subarray(5, 5 + length)).toEqual(block.ranks);
    expect(end).toBe(starts[i + 1] ?? bytes.length - 2);
    expect(skipBlock(bytes, starts[i], length)).toBe(end);
  }
  return { bytes, starts };
}

/** The bits that a block takes with these lowest bits, by definition. */
function bitsOf(numbers: Uint16Array, low: number): number {
  return numbers.reduce((sum, number) => sum + low + (number >>> low) + 1, 0);
}

describe("blocks of postings", () => {
  const sizes = [1, 2, 7, 8, 9, 63, 64, 127, BLOCK_LENGTH, 1, BLOCK_LENGTH];
  const kinds: [string, () => number][] = [
    ["zeros", () => 0],
    ["one bit", () => whole(2)],
    ["small, with a few large ones", () => (random() < 0.03 ? whole(65_536) : whole(8))],
    ["small, with many large ones", () => (random() < 0.3 ? whole(65_536) : whole(8))],
    ["the largest", () => 65_535],
    ["any", () => whole(65_536)],
  ];
  const pairs = kinds.flatMap(([a, gap]) => kinds.map(([b, rank]) => [a, b, gap, rank] as const));
  test.each(pairs)("gaps: %s, ranks: %s: they come back, block after block", (_, __, gap, rank) => {
    throughBytes(
      sizes.map((size) => ({
        gaps: Uint16Array.from({ length: size }, gap),
        ranks: Uint16Array.from({ length: size }, () => Math.min(MOST_RANK, rank())),
      })),
    );
  });

  test.each(Array.from({ length: 17 }, (_, bits) => bits))(
    "gaps of %i bits come back, and take the fewest bits",
    (bits) => {
      for (const size of [1, 127, BLOCK_LENGTH]) {
        const gaps = Uint16Array.from({ length: size }, () =>
          bits === 0 ? 0 : 2 ** (bits - 1) + whole(2 ** (bits - 1)),
        );
        const ranks = gaps.map((gap) => Math.min(gap, MOST_RANK));
        const { bytes } = throughBytes([{ gaps, ranks: ranks.map(() => 0) }]);
        const least = Math.min(...Array.from({ length: 17 }, (_, low) => bitsOf(gaps, low)));
        expect(bytes.length - 2).toBe(1 + Math.ceil(least / 8));
        throughBytes([{ gaps, ranks }]);
        throughBytes([{ gaps: ranks.map(() => 0), ranks }]);
      }
    },
  );

  test("ranks that are all 0 take no bits", () => {
    const [gaps, ranks] = [new Uint16Array(BLOCK_LENGTH), new Uint16Array(BLOCK_LENGTH)];
    expect(throughBytes([{ gaps, ranks }]).bytes.length).toBe(1 + BLOCK_LENGTH / 8 + 2);
  });

  test("the example of the file format", () => {
    const { bytes } = throughBytes([{ gaps: Uint16Array.of(3, 0, 4), ranks: Uint16Array.of(0, 1, 0) }]);
    expect([...bytes]).toEqual([0x12, 0x31, 0x1b, 0, 0]);
  });

  test("a few large numbers among small ones do not widen a block much", () => {
    const gaps = Uint16Array.from({ length: BLOCK_LENGTH }, (_, i) => (i % 50 === 3 ? 40_000 : 1));
    const { bytes } = throughBytes([{ gaps, ranks: new Uint16Array(BLOCK_LENGTH) }]);
    expect(bytes.length).toBeLessThan(2 * BLOCK_LENGTH);
  });

  test("a head or bits that no writer writes are refused", () => {
    const read = (...bytes: number[]) =>
      readBlock(Uint8Array.from(bytes), 0, 2, new Uint16Array(2), 0, new Uint16Array(2), 0);
    expect(read(0, 3)).toBe(2);
    for (const bytes of [
      [],
      [255, 3],
      [0],
      [0, 1],
      [17, 3],
      [0, ...new Uint8Array(512), 3],
      [16, 1, 1, 0, 0, 2, 3],
    ])
      expect(() => read(...bytes), String(bytes.slice(0, 9))).toThrow("a posting list cannot be unpacked");
    for (const bytes of [[], [255, 3], [0], [0, 1], [17, 3]])
      expect(() => skipBlock(Uint8Array.from(bytes), 0, 2), String(bytes)).toThrow(SluiceError);
  });
});

describe("packed cells", () => {
  const roundTrip = (windows: readonly (readonly [key: number, postings: number][])[]) => {
    const all = windows.flat();
    const starts = [0];
    for (const [, postings] of all) starts.push(starts[starts.length - 1] + postings);
    const windowCells = [0];
    for (const cells of windows) windowCells.push(windowCells[windowCells.length - 1] + cells.length);
    const [cells, cellStarts] = [Uint32Array.from(all, ([key]) => key), Uint32Array.from(starts)];
    const packed = packCells(cells, cellStarts, windowCells);
    const windowBytes = windowCells.map((cell) => starts[cell]);
    expect(unpackCells(packed, { windowCells, windowBytes })).toEqual({ cells, cellStarts });
    return { packed, windowCells, windowBytes };
  };

  test("keys side by side, by slice and far apart come back", () => {
    roundTrip([]);
    roundTrip([[], [[0, 1]], []]);
    roundTrip([[[4_294_967_295, 65_536]], [[5, 2]]]);
    const keys = (step: () => number) => {
      let key = -1;
      return Array.from({ length: 500 }, (): [number, number] => {
        key += step();
        return [key, 1 + whole(100)];
      });
    };
    roundTrip([keys(() => 1), keys(() => 1 + whole(3)), keys(() => 65_536), keys(() => 1 + whole(200_000))]);
  });

  test("a term a slice takes a byte, whatever the key of a slice is", () => {
    for (const step of [1, 65_536]) {
      const { packed } = roundTrip([Array.from({ length: 99 }, (_, i) => [i * step, 1 + (i % 32)])]);
      expect(packed.length).toBe(99);
    }
  });

  test("cells that do not fit the header or the lists are refused", () => {
    const { packed, windowCells, windowBytes } = roundTrip([
      [[7, 3]],
      [
        [1, 2],
        [2, 9],
      ],
    ]);
    const unpack = (bytes: Uint8Array, cells = windowCells, lists = windowBytes) =>
      unpackCells(bytes, { windowCells: cells, windowBytes: lists });
    expect(() => unpack(packed.subarray(0, -1))).toThrow("end early");
    expect(() => unpack(Uint8Array.of(...packed, 0))).toThrow("do not fill");
    expect(() => unpack(packed, windowCells, [0, 3, 4])).toThrow("out of range");
    expect(() => unpack(Uint8Array.of(2, 255, 255, 255, 255, 15, 0), [0, 2], [0, 99])).toThrow(
      "out of range",
    );
    expect(() => unpack(Uint8Array.of(0xfc, 0xff, 0xff, 0xff, 15), [0, 1], [0, 2 ** 40])).toThrow(
      "out of range",
    );
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

function requireRoundTrip(lists: PostingLists, docs: number, windowDocs: number): PackedLists {
  const { starts, packed } = packLists(lists, docs, windowDocs);
  const restored = unpackLists(packed, starts, docs, windowDocs);
  expect(restored).toEqual(lists);
  expect(findProblem(restored, docs, windowDocs)).toBeUndefined();
  return packed;
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
        const packed = requireRoundTrip(toPostingLists(rows, windowDocs), docs, windowDocs);
        if (docs === 3000) expect(packed.classStarts.length - 1).toBeGreaterThanOrEqual(least);
        if (docs === 3000 && least === 1) expect(packed.valueClasses.length).toBe(0);
      }
    });
  }

  test("one huge list, lists of one posting at both ends of a window, and a value for every float16", () => {
    const docs = 70_000;
    const builder = new RowsBuilder(3, 1);
    for (let doc = 0; doc < docs; doc++) {
      const slices = doc === 0 ? [0, 1] : doc === 65_535 ? [0, 2] : [0];
      builder.add({
        slices: Uint32Array.from(slices),
        indices: new Uint16Array(slices.length),
        values: Float32Array.from(slices, (slice) =>
          slice === 0 ? roundToFloat16(2 ** -14 * 2 ** (doc % 28) * (1 + (doc % 997) / 1024)) : 1,
        ),
      });
    }
    requireRoundTrip(toPostingLists(builder.finish()), docs, 65_536);
  });

  test("BM25's lists take less than a third of their arrays", () => {
    const rows = rowsOf(3000, 30, bm25);
    const { packed } = packLists(toPostingLists(rows), 3000, 65_536);
    const bytes = Object.values(packed).reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes).toBeLessThan((4 * rows.starts[3000]) / 3);
  });

  const lists = toPostingLists(rowsOf(100, 8, bm25));
  const { starts, packed } = packLists(lists, 100, 65_536);

  test("damaged lists are refused, or the check finds them, or they differ", () => {
    for (let at = 0; at < packed.postings.length - 2; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const postings = packed.postings.slice();
        postings[at] ^= 1 << bit;
        let damaged: PostingLists;
        try {
          damaged = unpackLists({ ...packed, postings }, starts, 100, 65_536);
        } catch (error) {
          expect(error).toMatchObject({ name: "SluiceError", code: "ERR_SLUICE_DAMAGED" });
          continue;
        }
        const isFound = findProblem(damaged, 100) !== undefined;
        const differs =
          String(damaged.postingDocs) !== String(lists.postingDocs) ||
          String(damaged.postingValues) !== String(lists.postingValues);
        // The unused bits of a block's last byte mean nothing.
        expect(isFound || differs || packed.postings[at] >>> bit === 0).toBe(true);
      }
    }
  });

  test("wrong lengths and wrong classes are refused", () => {
    const refused = (change: Partial<PackedLists>, windowBytes = starts.windowBytes) =>
      expect(() => unpackLists({ ...packed, ...change }, { ...starts, windowBytes }, 100, 65_536)).toThrow(
        SluiceError,
      );
    expect(packed.valueClasses.length).toBe(100);
    refused({ valueClasses: packed.valueClasses.map((own, i) => (i === 7 ? 255 : own)) });
    refused({ classStarts: packed.classStarts.map((start) => start + 1) });
    refused({ classStarts: packed.classStarts.toReversed() });
    refused({ classValues: packed.classValues.subarray(1) });
    refused({ classStarts: new Uint32Array(0) });
    refused({ postings: packed.postings.subarray(0, 40) });
    refused({}, [0, starts.windowBytes[1] + 1]);
  });
});
