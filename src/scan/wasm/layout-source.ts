// A source that a scanner reads a layout from. A segment on disk, an export in a page and a layout in memory are such sources.

import type { LayoutArray, LayoutMeta } from "../../segment/layout.ts";

/** What a layout is read from: a file, or memory. */
export interface LayoutSource {
  readonly docs: number;
  readonly dims: number;
  readonly semanticDims: number;
  readonly meta: LayoutMeta;
  /** A whole section. */
  array(name: string): Promise<LayoutArray>;
  /** Fills the target with bytes of a section, from `offset` on. */
  readInto(name: string, offset: number, target: Uint8Array): Promise<void>;
}
