// sluice/densify: a document's weighted terms → a row with one slot for each slice of the vocabulary, and back.

export { FLOAT16, roundToFloat16, toFloat16 } from "../support/numbers/float16.ts";
export type { TermWeights } from "../weigh/term-weights.ts";
export { type DensifyCounts, tokensPerDoc } from "./counts.ts";
export { type Densified, Densifier, densifyDense } from "./densify.ts";
export { type RevertedTerm, revert } from "./revert.ts";
export { type QueryRow, type Row, type Rows, RowsBuilder, rowAt } from "./rows.ts";
export {
  isExtendable,
  Slicing,
  type SlicingOptions,
  type SlicingSettings,
  type SlotStrategy,
  STRATEGIES,
  type Strategy,
} from "./slicing.ts";
export { spread } from "./spread.ts";
export { Vocabulary } from "./vocabulary.ts";
