// Terms → whole words, found in documents that hold the term: "univers" → university, universities.

import { type Document, indexedText } from "../../documents/document.ts";
import { splitTypedWords, type TypedWord } from "../../query/words/typed-words.ts";
import { Turns } from "../../support/work/turns.ts";
import { textFieldsIn } from "../../weigh/weighting.ts";
import type { SearchedIndex } from "../hits/searched-index.ts";
import { rankDocuments } from "../ranking/rank-documents.ts";
import { createWholeInput } from "../ranking/ranking-input.ts";

/** How many documents are read for a term. More: rarer forms of a word are found, and it takes longer. */
const DOCS_PER_TERM = 2;

/** A word of a document, in lower case. */
export interface SeenWord extends Pick<TypedWord, "folded" | "beginnings"> {
  /** How often it occurs in the documents that were read. */
  readonly count: number;
}

/** For each term, the full words seen in documents. */
export async function findWordsInDocuments(
  index: SearchedIndex,
  terms: readonly string[],
  turns: Turns,
): Promise<(readonly SeenWord[])[]> {
  const { computed } = index.snapshot;
  // A term is looked up once for each commit: people type the same beginnings.
  return turns.raceAbort(
    Promise.all(terms.map((term) => computed.get(`words of ${term}`, () => findWordsOfTerm(index, term)))),
  );
}

async function findWordsOfTerm(index: SearchedIndex, term: string): Promise<SeenWord[]> {
  const { snapshot, preparer, resources } = index;
  snapshot.retain(); // the call that asked first may be aborted, and release it
  try {
    const { row } = await preparer.prepare(snapshot, { weights: { [term]: 1 } }, 0);
    const request = { row, lambda: 0, k: DOCS_PER_TERM, plan: { kind: "exact" } as const };
    const turns = new Turns();
    const ranker = { index, snapshot, resources: resources.takeSearchResources(), turns };
    const [{ ranked }] = await rankDocuments(ranker, [request], await createWholeInput(snapshot, turns));
    const [hits] = await index.createHits(snapshot, [ranked], turns);
    const seen = new Map<string, SeenWord>();
    const { weighting } = snapshot;
    for (const { id, document } of hits) {
      const text = indexedText(document as Document, id, textFieldsIn(weighting));
      for (const word of splitTypedWords(weighting.analyzer, text))
        if (word.term === term) {
          const { folded, beginnings } = word;
          seen.set(folded, { folded, beginnings, count: (seen.get(folded)?.count ?? 0) + 1 });
        }
    }
    return [...seen.values()];
  } finally {
    snapshot.release();
  }
}
