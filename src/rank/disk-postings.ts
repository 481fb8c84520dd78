// The exact values of postings that stay on the disk, packed. A search asks for the postings of one list after another, so the
// last list is kept unpacked. Where each list begins is found once, window by window.

import type { PostingValues } from "../scan/contract/exact-memory.ts";
import { type LayoutMeta, layoutSection } from "../segment/layout.ts";
import { unpackCells } from "../segment/lexical/packed-cells.ts";
import { ListReader } from "../segment/lexical/packed-postings.ts";
import { requireClasses } from "../segment/lexical/value-classes.ts";
import { splitIntoWindows } from "../segment/rows/windows.ts";
import type { SegmentSource } from "../segment/segment.ts";

export async function openPostingValues({ meta, rowCount, sections }: SegmentSource): Promise<PostingValues> {
  const { lexical, windowDocs } = meta.layout as LayoutMeta;
  if (lexical.kind !== "inverted") throw new TypeError("the segment has no posting lists");
  const { windowCells, windowBytes } = lexical;
  const section = layoutSection("postings");
  await sections.verifySection(section);
  const array = async (name: string) => sections.loadSection(layoutSection(name));
  const { cellStarts } = unpackCells((await array("cells")) as Uint8Array, lexical);
  const classes = {
    valueClasses: (await array("valueClasses")) as Uint8Array,
    classStarts: (await array("classStarts")) as Uint32Array,
    classValues: (await array("classValues")) as Uint16Array,
  };
  requireClasses(classes);
  const read = (from: number, to: number) => {
    const bytes = new Uint8Array(to - from);
    sections.readRange(section, from, bytes.length, bytes);
    return bytes;
  };

  const cells = cellStarts.length - 1;
  const listBytes = new Float64Array(cells + 1); // by cell: where its list begins
  const windows = splitIntoWindows(rowCount, windowDocs);
  for (let w = 0; w < windows.length; w++) {
    const reader = new ListReader(read(windowBytes[w], windowBytes[w + 1]), classes, windows[w]);
    for (let cell = windowCells[w]; cell < windowCells[w + 1]; cell++) {
      listBytes[cell] = windowBytes[w] + reader.at;
      reader.skip(cellStarts[cell + 1] - cellStarts[cell]);
    }
  }
  listBytes[cells] = windowBytes[windows.length];

  let [first, end] = [0, 0]; // the postings that are unpacked
  let lanes = new Uint16Array(0);
  let values = new Uint16Array(0);
  return (posting) => {
    if (posting >= first && posting < end) return values[posting - first];
    const cell = findCell(cellStarts, posting);
    [first, end] = [cellStarts[cell], cellStarts[cell + 1]];
    const w = windowCells.findIndex((start) => start > cell) - 1;
    if (end - first > values.length) {
      lanes = new Uint16Array(end - first);
      values = new Uint16Array(end - first);
    }
    const reader = new ListReader(read(listBytes[cell], listBytes[cell + 1]), classes, windows[w]);
    reader.next(end - first, lanes, 0, values, 0);
    return values[posting - first];
  };
}

/** The last cell that begins at or before a posting, and is not empty. */
function findCell(cellStarts: Uint32Array, posting: number): number {
  let [low, high] = [0, cellStarts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (cellStarts[middle] <= posting) low = middle;
    else high = middle - 1;
  }
  return low;
}
