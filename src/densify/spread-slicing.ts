// A sample of documents → a spread slicing: weights the terms of the sample, and calls spread.ts.

import type { OnProgress } from "../support/options/progress.ts";
import { idfs } from "../weigh/bm25.ts";
import type { TermCounts } from "../weigh/term-weights.ts";
import { createWeigher } from "../weigh/weigher.ts";
import type { Weighting } from "../weigh/weighting.ts";
import { Slicing } from "./slicing.ts";
import { spread } from "./spread.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The most documents in the sample. */
const SPREAD_SAMPLE = 20_000;
/** The most work, in comparisons of two terms of a document. Larger: a larger sample of long documents, and a longer wait. */
const SPREAD_WORK = 1e9;

/** The documents that a slicing is made from. */
export interface SlicingDocuments {
  readonly docs: number;
  at(doc: number): { terms: TermCounts; length: number };
}

export function createSpreadSlicing(
  vocabulary: Vocabulary,
  dims: number,
  documents: SlicingDocuments,
  weighting: Weighting,
  options: { readonly sample?: number | undefined; readonly onProgress?: OnProgress | undefined } = {},
): Slicing {
  const weigh = createWeigher(weighting);
  const importance = weighting.kind === "bm25" ? idfs(weighting.statistics) : undefined;
  const chosen = evenlySpaced(documents.docs, options.sample ?? affordableSample(documents, dims));
  const weighted = function* () {
    for (const doc of chosen) {
      const { terms, length } = documents.at(doc);
      yield weigh(terms, length);
    }
  };
  const table = spread(vocabulary, dims, weighted(), importance, (done, total) =>
    options.onProgress?.({ task: "slicing", done, total }),
  );
  return new Slicing(vocabulary, { strategy: "spread", dims, table });
}

/** How many documents the sample can have within `SPREAD_WORK`. */
function affordableSample(documents: SlicingDocuments, dims: number): number {
  let work = 0;
  for (let doc = 0; doc < documents.docs; doc++) {
    const terms = documents.at(doc).terms.ids.length;
    work += terms * Math.min(terms, dims);
  }
  const perDoc = Math.max(1, work / Math.max(1, documents.docs));
  return Math.max(1, Math.min(SPREAD_SAMPLE, Math.floor(SPREAD_WORK / perDoc)));
}

/** At most `most` of the numbers below `count`, evenly spaced. */
function evenlySpaced(count: number, most: number): number[] {
  const length = Math.min(count, most);
  return Array.from({ length }, (_, i) => Math.floor((i * count) / length));
}
