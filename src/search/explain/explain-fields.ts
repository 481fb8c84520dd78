// An explanation → the same with what each text field of the document adds to the contribution of a term. A term counts
// Σ weight · count over the fields, and a field's share of the contribution is its share of that sum.

import type { QueryTerm } from "../../query/ask/query.ts";
import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import type { Explanation, MatchedTerm, TermInField } from "../../rank/explain.ts";
import type { FieldLists } from "../../segment/rows/field-lists.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import { combinedAverage, combinedPart, combinedSum } from "../../weigh/combined-fields.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";
import { weighTerms } from "../match/weighed-terms.ts";

/** `searchWeights` are the search's own weights; undefined for the index's. */
export async function addTextFields(
  snapshot: Snapshot,
  doc: number,
  explanation: Explanation,
  prepared: PreparedQuery,
  searchWeights: readonly number[] | undefined,
): Promise<Explanation> {
  const { slicing, weighting } = snapshot;
  const fields = textFieldsIn(weighting);
  const { source, first } = snapshot.segmentOf(doc);
  const lists = fields && (await source.loadFieldLists());
  if (!lists || weighting.kind !== "bm25") return explanation;
  const lengths = lists.lengths.subarray((doc - first) * fields.length, (doc - first + 1) * fields.length);
  const partOf = ({ counts, factor }: TermByField, weights: readonly number[]) => {
    const average = combinedAverage(weighting.statistics, weights);
    return roundToFloat16(combinedPart(counts, lengths, weights, average, weighting.parameters) * factor);
  };
  const isChanged = searchWeights !== undefined || prepared.fieldTerms !== undefined;
  const terms = weighTerms(snapshot, prepared, searchWeights);
  const matched = explanation.matched.flatMap((each): MatchedTerm[] => {
    const id = slicing.idAt(each.slice, each.index);
    const termCounts = countsOf(lists, id, doc - first);
    if (!termCounts) return [each];
    return terms
      .filter((term) => term.id === id)
      .map(({ weight: queryWeight, weights, field }) => {
        const matchedTerm = prepared.fieldTerms ? inField(each, explanation.terms, queryWeight, field) : each;
        const term = isChanged ? withDocumentWeight(matchedTerm, partOf(termCounts, weights)) : matchedTerm;
        const sum = combinedSum(termCounts.counts, weights);
        const inFields = fields.flatMap(({ name }, i): TermInField[] => {
          const [count, weight] = [termCounts.counts[i], weights[i]];
          const value = sum === 0 ? 0 : (term.contribution * weight * count) / sum;
          const isLeftOut = count === 0 || (field !== undefined && name !== field);
          return isLeftOut ? [] : [{ field: name, count, weight, value }];
        });
        return { ...term, fields: inFields };
      });
  });
  if (!isChanged) return { ...explanation, matched };
  // A document may have a word, and not in the field that it counts in.
  const isElsewhere = ({ field, fields = [] }: MatchedTerm) => field !== undefined && fields.length === 0;
  const elsewhere = matched.filter(isElsewhere).map(({ term, field, queryWeight }) => {
    return { term, ...(field !== undefined && { field }), queryWeight };
  });
  const counted = matched.filter((term) => !isElsewhere(term));
  counted.sort((a, b) => b.contribution - a.contribution);
  const lexical = counted.reduce((sum, { contribution }) => sum + contribution, 0);
  return {
    ...{ ...explanation, matched: counted, missed: [...explanation.missed, ...elsewhere] },
    ...{ lexical, score: lexical + explanation.semantic },
  };
}

/** A matched term of a query whose words count in one field, or in all. */
function inField(
  { from: _, ...matched }: MatchedTerm,
  terms: readonly QueryTerm[],
  queryWeight: number,
  field: string | undefined,
): MatchedTerm {
  const from = terms.find((term) => term.term === matched.term && term.field === field)?.from;
  return {
    ...matched,
    ...(field !== undefined && { field }),
    queryWeight,
    ...(from !== undefined && { from }),
  };
}

interface TermByField {
  readonly counts: Uint32Array;
  readonly factor: number;
}

/** How often each field of a document has a term; undefined if none has it. */
function countsOf(lists: FieldLists, id: number | undefined, local: number): TermByField | undefined {
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
