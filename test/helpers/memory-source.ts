// A layout in memory → a source that `Scanner.load` can read, as if it came from a file.

import type { Rows } from "../../src/densify/rows.ts";
import type { LayoutSource } from "../../src/scan/wasm/layout-source.ts";
import { VECTORS } from "../../src/scan/wasm/memories.ts";
import type { Layout, LayoutArray } from "../../src/segment/layout.ts";

export function createMemorySource(
  { docs, dims, semanticDims, semantic }: Pick<Rows, "docs" | "dims" | "semanticDims" | "semantic">,
  { meta, sections }: Layout,
): LayoutSource {
  return {
    docs,
    dims,
    semanticDims,
    meta,
    array: async (name) => sections[name],
    readInto: async (name, offset, target) =>
      target.set(
        bytesOf(name === VECTORS ? semantic : sections[name]).subarray(offset, offset + target.length),
      ),
  };
}

function bytesOf(array: LayoutArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
