// An explanation → the same with what each text field of the document adds to the contribution of a term. A term counts
// Σ weight · count over the fields, and a field's share of the contribution is its share of that sum.

import type { Explanation, MatchedTerm, TermInField } from "../../rank/explain.ts";
import type { FieldLists } from "../../segment/rows/field-lists.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import { combinedAverage, combinedPart, combinedSum } from "../../weigh/combined-fields.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";

/** `asked` are the weights of the search, if they are not those of the index. */
export async function withTextFields(
  snapshot: Snapshot,
  doc: number,
  explanation: Explanation,
  asked: readonly number[] | undefined,
): Promise<Explanation> {
  const { slicing, weighting } = snapshot;
  const fields = textFieldsIn(weighting);
  const { source, first } = snapshot.segmentOf(doc);
  const lists = fields && (await source.fieldLists());
  if (!lists || weighting.kind !== "bm25") return explanation;
  const weights = asked ?? fields.map(({ weight }) => weight);
  const lengths = lists.lengths.subarray((doc - first) * fields.length, (doc - first + 1) * fields.length);
  const average = combinedAverage(weighting.statistics, weights);
  const partOf = ({ counts, factor }: TermCounts) =>
    roundToFloat16(combinedPart(counts, lengths, weights, average, weighting.parameters) * factor);
  const matched = explanation.matched.map((each): MatchedTerm => {
    const found = countsOf(lists, slicing.idAt(each.slice, each.index), doc - first);
    if (!found) return each;
    const term = asked ? withDocumentWeight(each, partOf(found)) : each;
    const sum = combinedSum(found.counts, weights);
    const inFields = fields.flatMap(({ name }, i): TermInField[] => {
      const [count, weight] = [found.counts[i], weights[i]];
      const value = sum === 0 ? 0 : (term.contribution * weight * count) / sum;
      return count === 0 ? [] : [{ field: name, count, weight, value }];
    });
    return { ...term, fields: inFields };
  });
  if (!asked) return { ...explanation, matched };
  matched.sort((a, b) => b.contribution - a.contribution);
  const lexical = matched.reduce((sum, { contribution }) => sum + contribution, 0);
  return { ...explanation, matched, lexical, score: lexical + explanation.semantic };
}

interface TermCounts {
  readonly counts: Uint32Array;
  readonly factor: number;
}

/** How often each field of a document has a term; undefined if none has it. */
function countsOf(lists: FieldLists, id: number | undefined, local: number): TermCounts | undefined {
  const list = id === undefined ? undefined : lists.of(id);
  if (!list) return undefined;
  const at = firstAtLeast(list.locals, local);
  if (list.locals[at] !== local) return undefined;
  const counts = list.counts.subarray(at * lists.fields, (at + 1) * lists.fields);
  return { counts, factor: list.factors[at] };
}

function withDocumentWeight(term: MatchedTerm, documentWeight: number): MatchedTerm {
  const contribution = term.queryWeight * documentWeight;
  const { bm25, queryFactor = 1, documentFactor = 1 } = term;
  const changed = { ...term, documentWeight, contribution };
  return bm25 === undefined ? changed : { ...changed, bm25: contribution / (queryFactor * documentFactor) };
}
