// Which lists are left out, by weight, and whether that pays, by length. A left-out list can never matter on its own, and every
// list is either added or looked up.

import { expect, test } from "vitest";
import { mulberry32 } from "../../support/numbers/random.ts";
import type { PostingList } from "./lexical-sums.ts";
import { canLookUpPay, chooseByCost, splitLists } from "./split-lists.ts";

const DOCS = 65_536;

function list(most: number, length: number): PostingList {
  return { weight: most, most, step: most / 255, from: 100, to: 100 + length };
}

test("the lists that are left out together add less than a document needs, and no more of them fit", () => {
  const random = mulberry32(1);
  for (let round = 0; round < 500; round++) {
    const lists = Array.from({ length: 1 + Math.floor(random() * 20) }, () =>
      list(random() < 0.3 ? 1 : random(), 1 + Math.floor(random() * DOCS)),
    );
    const all = lists.reduce((sum, { most }) => sum + most, 0);
    const least = (random() * 1.2 - 0.1) * all;
    const { essential, rest } = splitLists(lists, least);
    expect(new Set([...essential, ...rest])).toEqual(new Set(lists));
    const left = rest.reduce((sum, { most }) => sum + most, 0);
    if (rest.length > 0) expect(left).toBeLessThan(least);
    const next = Math.min(...essential.map(({ most }) => most));
    if (least > 0) expect(left + next).toBeGreaterThanOrEqual(least);
    else expect(rest).toEqual([]);
    const listed = Math.floor(random() ** 3 * DOCS);
    const { added, lookedUp } = chooseByCost(rest, listed, DOCS);
    expect(new Set([...added, ...lookedUp])).toEqual(new Set(rest));
  }
});

test("long lists are looked up for few documents and added for many; short ones are always added", () => {
  const [long, short] = [list(1, 60_000), list(1, 50)];
  expect(chooseByCost([long, short], 10, DOCS)).toEqual({ added: [short], lookedUp: [long] });
  expect(chooseByCost([long, short], 20_000, DOCS)).toEqual({ added: [long, short], lookedUp: [] });
  expect(canLookUpPay([long, short], DOCS)).toBe(true);
  expect(canLookUpPay([short, short], DOCS)).toBe(false);
});
