// Boosts, through the whole library: a boosted search returns what scoring every document would return, with deletions,
// filters, pages, several segments and weights below 0. Explanations and exported indexes say the same.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { type Boost, type Filter, type Hit, Sluice } from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 31);

interface Article {
  id: string;
  text: string;
  vector: number[];
  kind: string;
  updated?: string;
  votes?: number | null;
}

/** Random documents: some lack a date, some a number, and some have dates as texts and some votes below 0. */
function randomArticles(random: () => number, from: number, count: number): Article[] {
  const whole = (below: number) => Math.floor(random() * below);
  return Array.from({ length: count }, (_, i) => ({
    id: `a${from + i}`,
    text: Array.from({ length: 3 + whole(9) }, () => `w${Math.floor(60 * random() ** 2)}`).join(" "),
    vector: Array.from({ length: 8 }, () => random() - 0.5),
    kind: `k${whole(3)}`,
    ...(random() < 0.8 && { updated: new Date(NOW - whole(400) * DAY).toISOString() }),
    ...(random() < 0.7 && { votes: random() < 0.1 ? null : whole(1000) - 20 }),
  }));
}

/** What the boosts add, written down once more, plainly. */
function plainBoost({ updated, votes }: Article, days: number, weights: readonly number[]): number {
  const age = updated === undefined ? undefined : (NOW - Date.parse(updated)) / (days * DAY);
  return (
    (age === undefined ? 0 : weights[0] * 0.5 ** age) +
    (votes == null ? 0 : weights[1] * Math.log(1 + Math.max(0, votes))) +
    (votes == null ? 0 : weights[2] * votes)
  );
}

const boostsOf = (days: number, weights: readonly number[]): Boost[] => [
  { field: "updated", decay: "exp", scale: `${days}d`, origin: NOW, weight: weights[0] },
  { field: "votes", log: true, weight: weights[1] },
  { field: "votes", weight: weights[2] },
];

test.each([
  ["words", 0],
  ["words and vectors", 3],
])("a boosted search by %s is the definition's", { timeout: 120_000 }, async (_, lambda) => {
  const random = mulberry32(19 + lambda);
  const whole = (below: number) => Math.floor(random() * below);
  const folder = mkdtempSync(join(tmpdir(), "sluice-boosts-"));
  await using index = await Sluice.open(folder, { encoder: "none", dims: 64 });
  const articles = [...randomArticles(random, 0, 900)];
  await index.add(articles);
  await index.commit();
  const later = randomArticles(random, 900, 700);
  await index.add(later);
  await index.commit();
  const few = randomArticles(random, 1600, 40);
  await index.add(few);
  for (let i = 0; i < 80; i++) await index.delete([`a${whole(1600)}`]);
  await index.commit();
  const byId = new Map([...articles, ...later, ...few].map((article) => [article.id, article]));
  let scored = 0;
  let live = 0;
  for (let round = 0; round < 12; round++) {
    const text = Array.from({ length: 1 + whole(3) }, () => `w${whole(60)}`).join(" ");
    const query = { text, vector: Array.from({ length: 8 }, () => random() - 0.5) };
    const filter: Filter | undefined = round % 3 === 0 ? { kind: "k1" } : undefined;
    const weights = [4 * random() - 1, random() - 0.3, (random() - 0.5) / 100];
    const days = [10, 30, 365][whole(3)];
    const common = { lambda, ...(filter && { filter }) };
    const everything = await index.search(query, { ...common, k: 2000, plan: { kind: "exact" } });
    const expected = everything.hits
      .map(({ id, score }) => ({ id, score: score + plainBoost(byId.get(id)!, days, weights) }))
      .sort((a, b) => b.score - a.score);
    const boosts = boostsOf(days, weights);
    for (const [k, offset] of [
      [1, 0],
      [10, 0],
      [10, 10],
      [150, 40],
    ]) {
      const { hits, stats } = await index.search(query, {
        ...common,
        boosts,
        k,
        offset,
        plan: { kind: "exact" },
      });
      expect(stats.exact).toBe(true);
      expect(hits.map(({ id }) => id)).toEqual(expected.slice(offset, offset + k).map(({ id }) => id));
      for (const [i, hit] of hits.entries()) {
        expect(hit.score).toBeCloseTo(expected[offset + i].score, 9);
        expect(hit.boost).toBeCloseTo(plainBoost(byId.get(hit.id)!, days, weights), 9);
        expect(hit.lexical + hit.semantic + hit.boost!).toBeCloseTo(hit.score, 9);
      }
      if (k === 1) [scored, live] = [scored + stats.scored, live + stats.allowedCount];
    }
    const [best] = (await index.search(query, { ...common, boosts, k: 1 })).hits;
    if (!best) continue;
    const explained = await index.explain(query, best.id, { lambda, boosts });
    expect(explained.score).toBeCloseTo(best.score, 9);
    expect(explained.boosts!.map(({ field }) => field)).toEqual(["updated", "votes", "votes"]);
    expect(explained.boosts!.reduce((sum, part) => sum + part.contribution, 0)).toBeCloseTo(best.boost!, 9);
  }
  // The bounds spare most documents their exact score.
  expect(scored).toBeLessThan(live / 2);
});

test("large numbers are ranked by their size, beyond 2^53, too", async () => {
  const sizes = [1, 2 ** 53 - 1, 2 ** 53, 2 ** 60, 1e30, 1e99, -1, -(2 ** 53), -1e60, -1e200];
  const random = mulberry32(5);
  const documents = Array.from({ length: 400 }, (_, i) => ({
    id: `${i}`,
    text: "lock",
    v: sizes[Math.floor(random() * sizes.length)],
  }));
  await using index = await Sluice.build(documents, { encoder: "none" });
  for (const [boost, added] of [
    [{ field: "v" }, (v: number) => v],
    [{ field: "v", weight: -1e6 }, (v: number) => -1e6 * v],
    [{ field: "v", log: true }, (v: number) => Math.log1p(Math.max(0, v))],
    [
      { field: "v", decay: "exp", scale: 2 ** 53, origin: 2 ** 53 },
      (v: number) => 2 ** -(Math.abs(v - 2 ** 53) / 2 ** 53),
    ],
  ] as const) {
    const { hits } = await index.search("lock", {
      boosts: Array(16).fill(boost),
      k: 50,
      plan: { kind: "exact" },
    });
    const best = documents.map(({ v }) => added(Math.max(v, -1e100))).sort((a, b) => b - a);
    const found = hits.map(({ document }) => added(Math.max(document.v, -1e100)));
    for (const [i, each] of found.entries()) expect(each / best[i]).toBeCloseTo(1, 12);
    expect(found).toHaveLength(50);
    for (const { score } of hits) expect(Number.isFinite(score)).toBe(true);
  }
});

test("a boost never makes a hit of a document that is none", async () => {
  await using index = await Sluice.build(
    [
      { id: "match", text: "a canal lock" },
      { id: "popular", text: "something else", votes: 1e6 },
    ],
    { encoder: "none" },
  );
  const { hits } = await index.search("lock", { boosts: [{ field: "votes", log: true }] });
  expect(hits.map(({ id, boost }) => [id, boost])).toEqual([["match", 0]]);
});

test("without boosts a hit has no such part; a field that no document has is a notice", async () => {
  await using index = await Sluice.build([{ id: "1", text: "lock", votes: 3 }], { encoder: "none" });
  const plain = await index.search("lock");
  expect(Object.keys(plain.hits[0])).toEqual(["id", "score", "lexical", "semantic", "document"]);
  const boosted = await index.search("lock", { boosts: [{ field: "vots" as never }] });
  expect(boosted.notices).toEqual([
    {
      code: "unknown_field",
      message: 'no document has the field "vots", so its boost adds nothing; did you mean "votes"?',
    },
  ]);
  expect(boosted.hits[0].boost).toBe(0);
  const misspelled = { sort: "yaer", groupBy: "knid", facets: ["votes", "vots", "tgas"] };
  const told = (await index.search("lock", misspelled as object)).notices;
  expect(told?.map(({ code, message }) => [code, message])).toEqual([
    [
      "unknown_field",
      'no document has the field "vots" or "tgas", so its facet is empty; did you mean "votes"?',
    ],
    ["unknown_field", 'no document has the field "yaer", so sort changes nothing'],
    ["unknown_field", 'no document has the field "knid", so groupBy changes nothing'],
  ]);
  expect((await index.search("lock", { sort: "votes", facets: ["votes"] })).notices).toBeUndefined();
  await expect(
    index.search("lock", { boosts: [{ field: "votes", decay: "exp", scale: 3 }] }),
  ).rejects.toThrow("there is no origin");
});

test("a boost by a field without a number is a notice", async () => {
  const documents = [
    { id: "1", title: "12", text: "lock", kind: "gate", votes: 3, tags: [] },
    { id: "2", title: "13", text: "lock", kind: ["b", "2020-05-01"], votes: "many" },
  ];
  await using index = await Sluice.build(documents, { encoder: "none" });
  await using ofFields = await Sluice.build(documents, {
    encoder: "none",
    fieldWeights: { title: 2, text: 1 },
  });
  const noticesOf = async (open: Sluice, field: string) =>
    (await open.search("lock", { boosts: [{ field }] })).notices;
  for (const open of [index, ofFields]) {
    for (const field of ["title", "text"])
      expect(await noticesOf(open, field)).toEqual([
        {
          code: "field_without_numbers",
          message: `no document has a number or a date in the field "${field}", so its boost adds nothing`,
        },
      ]);
    for (const field of ["kind", "votes"]) expect(await noticesOf(open, field)).toBeUndefined();
  }
});

test("a query answered by meaning has the hits that it has without boosts, in another order", async () => {
  const words = ["boat", "river", "canal", "bread", "baker", "oven", "music", "piano", "song", "tiger"];
  const texts = words.map((word, i) => ({ id: word, text: `the ${word}`, rank: i }));
  await using index = await Sluice.build(texts, { encoder: "static" });
  const ids = (hits: readonly Hit[]) => hits.map(({ id }) => id).sort();
  for (const query of ["ship", "xqzwv"]) {
    const plain = await index.search(query, { k: 10 });
    const boosted = await index.search(query, { k: 10, boosts: [{ field: "rank", weight: 5 }] });
    expect(plain.stats.answeredBy).toBe("meaning");
    expect(boosted.stats.answeredBy).toBe("meaning");
    expect(ids(boosted.hits)).toEqual(ids(plain.hits));
  }
});

test("an exported index boosts the same way, by the fields that were exported", async () => {
  const random = mulberry32(4);
  await using index: Sluice = await Sluice.build(randomArticles(random, 0, 400), { encoder: "none" });
  const site = mkdtempSync(join(tmpdir(), "sluice-boosts-site-"));
  await index.exportWeb(join(site, "all"));
  await index.exportWeb(join(site, "some"), { keepFields: ["kind"] });
  const boosts = boostsOf(30, [2, 0.5, 0]);
  const options = { lambda: 0, boosts };
  const { hits } = await index.search("w1 w2", options);
  const open = (name: string) => SluiceReader.open(`http://site/${name}/`, { fetch: folderFetch(site) });
  await using all = await open("all");
  expect((await all.search("w1 w2", options)).hits).toEqual(hits.map((hit) => ({ ...hit })));
  expect(await all.explain("w1 w2", hits[0].id, options)).toEqual(
    await index.explain("w1 w2", hits[0].id, options),
  );
  await using some = await open("some");
  await expect(some.search("w1 w2", options)).rejects.toThrow('"updated" was not exported');
});

test("hits with snippets say what boosts added, too", async () => {
  await using index = await Sluice.build(
    [
      { id: "a", text: "water gate", votes: 3 },
      { id: "b", text: "water mill", votes: 40 },
    ],
    { encoder: "none" },
  );
  const boosts = [{ field: "votes", weight: 0.1 }] as const;
  const [plain, withSnippets] = [
    await index.search("water", { boosts }),
    await index.search("water", { boosts, snippets: true }),
  ];
  const parts = ({ id, score, lexical, semantic, boost }: Hit) => ({ id, score, lexical, semantic, boost });
  expect(withSnippets.hits.map(parts)).toEqual(plain.hits.map(parts));
  expect(withSnippets.hits[0]).toMatchObject({ id: "b", boost: 4, snippets: expect.anything() });
});
