// An answer → a sentence on how many results there are, and what was counted: documents with words of the query, all documents by
// meaning, passages, or groups.

import type { SearchRequest } from "../../src/schemas/index.ts";
import { type Filters, isReversed } from "../address/filters.ts";
import { correctedWords } from "../suggest/corrected.ts";
import { counted, countText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";
import type { CountedAnswer } from "./search-request.ts";

/** What the index counts. */
export type CountedNoun = "document" | "passage";

export function sentenceOf(answer: CountedAnswer, request: SearchRequest, noun: CountedNoun): string {
  const { hits, stats, among, total = 0, groups, withWords } = answer;
  const { filter, sort } = request;
  if (hits.length === 0) {
    const reversed = Object.entries((filter ?? {}) as Filters).find(([, range]) => isReversed(range));
    if (reversed)
      return `Nothing can be found: the filter on ${visible(reversed[0].replace(/^\\/, ""))} has “from” above “to”.`;
    const where = filter ? "that the filters allow" : "of this index";
    return `No document ${where} answers this.`;
  }
  // By meaning, every document answers more or less, and only the best are counted and sorted.
  const isBest = among === "best";
  const isPartial = isBest && total < stats.allowedCount;
  const all = isPartial
    ? `the best ${counted(total, noun)}`
    : counted(isBest ? stats.allowedCount : total, noun === "document" && !isBest ? "result" : noun);
  const order = sort ? `, by ${visible(fieldOf(sort))}` : "";
  const corrected = correctedWords(answer).length > 0 ? "corrected " : "";
  const words = isBest && withWords !== undefined ? `. ${wordsText(withWords, noun, corrected)}` : "";
  if (groups !== undefined) {
    // Passages are grouped by the document that they are of.
    const each = counted(groups, noun === "passage" ? "document" : "group");
    const first = hits.length < groups ? `${sort ? "First" : "The best"} ${hits.length} of ${each}` : each;
    return `${first}${noun === "passage" ? ", with" : " of"} ${all}${order}${words}`;
  }
  if (!isBest) return all + order;
  if (sort) return `${hits.length} of ${all}${order}${words}`;
  return `The best ${hits.length} of ${counted(stats.allowedCount, noun)}${words}`;
}

/** How many hold a word of the query: the others are near to it in meaning, the last of them hardly. */
function wordsText(count: number, noun: CountedNoun, corrected: string): string {
  if (count === 0) return `No ${noun} has its words`;
  return `${countText(count)} ${count === 1 ? "has" : "have"} words of the ${corrected}query`;
}

const fieldOf = (sort: NonNullable<SearchRequest["sort"]>): string =>
  typeof sort === "string" ? sort.replace(/:(asc|desc)$/, "") : sort.field;
