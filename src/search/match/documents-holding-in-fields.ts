// A prepared query and a snapshot → the documents that hold its words in text fields where they count.

import type { PreparedQuery } from "../../query/prepare/query-preparer.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Bits } from "../../support/numbers/bits.ts";
import { combinedSum } from "../../weigh/combined-fields.ts";
import { requiredWords } from "./documents-holding.ts";
import { type WeighedTerm, weighTerms, weightsIn } from "./weighed-terms.ts";

/** What a document must hold: one term of each entry, in a field where it counts. See `requiredCells`. */
export function termsToHold(
  snapshot: Snapshot,
  prepared: Pick<PreparedQuery, "row" | "terms" | "fieldTerms">,
  match: "any" | "all",
  searchWeights: readonly number[] | undefined,
): Pick<WeighedTerm, "id" | "weights">[][] | undefined {
  if (match === "any") return [weighTerms(snapshot, prepared, searchWeights)];
  const weightsOf = weightsIn(snapshot, searchWeights);
  return requiredWords(snapshot.slicing, prepared)?.map(({ ids, field }) =>
    ids.map((id) => ({ id, weights: weightsOf(field) })),
  );
}

/** For each segment, the documents that hold one term of each entry in a field where it counts: see `findDocumentsHolding`. */
export function findDocumentsHoldingInFields(
  { segments }: Snapshot,
  entries: readonly (readonly Pick<WeighedTerm, "id" | "weights">[])[] | undefined,
): Promise<Bits[]> {
  return Promise.all(
    segments.map(async ({ source, rowCount }) => {
      const lists = await source.loadFieldLists();
      const all = entries && lists ? Bits.all(rowCount) : new Bits(rowCount);
      for (const terms of lists ? (entries ?? []) : []) {
        const holding = new Bits(rowCount);
        for (const { id, weights } of terms) {
          const { locals, counts } = lists!.of(id) ?? { locals: [], counts: [] };
          for (let at = 0; at < locals.length; at++)
            if (combinedSum(counts, weights, at * weights.length) > 0) holding.set(locals[at]);
        }
        all.and(holding);
      }
      return all;
    }),
  );
}
