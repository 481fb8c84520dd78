// Rows that stay on the disk: read one at a time, for the few documents whose exact score is asked for.

import { dotFloat16 } from "../kernel/dot.ts";
import type { Rows } from "../kernel/rows.ts";
import type { SegmentSource } from "../store/segment.ts";
import type { ExactRows } from "./segments.ts";

const SECTIONS = ["slices", "indices", "values", "semantic"] as const;
type Name = (typeof SECTIONS)[number];

/** Checks the sections once, from end to end, before rows are taken out of them. */
export async function diskRows({ meta, docs, sections }: SegmentSource): Promise<ExactRows> {
  const starts = (await sections.section("starts")) as Uint32Array;
  for (const name of SECTIONS) await sections.check(name);
  const slots = starts[docs];
  const widthOf = (name: Name) => (slots === 0 ? 2 : sections.bytesOf(name) / slots);
  const longest = starts.reduce((most, start, doc) => Math.max(most, start - (starts[doc - 1] ?? 0)), 0);
  const read = <T>(name: Name, width: number, from: number, count: number, into: T & Uint8Array) => {
    sections.readRange(name, from * width, count * width, into);
  };
  const { semanticDims } = meta;
  const widths = { slices: widthOf("slices"), indices: widthOf("indices"), values: 2 };
  const bytes = {
    slices: new Uint8Array(longest * widths.slices),
    indices: new Uint8Array(longest * widths.indices),
    values: new Uint8Array(longest * 2),
    semantic: new Uint8Array(semanticDims * 2),
  };
  const row = {
    docs: 1,
    dims: meta.settings.dims,
    starts: new Uint32Array(2),
    slices: widths.slices === 4 ? new Uint32Array(bytes.slices.buffer) : new Uint16Array(bytes.slices.buffer),
    indices: widths.indices === 1 ? bytes.indices : new Uint16Array(bytes.indices.buffer),
    values: new Uint16Array(bytes.values.buffer),
    semanticDims,
    semantic: new Uint16Array(bytes.semantic.buffer),
  } satisfies Rows;
  return {
    rowOf(doc) {
      const [from, count] = [starts[doc], starts[doc + 1] - starts[doc]];
      if (count > 0) {
        read("slices", widths.slices, from, count, bytes.slices);
        read("indices", widths.indices, from, count, bytes.indices);
        read("values", 2, from, count, bytes.values);
      }
      row.starts[1] = count;
      return { rows: row, doc: 0 };
    },
    dots(vector, wanted, dots) {
      for (let i = 0; i < wanted.length; i++) {
        read("semantic", 2, wanted[i] * semanticDims, semanticDims, bytes.semantic);
        dots[i] = dotFloat16(vector, row.semantic, 0);
      }
    },
  };
}
