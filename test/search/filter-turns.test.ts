// Filters with very many conditions, and facets with very many ranges, let others work meanwhile. Here every turn is over at once,
// so that pauses can be counted.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Filter, Sluice } from "../../src/index.ts";
import { Turns } from "../../src/support/work/turns.ts";

const CONDITIONS = 1000;
const wide: Filter = { or: Array.from({ length: CONDITIONS }, (_, i) => ({ tag: `t${i}` })) };
const long: Filter = { tag: { in: Array.from({ length: 10 * 1024 }, (_, i) => `t${i}`) } };
const ranges = Array.from({ length: CONDITIONS }, (_, i) => ({ gte: i, lt: i + 1 }));

let index: Sluice;
beforeAll(async () => {
  const documents = Array.from({ length: 40 }, (_, i) => ({
    id: `${i}`,
    text: "canal",
    tag: `t${i}`,
    year: i,
  }));
  index = await Sluice.build(documents, { encoder: "none", threads: 1 });
});
afterAll(() => index.close());
beforeEach(() => vi.spyOn(Turns.prototype, "isDue", "get").mockReturnValue(true));
afterEach(() => vi.restoreAllMocks());

/** How often the work pauses; `most` ends it by an abort after so many pauses. */
async function countPauses(work: (signal: AbortSignal) => Promise<unknown>, most = Number.POSITIVE_INFINITY) {
  const controller = new AbortController();
  const next = Turns.prototype.next;
  let pauses = 0;
  vi.spyOn(Turns.prototype, "next").mockImplementation(async function (this: Turns) {
    if (++pauses === most) controller.abort(new Error("too late"));
    await next.call(this);
  });
  const [result] = await Promise.allSettled([work(controller.signal)]);
  return { pauses, ended: result.status };
}

test.each<[string, number, (signal: AbortSignal) => Promise<unknown>]>([
  ["a search", CONDITIONS, (signal) => index.search("canal", { filter: wide, signal })],
  ["a search by a list of values", 10, (signal) => index.search("canal", { filter: long, signal })],
  ["a list", CONDITIONS, (signal) => index.list({ filter: wide, signal })],
  ["facets", CONDITIONS, (signal) => index.search("canal", { facets: [{ field: "year", ranges }], signal })],
  ["a delete", CONDITIONS, (signal) => index.delete({ filter: { and: [wide, { year: -1 }] } }, { signal })],
])("%s gives others a turn between its conditions", async (_, least, work) => {
  const { pauses, ended } = await countPauses(work);
  expect(ended).toBe("fulfilled");
  expect(pauses).toBeGreaterThanOrEqual(least);
});

test("a search stops inside its filter", async () => {
  const search = (signal: AbortSignal) => index.search("canal", { filter: wide, signal });
  expect(await countPauses(search, 5)).toEqual({ pauses: 5, ended: "rejected" });
});
