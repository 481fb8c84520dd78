// A search with other weights of text fields than the index has, or with words that count in one field alone → what that changes
// in the lexical part of each score. Rows were made with the weights of the index. So the terms of the query are weighed again,
// from the counts by field (segment/rows/field-lists.ts). The difference between this and what rows give is added to scores, as
// boosts are. A scan knows the range of the difference in each window, so the ranking stays exact.
// weigh/combined-fields.ts is the definition. What rows give is computed by rank/, as in the second stage. It is computed before
// anything is ranked, because a scan needs the ranges.

import type { Row } from "../../densify/rows.ts";
import type { FieldWeights } from "../../documents/text-fields.ts";
import { computeLexicalParts, openLexicalParts } from "../../rank/exact-sources.ts";
import { FEW_DOCS } from "../../scan/contract/first-stage.ts";
import type { ScoreAdditions } from "../../scan/contract/score-additions.ts";
import { loadScanner } from "../../scan/load-scanner.ts";
import { doRowsFitInMemory, type SearchResources } from "../../scan/search-resources.ts";
import { withBlocks } from "../../segment/columns/field-numbers.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { optionError, unknownNameError } from "../../support/options/options.ts";
import type { Turns } from "../../support/work/turns.ts";
import { lengthPart } from "../../weigh/bm25.ts";
import { combinedAverage, combinedLength, combinedSum } from "../../weigh/combined-fields.ts";
import type { WeighedTerm } from "../match/weighed-terms.ts";

/** The weights of a search, in the order of the index's text fields; undefined if the search uses the index's weights. */
export function searchFieldWeights(
  { weighting, slicingSettings: settings }: Snapshot,
  given: FieldWeights | undefined,
): readonly number[] | undefined {
  if (given === undefined) return undefined;
  const fields = weighting.kind === "bm25" ? weighting.textFields : undefined;
  if (!fields)
    throw optionError(
      "fieldWeights",
      "fieldWeights need text fields, and this index reads title and text as one text",
      "leave the weights out, or build the index with weights for title and text",
    );
  const names = fields.map(({ name }) => name);
  for (const name of Object.keys(given))
    if (!names.includes(name))
      throw unknownNameError(name, names, "fieldWeights: the index has no text field", "fieldWeights");
  const weights = fields.map(({ name, weight }) => (Object.hasOwn(given, name) ? given[name] : weight));
  if (weights.every((weight) => weight === 0))
    throw optionError(
      "fieldWeights",
      "fieldWeights: all weights are 0",
      "give at least one field a weight above 0",
    );
  if (weights.every((weight, i) => weight === fields[i].weight)) return undefined;
  if (settings.strategy !== "full")
    throw optionError(
      "fieldWeights",
      `fieldWeights of a search need a slot for every term, and rows of this index have ${settings.dims}`,
      'build the index with dims: "full", or leave the weights out of the search',
    );
  return weights;
}

/** What other weights of fields change in the answer of one query. */
export interface ReweighedFields {
  /** For each segment, what is added to the lexical parts of scores. */
  readonly additions: readonly ScoreAdditions[];
  /** For each segment, the documents whose lexical part is above 0. */
  readonly scoring: readonly Bits[];
}

/** `row` is the query's row, and `terms` say what each of its terms counts. */
export async function reweighFields(
  snapshot: Snapshot,
  row: Row,
  terms: readonly WeighedTerm[],
  resources: SearchResources,
  turns: Turns,
): Promise<ReweighedFields> {
  const [additions, scoring]: [ScoreAdditions[], Bits[]] = [[], []];
  for (const segment of snapshot.segments) {
    const { lexical, holding } = await reweighSegment(snapshot, segment, terms, turns);
    const locals = Uint32Array.from(holding);
    const stored = await computeStoredParts(snapshot, segment, row, locals, resources);
    const numbers = new Float64Array(segment.rowCount).fill(Number.NaN);
    const above = new Bits(segment.rowCount);
    for (let i = 0; i < locals.length; i++) {
      const local = locals[i];
      numbers[local] = lexical[local] - stored[i];
      if (lexical[local] > 0) above.set(local);
    }
    additions.push([{ kind: "weights", field: withBlocks(numbers) }]);
    scoring.push(above);
    if (turns.isDue) await turns.next();
  }
  return { additions, scoring };
}

/** The lexical parts of scores with other weights, by local, and the documents that hold a term of the query in any field. */
async function reweighSegment(
  { weighting }: Snapshot,
  { source, rowCount }: Segment,
  terms: readonly WeighedTerm[],
  turns: Turns,
): Promise<{ lexical: Float64Array; holding: Bits }> {
  const [lexical, holding] = [new Float64Array(rowCount), new Bits(rowCount)];
  const lists = await source.loadFieldLists();
  if (!lists || weighting.kind !== "bm25") return { lexical, holding };
  const { statistics, parameters } = weighting;
  const { fields, lengths } = lists;
  for (const { id, weight, weights } of terms) {
    const found = lists.of(id);
    if (turns.isDue) await turns.next();
    if (!found) continue;
    const average = combinedAverage(statistics, weights);
    const { locals, counts, factors } = found;
    for (let at = 0; at < locals.length; at++) {
      const local = locals[at];
      holding.set(local);
      const count = combinedSum(counts, weights, at * fields);
      if (count === 0) continue;
      const length = combinedLength(lengths, weights, local * fields);
      const part = (count / (count + lengthPart(length, average, parameters))) * factors[at];
      lexical[local] += weight * roundToFloat16(part);
    }
  }
  return { lexical, holding };
}

/** The lexical parts that rows give. */
async function computeStoredParts(
  snapshot: Snapshot,
  { source, rowCount }: Segment,
  row: Row,
  locals: Uint32Array,
  resources: SearchResources,
): Promise<Float64Array> {
  const rowsFitInMemory = doRowsFitInMemory(snapshot, resources);
  const scanner =
    rowCount > FEW_DOCS ? await loadScanner(source, rowsFitInMemory, resources.pool) : undefined;
  const parts = await openLexicalParts(source, scanner, rowsFitInMemory);
  return computeLexicalParts(source, parts, row, locals);
}
