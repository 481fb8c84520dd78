// Counts, sort and groups equal their plain definitions on random documents: in several segments, with deleted documents,
// filters and pages, by words and by words and meaning.

import { beforeAll, describe, expect, test } from "vitest";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import { accepts, checkFilter, type Filter, type Scalar } from "../../src/documents/filter.ts";
import { getInternals } from "../../src/internals.ts";
import { compareScalars } from "../../src/search/count/field-order.ts";
import type { Answer, Hit } from "../../src/search/hits/answer.ts";
import type { SearchOptions } from "../../src/search/options/search-options.ts";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

interface Made {
  readonly id: string;
  readonly text: string;
  readonly vector?: readonly number[];
  readonly [field: string]: unknown;
}

const WORDS = ["lock", "gate", "canal", "boat", "weir", "mill", "dam", "pump"];
const FILTERS: (Filter | undefined)[] = [undefined, { year: { gte: 1900 } }, { kind: "z" }];

function madeDocuments(count: number, withVectors: boolean, seed: number): Made[] {
  const random = mulberry32(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    text: Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(WORDS)).join(" "),
    ...(random() < 0.8 && { year: 1890 + Math.floor(random() * 20) }),
    ...(random() < 0.9 && { kind: pick<unknown>(["a", "b", "c", true, 7, "7"]) }),
    ...(random() < 0.02 && { rare: pick(["x", "y"]) }),
    ...(random() < 0.7 && { tags: pick([["red", "blue"], ["red", "red"], ["blue", null], "red", []]) }),
    ...(withVectors && { vector: [random() - 0.5, random() - 0.5, random() - 0.5] }),
  }));
}

async function indexOf(documents: readonly Made[], sizes: readonly number[]): Promise<[Sluice, Made[]]> {
  const index = (await Sluice.build([] as never[], {
    analyzer: whitespace,
    encoder: "none",
  })) as unknown as Sluice;
  let from = 0;
  for (const size of sizes) {
    await index.add(documents.slice(from, from + size));
    await index.commit();
    from += size;
  }
  const isDeleted = (_: Made, i: number) => i % 7 === 3;
  await index.delete(documents.filter(isDeleted).map(({ id }) => id));
  await index.commit();
  return [index, documents.filter((document, i) => !isDeleted(document, i))];
}

/** All hits, best first: what the answers are compared with. */
async function allHits(index: Sluice, query: never, options: SearchOptions): Promise<readonly Hit[]> {
  return (await index.search(query, { ...options, k: 10_000 })).hits;
}

const valuesOf = (document: Made, field: string): Scalar[] => {
  const value = document[field];
  return (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== null);
};

function plainFacet(documents: readonly Made[], field: string) {
  const counts = new Map<Scalar, number>();
  for (const document of documents) {
    for (const value of new Set(valuesOf(document, field))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const values = Array.from(counts, ([value, docs]) => ({ value, docs })).sort(
    (a, b) => b.docs - a.docs || compareScalars(a.value, b.value),
  );
  const docs = documents.filter((document) => valuesOf(document, field).length > 0).length;
  return { field, docs, values: values.slice(0, 20), distinct: values.length };
}

/** Stable, so that hits with equal values stay sorted by score. */
function plainSort(
  hits: readonly Hit[],
  byId: ReadonlyMap<string, Made>,
  field: string,
  order: "asc" | "desc",
) {
  const direction = order === "asc" ? 1 : -1;
  const keyOf = ({ id }: Hit) =>
    valuesOf(byId.get(id)!, field).sort((a, b) => direction * compareScalars(a, b))[0];
  return [...hits].sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return direction * compareScalars(x, y);
  });
}

function plainGroups(hits: readonly Hit[], byId: ReadonlyMap<string, Made>, field: string): Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ id }) => {
    const document = byId.get(id)!;
    if (valuesOf(document, field).length === 0) return true;
    const value = document[field];
    const group = JSON.stringify(Array.isArray(value) && value.length === 1 ? value[0] : value);
    return !seen.has(group) && seen.add(group);
  });
}

const idsOf = (hits: readonly Hit[]) => hits.map(({ id }) => id);

describe.each([
  ["words, several segments with posting lists and small ones", false, [700, 30, 400, 5]],
  ["words and meaning", true, [600, 40, 300]],
])("%s", (_, withVectors, sizes) => {
  let index: Sluice;
  let documents: Made[];
  let byId: Map<string, Made>;
  const random = mulberry32(29);
  const vector = () => (withVectors ? { vector: [random() - 0.5, random() - 0.5, random() - 0.5] } : {});
  const QUERIES = ["lock", "gate weir", "dam unheard"].map((text) => ({
    text,
    ...vector(),
  }));
  const cases = QUERIES.flatMap((query) => FILTERS.map((filter) => ({ query, ...(filter && { filter }) })));

  beforeAll(async () => {
    const total = sizes.reduce((sum, size) => sum + size, 0);
    [index, documents] = await indexOf(madeDocuments(total, withVectors, 11), sizes);
    byId = new Map(documents.map((document) => [document.id, document]));
    expect(getInternals(index).snapshot.segments.length).toBeGreaterThan(1);
  });

  /** The documents that hold some or all words of a query, and that a filter accepts. */
  const matching = (text: string, filter: Filter | undefined, match: "any" | "all") =>
    documents.filter((document) => {
      const words = text.split(" ");
      const held = new Set(document.text.split(" "));
      const holds =
        match === "any" ? words.some((word) => held.has(word)) : words.every((word) => held.has(word));
      return holds && (!filter || accepts(checkFilter(filter), document));
    });

  test.each(["any", "all"] as const)("match %s restricts hits, total and facets", async (match) => {
    for (const { query, filter } of cases) {
      const expected = matching(query.text, filter, match);
      const fields = ["year", "kind", "rare", "tags", "nothing"];
      const options = { ...(filter && { filter }), match, facets: fields, k: 10_000 };
      const { hits, total, among, facets, stats } = await index.search(query, options);
      expect([total, among, stats.allowedCount]).toEqual([expected.length, "matches", expected.length]);
      expect(idsOf(hits).sort()).toEqual(expected.map(({ id }) => id).sort());
      expect(facets).toEqual(fields.map((field) => plainFacet(expected, field)));
    }
  });

  test("ranges are counted, and facets are cut to their limits", async () => {
    const ranges = [{ lt: 1895 }, { gte: 1895, lte: 1900 }, { gt: 1900 }, { gte: "a" }];
    for (const { query, filter } of cases) {
      const options = { match: "any", ...(filter && { filter }) } as const;
      const { facets } = await index.search(query, {
        ...options,
        facets: [
          { field: "year", ranges },
          { field: "kind", limit: 2 },
        ],
      });
      const expected = matching(query.text, filter, "any");
      const inRange = (range: object) =>
        expected.filter((document) => accepts(checkFilter({ year: range }), document)).length;
      expect(facets![0].ranges).toEqual(ranges.map((range) => ({ ...range, docs: inRange(range) })));
      expect(facets![0].docs).toBe(plainFacet(expected, "year").docs);
      expect(facets![1].values).toEqual(plainFacet(expected, "kind").values.slice(0, 2));
    }
  });

  test("without match, words count all that match, and meaning the best or the filter", async () => {
    for (const { query, filter } of cases) {
      const options = { ...(filter && { filter }) };
      const all = await allHits(index, query as never, options);
      const plain = await index.search(query, { ...options, total: true, facets: ["kind"] });
      const best = withVectors ? all.slice(0, 1000) : all;
      expect(plain).toMatchObject({ among: withVectors ? "best" : "matches", total: best.length });
      expect(plain.facets).toEqual([
        plainFacet(
          best.map(({ id }) => byId.get(id)!),
          "kind",
        ),
      ]);
      const ten = await index.search(query, { ...options, among: 10, facets: ["kind"] });
      expect(ten).toMatchObject({ among: "best", total: Math.min(10, all.length) });
      expect(ten.facets).toEqual([
        plainFacet(
          all.slice(0, 10).map(({ id }) => byId.get(id)!),
          "kind",
        ),
      ]);
      const accepted = documents.filter((document) => !filter || accepts(checkFilter(filter), document));
      const inFilter = await index.search(query, { ...options, among: "filter", facets: ["kind"] });
      expect(inFilter).toMatchObject({ among: "filter", total: accepted.length });
      expect(inFilter.facets).toEqual([plainFacet(accepted, "kind")]);
      for (const answer of [plain, ten, inFilter]) expect(answer.hits).toEqual(all.slice(0, 10));
    }
  });

  test("counts leave out documents below minScore", async () => {
    for (const { query, filter } of cases) {
      const all = await allHits(index, query as never, { ...(filter && { filter }) });
      const minScore = all[Math.floor(all.length / 3)]?.score ?? 0;
      const left = all.filter(({ score }) => score >= minScore).slice(0, withVectors ? 1000 : undefined);
      const answer = await index.search(query, { ...(filter && { filter }), minScore, total: true, k: 5 });
      expect([answer.total, idsOf(answer.hits)]).toEqual([left.length, idsOf(left.slice(0, 5))]);
    }
  });

  test.each(["year", "kind", "tags", "rare", "nothing"])(
    "pages are sorted by %s, then by score",
    async (field) => {
      for (const { query, filter } of cases) {
        const options = { ...(filter && { filter }), ...(withVectors && { among: "filter" as const }) };
        const all = await allHits(index, query as never, { ...(filter && { filter }) });
        for (const order of ["asc", "desc"] as const) {
          const sorted = plainSort(all, byId, field, order);
          for (const [offset, k] of [
            [0, 10],
            [3, 7],
            [95, 20],
            [5000, 3],
            [0, 2000],
          ]) {
            const { hits, total } = await index.search(query, {
              ...options,
              sort: { field, order },
              offset,
              k,
            });
            expect(idsOf(hits)).toEqual(idsOf(sorted.slice(offset, offset + k)));
            expect(total).toBe(all.length);
          }
          const best = await index.search(query, {
            ...options,
            among: 50,
            sort: { field, order },
            offset: 2,
            k: 60,
          });
          expect(idsOf(best.hits)).toEqual(idsOf(plainSort(all.slice(0, 50), byId, field, order).slice(2)));
        }
      }
    },
  );

  test.each(["kind", "year", "tags", "rare"])(
    "one hit of each group by %s, with pages and sort",
    async (groupBy) => {
      for (const { query, filter } of cases) {
        const options = { ...(filter && { filter }), ...(withVectors && { among: "filter" as const }) };
        const all = await allHits(index, query as never, { ...(filter && { filter }) });
        const groups = plainGroups(all, byId, groupBy);
        for (const [offset, k] of [
          [0, 3],
          [2, 10],
          [0, 10_000],
        ]) {
          const { hits } = await index.search(query, { ...options, groupBy, offset, k });
          expect(idsOf(hits)).toEqual(idsOf(groups.slice(offset, offset + k)));
        }
        // Among some of the best, the groups that are counted are those that can be hits.
        for (const among of [1, 7, 40, 5000]) {
          const limited = plainGroups(all.slice(0, among), byId, groupBy);
          for (const [offset, k] of [
            [0, 3],
            [2, 10_000],
          ]) {
            const { hits, total, groups } = await index.search(query, {
              ...options,
              ...{ total: true, groupBy, among, offset, k },
            });
            expect([total, groups]).toEqual([Math.min(among, all.length), limited.length]);
            expect(idsOf(hits)).toEqual(idsOf(limited.slice(offset, offset + k)));
          }
          const alone = await index.search(query, { ...options, among, offset: 2, k: 10_000 });
          expect(idsOf(alone.hits)).toEqual(idsOf(all.slice(2, among)));
        }
        const sorted = plainGroups(plainSort(all, byId, "year", "desc"), byId, groupBy);
        const sort = { field: "year", order: "desc" } as const;
        const { hits } = await index.search(query, { ...options, groupBy, sort, offset: 1, k: 5 });
        expect(idsOf(hits)).toEqual(idsOf(sorted.slice(1, 6)));
      }
    },
  );

  test("many queries are counted one by one", async () => {
    const options = { facets: ["kind"], sort: { field: "year" } };
    const together = await index.searchAll(QUERIES, options);
    const withoutTimes = ({ stats: _, ...answer }: Answer) => structuredClone(answer);
    for (const [i, query] of QUERIES.entries())
      expect(withoutTimes(together[i])).toEqual(withoutTimes(await index.search(query, options)));
  });

  test("an empty query counts the filter if it is asked to, and nothing otherwise", async () => {
    expect(await index.search("", { total: true })).toMatchObject({ hits: [], total: 0, among: "matches" });
    const counted = await index.search("", { among: "filter", facets: ["kind"] });
    expect(counted).toMatchObject({ hits: [], total: documents.length, stats: { answeredBy: "nothing" } });
    expect(counted.facets).toEqual([plainFacet(documents, "kind")]);
  });
});

test.each([
  [{ match: "some" }, /match must be "any" or "all", not "some"/],
  [{ facets: ["title"] }, /facets\[0\]: "title" is searched, not filtered/],
  [{ facets: [{ field: "year", ranges: [] }] }, /facets\[0\]\.ranges is an empty list/],
  [{ facets: [{ field: "year", ranges: [{ below: 3 }] }] }, /has no option "below"/],
  [{ facets: "year" }, /facets must be a list of fields/],
  [{ sort: 3 }, /sort takes an object of options, not 3/],
  [{ sort: { field: "year", order: "up" } }, /sort.order must be "asc" or "desc", not "up"/],
  [{ among: "all" }, /among must be "filter" or a number of hits/],
  [{ groupBy: "text" }, /"text" is searched, not filtered/],
  [{ sort: { field: "year" }, rerank: { model: "folder" } }, /either sort or rerank/],
  [{ snippets: { length: 1 } }, /snippets.length must be a whole number from 20/],
])("refuses %j", async (options, message) => {
  const index = await Sluice.build([{ id: "a", text: "lock" }], { encoder: "none" });
  await expect(index.search("lock", options as never)).rejects.toThrow(message);
});
