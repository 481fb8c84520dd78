// The lists that a query needs in a window → those to add up for all documents, and those to look up for few documents.
//
// If some lists together add less than a document needs, a document found only in them cannot matter (Turtle & Flood's
// MaxScore). They can be left out of the sums and looked up for the documents that need them. Whether that pays depends on
// how many documents do: a look-up costs more than adding a posting. Learned weights are even, so that nearly every document
// needs all lists; words are not.

import type { PostingList } from "./lexical-sums.ts";

/**
 * What a look-up costs for each halving of the list's part that it searches, in postings that could be added in the same
 * time. Larger: more lists are added.
 */
const LOOK_UP_COST = 4;

/** What one more pass over the sums costs for each document, in postings that could be added in the same time. */
const PASS_COST = 0.25;

/** `rest`: the lightest lists, as many as together add less than `least`. */
export function splitLists(
  lists: readonly PostingList[],
  least: number,
): { essential: readonly PostingList[]; rest: readonly PostingList[] } {
  if (least <= 0) return { essential: lists, rest: [] };
  const ascending = [...lists].sort((a, b) => a.most - b.most);
  let [sum, count] = [0, 0];
  while (count < ascending.length && sum + ascending[count].most < least) sum += ascending[count++].most;
  return { essential: ascending.slice(count), rest: ascending.slice(0, count) };
}

/** Whether `rest` can be worth a look-up at all: if no document needs it, a pass over the sums finds that out. */
export function canLookUpPay(rest: readonly PostingList[], docs: number): boolean {
  return countPostings(rest) > PASS_COST * docs;
}

/** Chooses what to do with `rest` if about `listed` of `docs` documents need it: whatever takes less time. */
export function chooseByCost(
  rest: readonly PostingList[],
  listed: number,
  docs: number,
): { added: readonly PostingList[]; lookedUp: readonly PostingList[] } {
  const isLong = (list: PostingList) => isLookUpCheaper(list, listed);
  const lookedUp = rest.filter(isLong);
  const saved = lookedUp.reduce((sum, list) => sum + lengthOf(list) - lookUpCost(list, listed), 0);
  if (saved <= PASS_COST * docs) return { added: rest, lookedUp: [] };
  return { added: rest.filter((list) => !isLong(list)), lookedUp };
}

/** Whether looking `listed` documents up in a list takes less time than reading all of it. */
export function isLookUpCheaper(list: PostingList, listed: number): boolean {
  return lengthOf(list) > lookUpCost(list, listed);
}

/** In postings. Each look-up goes on where the last one ended, so it searches a part of the list. */
function lookUpCost(list: PostingList, listed: number): number {
  return listed === 0 ? 0 : LOOK_UP_COST * listed * Math.log2(2 + lengthOf(list) / listed);
}

export function countPostings(lists: readonly PostingList[]): number {
  return lists.reduce((sum, list) => sum + lengthOf(list), 0);
}

function lengthOf({ from, to }: PostingList): number {
  return to - from;
}
