// The packed sections of a segment: posting lists and ids. Input: their numbers as JSON. The kernel and its plain definition refuse
// posting lists alike, or unpack the same from them. Ids that can be unpacked can be packed again.

import { RowsBuilder } from "../../../src/densify/rows.ts";
import { Unpacker } from "../../../src/scan/wasm/unpacker.ts";
import { unpackCells } from "../../../src/segment/lexical/packed-cells.ts";
import { type PackedLists, packLists, unpackLists } from "../../../src/segment/lexical/packed-postings.ts";
import { SPARE_BYTES } from "../../../src/segment/lexical/posting-blocks.ts";
import { toPostingLists } from "../../../src/segment/lexical/postings.ts";
import { IdTable } from "../../../src/segment/rows/ids.ts";
import { unpackSerials } from "../../../src/segment/rows/serials.ts";
import { splitIntoWindows } from "../../../src/segment/rows/windows.ts";
import { SluiceError } from "../../../src/support/errors/sluice-error.ts";
import { roundToFloat16 } from "../../../src/support/numbers/float16.ts";
import { mulberry32 } from "../../../src/support/numbers/random.ts";
import { outcome, requireSame, requireSameOutcome, type Target, textOf } from "../contract/target.ts";

const [MOST_DOCS, WINDOW_DOCS] = [400, 300];

interface Sections extends Record<Exclude<keyof PackedLists, "levels">, number[]> {
  readonly docs: number;
  readonly windowCells: number[];
  readonly windowBytes: number[];
  readonly idLengths: number[];
  readonly ids: number[];
  readonly serials: number[];
}

function seed(docs: number, value: (random: () => number, doc: number) => number): string {
  const random = mulberry32(docs);
  const builder = new RowsBuilder(6, 1);
  for (let doc = 0; doc < docs; doc++) {
    const slices = [0, 1, 2, 3, 4, 5].filter((slice) => random() < 0.9 / (1 + slice * slice));
    builder.add({
      slices: Uint32Array.from(slices),
      indices: new Uint16Array(slices.length),
      values: Float32Array.from(slices, () => roundToFloat16(value(random, doc))),
    });
  }
  const { starts, packed } = packLists(toPostingLists(builder.finish(), WINDOW_DOCS), docs, WINDOW_DOCS);
  const { lengths, bytes } = IdTable.of(Array.from({ length: docs }, (_, i) => `document-${i * 7}`)).pack();
  return JSON.stringify({
    docs,
    ...starts,
    ...Object.fromEntries(Object.entries(packed).map(([name, array]) => [name, [...array]])),
    idLengths: [...lengths],
    ids: [...bytes],
    serials: [1, docs - 1],
  });
}

/** Checks what the header of a segment is checked for before its sections are read: section-sizes.ts. */
function sectionsOf(text: string): Sections {
  const refuse = (): never => {
    throw new SluiceError("no sections");
  };
  let found: Sections;
  try {
    found = JSON.parse(text);
  } catch {
    return refuse();
  }
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const names = [
    "cells",
    "postings",
    "valueClasses",
    "classStarts",
    "classValues",
    "ids",
    "serials",
  ] as const;
  const lists = [...names, "windowCells", "windowBytes", "idLengths"] as const;
  if (typeof found !== "object" || found === null || !isCount(found.docs) || found.docs > MOST_DOCS) refuse();
  for (const name of lists) if (!Array.isArray(found[name]) || !found[name].every(isCount)) refuse();
  const windows = splitIntoWindows(found.docs, WINDOW_DOCS).length;
  for (const starts of [found.windowCells, found.windowBytes]) {
    const areStarts = starts[0] === 0 && starts.every((start, i) => i === 0 || start >= starts[i - 1]);
    if (starts.length !== windows + 1 || !areStarts) refuse();
  }
  const isOneClass = found.valueClasses.length === 0;
  if (
    found.windowCells[windows] > found.cells.length ||
    found.windowBytes[windows] + SPARE_BYTES !== found.postings.length ||
    found.idLengths.length < found.docs ||
    found.classStarts.length < 2 ||
    (!isOneClass && found.valueClasses.length !== found.docs)
  )
    refuse();
  return found;
}

/** What the kernel makes of posting lists. */
function byKernel(packed: PackedLists, { docs, windowCells, windowBytes }: Sections) {
  const { cells, cellStarts } = unpackCells(packed.cells, { windowCells, windowBytes });
  const unpacker = new Unpacker(packed, { bytes: packed.postings.length, docs, postings: 65_536, lists: 1 });
  const lists: [top: number, lanes: number[], values: number[]][] = [];
  for (const [w, { first, docs: own }] of splitIntoWindows(docs, WINDOW_DOCS).entries()) {
    const bytes = packed.postings.subarray(windowBytes[w], windowBytes[w + 1]);
    unpacker.begin(bytes.length, first, own).set(bytes);
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      const count = cellStarts[cell + 1] - cellStarts[cell];
      const [top] = unpacker.next(cellStarts.subarray(cell, cell + 2));
      lists.push([top, [...unpacker.lanes.subarray(0, count)], [...unpacker.values.subarray(0, count)]]);
    }
    unpacker.end();
  }
  return { cells: [...cells], lists };
}

/** What the sections hold, read by the slow definition. */
function byDefinition(packed: PackedLists, { docs, windowCells, windowBytes }: Sections) {
  const found = unpackLists(packed, { windowCells, windowBytes }, docs, WINDOW_DOCS);
  const { cells, cellStarts, cellTops, postingDocs, postingValues } = found;
  const lists = Array.from(cellTops, (top, cell) => {
    const [from, to] = [cellStarts[cell], cellStarts[cell + 1]];
    return [top, [...postingDocs.subarray(from, to)], [...postingValues.subarray(from, to)]];
  });
  return { cells: [...cells], lists };
}

export const target: Target = {
  name: "packed-sections",
  form: "json",
  longest: 65_536,
  seeds: () => [
    seed(40, (random, doc) => 1 / (1 + (doc % 3)) + Math.floor(random() ** 3 * 3)),
    seed(350, (random) => Math.ceil(3 * random() ** 4)),
    seed(130, (random) => 0.01 + 3 * random()),
    seed(0, () => 1),
  ],
  async run(bytes) {
    const sections = sectionsOf(textOf(bytes));
    const packed: PackedLists = {
      cells: Uint8Array.from(sections.cells),
      postings: Uint8Array.from(sections.postings),
      valueClasses: Uint8Array.from(sections.valueClasses),
      classStarts: Uint32Array.from(sections.classStarts),
      classValues: Uint16Array.from(sections.classValues),
      levels: new Uint16Array(0),
    };
    const defined = await outcome(() => byDefinition(packed, sections));
    requireSameOutcome("the kernel", await outcome(() => byKernel(packed, sections)), defined);
    const { docs } = sections;
    const ids = await outcome(() =>
      IdTable.unpack(
        { lengths: Uint8Array.from(sections.idLengths), bytes: Uint8Array.from(sections.ids) },
        docs,
      ),
    );
    if ("value" in ids) {
      const again = IdTable.unpack(ids.value.pack(), docs);
      requireSame(
        "ids",
        [[...again.starts], [...again.bytes]],
        [[...ids.value.starts], [...ids.value.bytes]],
      );
    }
    requireSame("serial numbers", unpackSerials(Uint8Array.from(sections.serials), docs).length, docs);
    if ("error" in defined) throw new SluiceError(defined.error);
    if ("error" in ids) throw new SluiceError(ids.error);
  },
};
