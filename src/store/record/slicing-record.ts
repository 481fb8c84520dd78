// The settings of a slicing, as commit records and exports keep them → the slicing. Pages load this, so it imports no analyzer.

import { requireSameSlicing, Slicing, type StoredSlicing, toSlicingSettings } from "../../densify/slicing.ts";
import type { Vocabulary } from "../../densify/vocabulary.ts";

/** The slicing with these settings. Throws, naming `where`, if the terms or the table do not fit the settings. */
export function restoreSlicing(
  settings: StoredSlicing,
  vocabulary: Vocabulary,
  table: Uint32Array | undefined,
  where: string,
  begun?: Slicing,
): Slicing {
  const { strategy, dims, discard, seed } = settings;
  const options = { strategy, dims, discard, ...(seed !== undefined && { seed }), ...(table && { table }) };
  const slicing = new Slicing(vocabulary, options, begun);
  requireSameSlicing(toSlicingSettings(settings), slicing.settings, where);
  return slicing;
}
