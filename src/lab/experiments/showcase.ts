// Table 13 of the paper: which terms of a query remain as θ grows, and how the rank of one relevant passage changes.

import type { ReportTable } from "../../report/report.ts";
import { Sluice } from "../../sluice.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Collection, Experiment, ExperimentOptions } from "./experiment.ts";
import { TABLE_13 } from "./paper.ts";

const THETAS = [0, 2, 3, 4, 5, 6, 7];

export const showcase: Experiment = {
  name: "showcase",
  title: "A query, as θ grows",
  about: "The query terms that the first stage uses, and the rank it gives to a relevant passage.",
  needsVectors: false,

  async run(collections, options) {
    const tables: ReportTable[] = [];
    for (const collection of collections) {
      const index = await Sluice.build(collection.documents, { encoder: "none", dims: 768 });
      const { text, document } = await chooseSubject(index, collection, options);
      const rows: string[][] = [];
      for (const theta of THETAS) {
        const plan = { kind: "pruned", theta, rescore: false } as const;
        const { hits, terms } = await index.search(text, { k: index.docs, plan });
        const kept = terms.filter(({ fate, weight }) => fate === "kept" && (theta === 0 || weight > theta));
        const shown = kept
          .sort((a, b) => b.weight - a.weight)
          .map(({ term, weight }) => `${term} ${weight.toFixed(1)}`);
        const rank = hits.findIndex(({ id }) => id === document) + 1;
        rows.push([String(theta), shown.join(", ") || "–", rank > 0 ? String(rank) : "not found"]);
      }
      tables.push({
        caption: `${collection.name}: "${text}", document ${document}`,
        header: ["θ", "terms that remain", "rank"],
        rows,
      });
    }
    return {
      tables: [...tables, TABLE_13],
      notes: ["BM25 in rows of 768 slots. The weight of a term is its idf times its count."],
    };
  },
};

/** Returns the given query and document, or the first query of six or more terms with a relevant hit at rank 2 to 5. */
async function chooseSubject(
  index: Sluice,
  { queries, qrels, name }: Collection,
  { query, document }: ExperimentOptions,
) {
  if (query !== undefined && document !== undefined) return { text: query, document };
  if (query !== undefined || document !== undefined)
    throw new SluiceError("give both a query and a document, or neither");
  for (const { id, text } of queries) {
    const { hits, terms } = await index.search(text, { k: 5 });
    const found = hits.slice(1).find((hit) => (qrels.get(id)?.get(hit.id) ?? 0) > 0);
    if (found && terms.length >= 6) return { text, document: found.id };
  }
  throw new SluiceError(
    `${name}: no query of six or more terms has a relevant document at rank 2 to 5`,
    "give the option query and the option document",
  );
}
