// Exact scores from rows that stay on the disk. Rows are read one at a time, for the few documents that need an exact score.
// The checksum of a section is verified once, before parts of it are read.

import type { Rows } from "../densify/rows.ts";
import type { SemanticParts } from "../scan/contract/exact-memory.ts";
import type { Sections, SegmentSource } from "../segment/segment.ts";
import { dotFloat16 } from "./dot.ts";
import type { LexicalParts } from "./engine-segment.ts";

/** The inner products of vectors that are read from the disk. */
export async function openDiskVectors({ meta, sections }: SegmentSource): Promise<SemanticParts> {
  await sections.verifySection("semantic");
  const bytes = new Uint8Array(meta.semanticDims * 2);
  const halves = new Uint16Array(bytes.buffer);
  return {
    computeDots(vector, locals, dots) {
      for (let i = 0; i < locals.length; i++) {
        sections.readRange("semantic", locals[i] * bytes.length, bytes.length, bytes);
        dots[i] = dotFloat16(vector, halves, 0);
      }
    },
  };
}

const SECTIONS = ["slices", "indices", "values"] as const;

/** The lexical parts of scores, from rows that are read from the disk. */
export async function openDiskRows({ meta, rowCount, sections }: SegmentSource): Promise<LexicalParts> {
  const { startOf, longest } = await openStarts(sections);
  for (const name of SECTIONS) await sections.verifySection(name);
  const { dims } = meta.settings;
  const slots = startOf(rowCount);
  const parts = SECTIONS.map((name) => {
    const width = slots === 0 ? 2 : sections.bytesOf(name) / slots;
    return { name, width, bytes: new Uint8Array(longest * width) };
  });
  const [slices, indices, values] = parts.map(({ width, bytes }) =>
    width === 1 ? bytes : new (width === 4 ? Uint32Array : Uint16Array)(bytes.buffer),
  );
  const row = {
    docs: 1,
    dims,
    starts: new Uint32Array(2),
    slices: slices as Rows["slices"],
    indices: indices as Rows["indices"],
    values: values as Rows["values"],
    semanticDims: 0,
    semantic: new Uint16Array(0),
  };
  // A row that fills all slots has all slices, in order, so its slices need not be read.
  const everySlice = slices.slice(0, longest === dims ? dims : 0).map((_, slice) => slice) as Rows["slices"];
  return {
    writeLexicalScores(scorer, locals, into) {
      for (let i = 0; i < locals.length; i++) {
        const from = startOf(locals[i]);
        const count = startOf(locals[i] + 1) - from;
        const isFull = count === dims;
        for (const { name, width, bytes } of count > 0 ? parts : []) {
          if (name === "slices" && isFull) continue;
          sections.readRange(name, from * width, count * width, bytes);
        }
        row.slices = isFull ? everySlice : (slices as Rows["slices"]);
        row.starts[1] = count;
        into[i] = scorer.scoreRow(row, 0);
      }
    },
  };
}

interface RowStarts {
  startOf(local: number): number;
  /** The slots of the longest row. */
  readonly longest: number;
}

/** Where rows begin. If all have the same length, that is computed, and the array does not stay in memory. */
async function openStarts(sections: Sections): Promise<RowStarts> {
  const starts = (await sections.loadSection("starts")) as Uint32Array;
  let longest = 0;
  for (let i = 1; i < starts.length; i++) longest = Math.max(longest, starts[i] - starts[i - 1]);
  if (!starts.every((start, local) => start === local * longest)) {
    return { startOf: (local) => starts[local], longest };
  }
  sections.forget("starts");
  return multiplesOf(longest);
}

/** This is a function of its own, so that the object it returns keeps no array alive. */
function multiplesOf(longest: number): RowStarts {
  return { startOf: (local) => local * longest, longest };
}
