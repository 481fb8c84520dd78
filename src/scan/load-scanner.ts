// A segment → its scanner. The first call loads the layout into WebAssembly memory; the segment keeps the scanner.

import type { LayoutMeta } from "../segment/layout.ts";
import { layoutSection } from "../segment/layout.ts";
import type { SegmentSource } from "../segment/segment.ts";
import type { LayoutSource } from "./wasm/layout-source.ts";
import { VECTORS } from "./wasm/memories.ts";
import type { ScanPool } from "./wasm/scan-pool.ts";
import { Scanner } from "./wasm/scanner.ts";

/**
 * The scanner of a segment, for the threads of a pool or for this one. If rows fit in memory, it reserves memory for whole
 * vectors. Later calls get the scanner of the first, whatever fits then: a second one would hold the posting lists twice.
 */
export function loadScanner(
  source: SegmentSource,
  rowsFitInMemory: boolean,
  pool?: ScanPool,
): Promise<Scanner> {
  const threads = pool?.threads ?? 1;
  return source.loaded.get(`scanner of ${threads}`, async () => {
    const scanner = await Scanner.load(readLayout(source), { threads, reservesVectors: rowsFitInMemory });
    if (pool) source.onClose(() => pool.detach(scanner));
    return scanner;
  });
}

/** The layout of a segment, as a scanner reads it. */
function readLayout({ meta, rowCount, sections }: SegmentSource): LayoutSource {
  const layout = meta.layout as LayoutMeta | undefined;
  if (!layout) throw new TypeError("the segment was written without a layout");
  const verified = new Set<string>();
  return {
    docs: rowCount,
    dims: meta.settings.dims,
    semanticDims: meta.semanticDims,
    meta: layout,
    array: async (name) => (await sections.loadSection(layoutSection(name))) as Uint32Array,
    readInto: async (name, offset, target) => {
      const section = name === VECTORS ? name : layoutSection(name);
      if (offset === 0 && target.length === sections.bytesOf(section)) {
        await sections.readInto(section, target);
        return;
      }
      if (!verified.has(name)) await sections.verifySection(section);
      verified.add(name);
      sections.readRange(section, offset, target.length, target);
    },
  };
}
