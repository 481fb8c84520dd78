// What an index must do, wherever it is kept: in a folder, in memory, on a cluster. The same script runs on every backend, and
// what it sees is compared with plain definitions, and with what an index in memory sees, to the last bit.

import { expect, test } from "vitest";
import { accepts, checkFilter, type Filter } from "../../src/documents/filter.ts";
import {
  type Answer,
  type Document,
  type OpenOptions,
  type Query,
  type SearchOptions,
  Sluice,
} from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { runByFilter } from "./by-filter-script.ts";

/** Opens an index that is empty and of its own. */
type OpenBackend = (options: OpenOptions) => Promise<Sluice>;

const WORDS = [
  ..."boat canal lock river water level raise lower gate ship harbor sail wind storm night sleep dream heart".split(
    " ",
  ),
  ..."artery block doctor medicine tired awake hour insomnia C++ naïve 2024 東京 ночь déjà-vu a|b 50% x".split(
    " ",
  ),
];

/** Documents of random words, with fields of every type. */
export function madeDocuments(count: number, seed: number, dims = 0, first = 0): Document[] {
  const uniform = mulberry32(seed);
  const random = (below: number) => Math.floor(uniform() * below);
  return Array.from({ length: count }, (_, i) => ({
    id: `d${first + i}`,
    title: Array.from({ length: random(3) }, () => WORDS[random(WORDS.length)]).join(" "),
    text: Array.from(
      { length: 1 + random(30) },
      () => WORDS[random(random(2) === 0 ? 8 : WORDS.length)],
    ).join(" "),
    year: 1900 + random(30) - (random(4) === 0 ? 0.5 : 0),
    ...(random(3) > 0 && {
      tags: Array.from({ length: random(3) }, () => ["a", "b", "\u{1F6A4}", "\uffff"][random(4)]),
    }),
    ...(random(2) === 0 && { open: random(2) === 0, from: { "city.name": WORDS[random(9)] } }),
    ...(random(5) === 0 && { year: String(1900 + random(30)) }),
    ...(dims > 0 && { vector: Array.from({ length: dims }, () => (random(2001) - 1000) / 1500) }),
  }));
}

const QUERIES = [
  "boat canal",
  "the lock raises a ship",
  "東京 ночь",
  "c++ a|b 50%",
  "heart",
  "water water level",
  "zzz nothing",
];

export const FILTERS: Filter[] = [
  { year: { gte: 1905, lt: 1920 } },
  { year: "1910" },
  { year: { gt: "1905" } },
  { tags: "\u{1F6A4}" },
  { tags: { gt: "b" } },
  { tags: { lt: "\uffff" } },
  { tags: { exists: false } },
  { open: { ne: true } },
  { "from.city.name": { in: ["boat", "canal", null] } },
  { or: [{ open: true }, { not: { year: { lte: 1915 } } }] },
  {},
];

/** What an answer says, without times. */
function seen({ hits, terms, stats, notices }: Answer) {
  return {
    hits: hits.map(({ id, score, lexical, semantic, document }) => ({
      id,
      score,
      lexical,
      semantic,
      document,
    })),
    terms,
    ...{
      exact: stats.exact,
      docs: stats.allowedCount,
      droppedShare: stats.droppedShare,
      answeredBy: stats.answeredBy,
    },
    notices,
  };
}

/** Asks all queries, in several ways. */
async function askAll(index: Sluice, queries: readonly Query[], options: SearchOptions = {}) {
  const answers = [];
  for (const more of [
    {},
    { k: 3 },
    { k: 5, offset: 4 },
    { k: 1000, plan: { kind: "exact" } },
    { minScore: 1 },
  ] as const) {
    answers.push(...(await index.searchAll(queries, { ...options, ...more })).map(seen));
  }
  return answers;
}

/** Fills two indexes alike, and returns what both see. */
async function both<T>(
  open: OpenBackend,
  options: OpenOptions,
  script: (index: Sluice) => Promise<T>,
): Promise<{ found: T; expected: T }> {
  const [index, memory] = [await open(options), await Sluice.build([], options)];
  try {
    return { found: await script(index), expected: await script(memory) };
  } finally {
    await index.close();
    await memory.close();
  }
}

/** Tests of a backend. */
export function testBackend(open: OpenBackend): void {
  const KINDS: readonly [string, OpenOptions, number][] = [
    ["words, a slice for every term", { encoder: "none" }, 0],
    ["words in 16 slots", { encoder: "none", dims: 16 }, 0],
    ["words and vectors", { encoder: "none", lambda: 3 }, 5],
    ["words and vectors in 16 slots", { encoder: "none", dims: 16, slicingStrategy: "hashed" }, 3],
    ["words and meaning", { encoder: "static:64" }, 0],
  ];
  test.each(KINDS)("%s: the same hits with the same scores", async (_, options, dims) => {
    const vectored = (text: string): Query =>
      dims > 0 ? { text, vector: Array.from({ length: dims }, (_, i) => 0.5 - i / 4) } : text;
    const { found, expected } = await both(open, options, async (index) => {
      await index.add(madeDocuments(60, 1, dims));
      await index.commit();
      const first = await askAll(index, QUERIES.map(vectored));
      await index.upsert([...madeDocuments(5, 2, dims, 10), ...madeDocuments(20, 3, dims, 100)]);
      await index.delete(["d1", "d2", "d100", "no such document"]);
      await index.commit();
      const second = await askAll(index, QUERIES.map(vectored), { exclude: ["d3", "d104"] });
      await index.optimize();
      const third = await askAll(index, QUERIES.map(vectored), { lambda: 0.5 });
      const like = seen(await index.search({ like: "d11" }, { k: 7 }));
      return { first, second, third, like, size: index.docs, ids: await index.listIds() };
    });
    expect(found).toEqual(expected);
    expect(found.size).toBe(77);
    expect(found.second.some(({ hits }) => hits.length > 0)).toBe(true);
  });

  test("weights that documents bring", async () => {
    const weighted = madeDocuments(40, 4).map(({ id, text }, i) => ({
      id,
      weights: Object.fromEntries(
        [...new Set(text!.split(" "))].map((word, j) => [word, 0.01 + ((i * 7 + j * 13) % 50) / 9]),
      ),
    }));
    const { found, expected } = await both(open, { lexical: "weights" }, async (index) => {
      await index.add(weighted);
      await index.commit();
      return askAll(index, [{ weights: { boat: 2, canal: 0.3, ночь: 1 } }, { weights: { "50%": 1.5 } }]);
    });
    expect(found).toEqual(expected);
  });

  test("filters accept what they are defined to accept", async () => {
    const documents = madeDocuments(80, 5);
    const index = await open({ encoder: "none" });
    await index.add(documents);
    await index.commit();
    for (const filter of FILTERS) {
      const { hits, stats } = await index.search(
        { weights: Object.fromEntries(WORDS.slice(0, 8).map((word) => [word, 1])) },
        { k: 1000, filter },
      );
      const all = await index.search(
        { weights: Object.fromEntries(WORDS.slice(0, 8).map((word) => [word, 1])) },
        { k: 1000 },
      );
      const condition = checkFilter(filter);
      const expected = all.hits.filter(({ document }) => accepts(condition, document)).map(({ id }) => id);
      expect(
        hits.map(({ id }) => id),
        JSON.stringify(filter),
      ).toEqual(expected);
      expect(stats.allowedCount).toBe(
        documents.filter(({ id: _, ...fields }) => accepts(condition, fields)).length,
      );
    }
    await index.close();
  });

  test("changes are visible after a commit, all or none, and a failed call adds nothing", async () => {
    const index = await open({ encoder: "none" });
    await index.add([{ id: "one", text: "boat" }]);
    expect(index.docs).toBe(0);
    expect((await index.search("boat")).hits).toEqual([]);
    await index.commit();
    expect((await index.search("boat")).hits.map(({ id }) => id)).toEqual(["one"]);
    await expect(
      index.add([
        { id: "two", text: "boat" },
        { id: "one", text: "twice" },
      ]),
    ).rejects.toMatchObject({
      code: "ERR_SLUICE_DUPLICATE_ID",
    });
    await expect(
      index.add([
        { id: "three", text: "x" },
        { id: "three", text: "x" },
      ]),
    ).rejects.toThrow("comes twice");
    await index.upsert([{ id: "one", text: "canal" }]);
    await expect(
      index.upsert([{ id: "one", text: "river" }, { id: "bad", text: 3 } as never]),
    ).rejects.toThrow();
    await index.commit();
    expect(await index.listIds()).toEqual(["one"]);
    expect((await index.search("canal")).hits.map(({ id }) => id)).toEqual(["one"]);
    expect((await index.search("river boat")).hits).toEqual([]);
    await index.delete(["one"]);
    await index.rollback();
    await index.commit();
    expect(index.docs).toBe(1);
    await index.setLambda(7);
    await index.commit();
    expect(index.info()).toMatchObject({ docs: 1, lambda: 7 });
    await index.close();
    await expect(index.search("canal")).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
  });

  test("statistics stay exact across upserts and deletes", async () => {
    const index = await open({ encoder: "none" });
    await index.add(madeDocuments(30, 6));
    await index.commit();
    await index.upsert(madeDocuments(15, 7, 0, 5));
    await index.upsert(madeDocuments(5, 8, 0, 7));
    await index.delete(["d0", "d29"]);
    await index.commit();
    await index.optimize();
    const kept = madeDocuments(30, 6)
      .filter((_, i) => i > 0 && i < 5)
      .concat(madeDocuments(30, 6).slice(20, 29));
    const later = madeDocuments(15, 7, 0, 5).filter(
      ({ id }) => !["d7", "d8", "d9", "d10", "d11"].includes(id),
    );
    const fresh = await Sluice.build([...kept, ...later, ...madeDocuments(5, 8, 0, 7)], { encoder: "none" });
    const scores = (answers: Answer[]) =>
      answers.map(({ hits }) =>
        hits.map(({ id, score }) => ({ id, score })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
    const all = { k: 100 } as const;
    expect(scores(await index.searchAll(QUERIES, all))).toEqual(scores(await fresh.searchAll(QUERIES, all)));
    expect(index.info().bm25).toEqual(fresh.info().bm25);
    await index.close();
    await fresh.close();
  });

  test("documents, vectors, fields and explanations", async () => {
    const { found, expected } = await both(open, { encoder: "none", lambda: 2 }, async (index) => {
      await index.add(madeDocuments(30, 9, 4));
      await index.commit();
      const query = { text: "boat canal lock", vector: [0.1, 0.2, -0.3, 0.4] };
      const explanations = await Promise.all(["d3", "d7", "d20"].map((id) => index.explain(query, id)));
      for (const { score, lexical, semantic, matched } of explanations) {
        expect(matched.reduce((sum, { contribution }) => sum + contribution, semantic)).toBeCloseTo(score, 4);
        expect(lexical + semantic).toBeCloseTo(score, 9);
      }
      await expect(index.document("no")).rejects.toMatchObject({ code: "ERR_SLUICE_NO_DOCUMENT" });
      await expect(index.explain(query, "no")).rejects.toMatchObject({ code: "ERR_SLUICE_NO_DOCUMENT" });
      await expect(index.explain(query, 3 as never)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID" });
      return {
        explanations,
        documents: await index.documents(["d5", "d2", "d5"]),
        has: [await index.has("d5"), await index.has("no")],
        vector: await index.vector("d9"),
        fields: await index.fields(),
        suggestions: await index.suggest("bo"),
        snippets: (await index.search(query, { snippets: true, k: 2 })).hits.map(({ snippets }) => snippets),
        typos: seen(await index.search({ text: "cnaal", vector: query.vector }, { typos: true })),
        info: index.info().densifyCounts,
      };
    });
    expect(found).toEqual(expected);
  });

  test("the passages of a document come in the order of its text, after a later one was replaced", async () => {
    const index = await open({ encoder: "none" });
    const text = ["one", "two", "three"].map((word) => `# ${word}\n\nriver ${word}`).join("\n\n");
    await index.add([{ id: "canal", text, year: 1 }, { id: "weir" }], { passages: true });
    await index.add([{ id: "other", passage: { of: "canal" } }, { id: "lock" }]);
    await index.commit();
    const middle = await index.document("canal#2");
    await index.upsert([{ id: "canal#2", ...middle, year: 2 }]);
    await index.commit();
    const passages = await index.passages("canal");
    expect(passages.map(({ id }) => id)).toEqual(["canal#1", "canal#2", "canal#3"]);
    expect(passages.map(({ document }) => document.year)).toEqual([1, 2, 1]);
    expect(await index.passages("canal", { limit: 2, fields: ["year"] })).toEqual([
      { id: "canal#1", document: { year: 1 } },
      { id: "canal#2", document: { year: 2 } },
    ]);
    expect(await index.passages("lock")).toEqual([{ id: "lock", document: {} }]);
    await expect(index.passages("never")).rejects.toMatchObject({ code: "ERR_SLUICE_NO_DOCUMENT" });
    await expect(index.passages("canal", { limit: -1 })).rejects.toThrow("limit");
    await expect(index.passages("canal", { signal: AbortSignal.abort() })).rejects.toThrow("abort");
    await index.close();
  });

  test.each(["none", "static:64"])(
    "documents like one that was cut into passages, encoder %s",
    async (encoder) => {
      const text = (count: number, seed: number) =>
        madeDocuments(count, seed)
          .map((document, i) => `# ${i}\n\n${document.text}`)
          .join("\n\n");
      const { found, expected } = await both(open, { encoder }, async (index) => {
        await index.add(
          [
            { id: "m", text: text(60, 31) }, // more passages than are looked up at once
            { id: "n", text: text(5, 32) },
            { id: "o", text: "boat canal lock river" }, // one passage
          ],
          { passages: true },
        );
        await index.commit();
        const likes = ["m", "m#1", "m#53", "n", "n#2", "o"];
        const answers = await index.searchAll(
          likes.map((like) => ({ like })),
          { k: 100, exclude: ["n#5"] },
        );
        await expect(index.search({ like: "never" })).rejects.toMatchObject({
          code: "ERR_SLUICE_NO_DOCUMENT",
        });
        return {
          ids: answers.map(({ hits }) => hits.map(({ id }) => id)),
          answers: answers.map(seen),
          explanation: await index.explain({ like: "m" }, "n#1"),
          query: await index.explainQuery({ like: "m" }),
        };
      });
      expect(found).toEqual(expected);
      for (const [i, own] of ["m#", "m#", "m#", "n#", "n#", "o#"].entries()) {
        expect(found.ids[i].length).toBeGreaterThan(0);
        for (const id of found.ids[i]) expect(id.startsWith(own) || id === "n#5").toBe(false);
      }
    },
  );

  test.each([
    ["in memory", {}],
    ["written ahead of their commit", { bufferBytes: 2000 }],
  ])("lists and deletes by filter, with changes that are not committed, %s", async (_, options) => {
    const index = await open({ encoder: "none", ...options });
    const made = (count: number, seed: number, first: number) => madeDocuments(count, seed, 0, first);
    await runByFilter(index, { seed: 11, steps: 25, filters: FILTERS, made });
    await index.close();
  });
}
