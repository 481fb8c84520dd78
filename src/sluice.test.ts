import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { whitespace } from "./analyze/analyzers/whitespace.ts";
import type { Document } from "./documents/document.ts";
import { queryOf, revertDocument } from "./lab/eval/document-rows.ts";
import type { BuildOptions } from "./open/open-options.ts";
import type { Query } from "./query/ask/query.ts";
import { PLAN_NAMES } from "./query/plan/plan.ts";
import { Sluice } from "./sluice.ts";
import { SluiceError } from "./support/errors/sluice-error.ts";
import { mulberry32 } from "./support/numbers/random.ts";
import type { Progress } from "./support/options/progress.ts";
import { LoadOnce } from "./support/work/load-once.ts";
import { idf, termPart } from "./weigh/bm25.ts";

const CANALS: Document[] = [
  { id: "sluice", text: "A sluice is a gate that controls the flow of water" },
  {
    id: "lock",
    title: "Lock",
    text: "A lock raises boats between two levels of water, with a gate at each end",
  },
  { id: "weir", text: "A weir is a low barrier across a river; water flows over it" },
  { id: "bauhaus", text: "A school of art and building in Weimar", city: "Weimar" },
];
const full: BuildOptions = { dims: "full" };

describe("search", () => {
  test("with a slice for every term the score is BM25, to float16", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", dims: "full", analyzer: whitespace });
    const texts = CANALS.map(({ title, text }) => [title, text].filter(Boolean).join(" ").split(" "));
    const average = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
    const { hits } = await index.search("gate water gate");
    for (const { id, score } of hits) {
      const words = texts[CANALS.findIndex((document) => document.id === id)];
      const expected = [
        ["gate", 2],
        ["water", 1],
      ].reduce((sum, [term, times]) => {
        const tf = words.filter((word) => word === term).length;
        const df = texts.filter((other) => other.includes(term as string)).length;
        const part = tf === 0 ? 0 : termPart(tf, words.length, average, { k1: 0.9, b: 0.4 });
        return sum + (times as number) * idf(texts.length, df) * part;
      }, 0);
      expect(Math.abs(score - expected) / expected).toBeLessThan(2 ** -10);
    }
    expect(hits.map(({ id }) => id)).toEqual(["sluice", "lock", "weir"]);
  });

  test("hits carry the document, its parts add up, and nothing irrelevant comes along", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", ...full });
    const { hits, stats, terms } = await index.search("a school in Weimar?", { k: 100 });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({
      id: "bauhaus",
      semantic: 0,
      document: { text: CANALS[3].text, city: "Weimar" },
    });
    expect(hits[0].lexical).toBe(hits[0].score);
    expect(stats).toMatchObject({ plan: "auto", allowedCount: 4, scored: 4 });
    expect(terms.map(({ term, fate }) => [term, fate])).toEqual([
      ["school", "kept"],
      ["weimar", "kept"],
    ]);
  });

  test("nothing to look for finds nothing", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", ...full });
    for (const query of ["", "the of and", "zzz", "\0", { weights: {} }, { text: " " }]) {
      expect((await index.search(query)).hits).toEqual([]);
    }
    expect((await index.search("zzz weir")).terms[0]).toEqual({ term: "zzz", weight: 0, fate: "unknown" });
  });

  test("an empty collection is a collection", async () => {
    const index = await Sluice.build([], { encoder: "none" });
    expect(index.docs).toBe(0);
    expect((await index.search("anything")).hits).toEqual([]);
  });

  test("the longest text that a query may have is answered, and one more character is refused", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", ...full });
    const words = Array.from({ length: 38_000 }, (_, i) => `w${i}`).join(" ");
    const longest = `${words} weir`.padEnd(262_144);
    expect((await index.search(longest)).hits.map(({ id }) => id)).toEqual(["weir"]);
    await expect(index.search(`${longest} `)).rejects.toThrow("262,145 characters, expected at most 262,144");
  });

  test("excluded ids make room; ids that do not exist do no harm", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", ...full });
    const { hits } = await index.search("water", { k: 2, exclude: ["lock", "nowhere"] });
    expect(hits.map(({ id }) => id).sort()).toEqual(["sluice", "weir"]);
  });

  test("weights on a BM25 index count like occurrences: the idf stays", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", ...full });
    const asText = await index.search("gate gate water");
    const asWeights = await index.search({ weights: { gate: 2, water: 1 } });
    expect(asWeights.hits.map(({ id, score }) => [id, score])).toEqual(
      asText.hits.map(({ id, score }) => [id, score]),
    );
    await expect(index.search(queryOf(index, "lock"))).rejects.toThrow("lacks the idf");
  });

  test("the vector of a document, as it is stored", async () => {
    const index = await Sluice.build([{ id: "a", text: "gate", vector: [0.5, -0.25] }], { encoder: "none" });
    expect(await index.vector("a")).toEqual(Float32Array.of(0.5, -0.25));
    await expect(index.vector("b")).rejects.toThrow('no document has the id "b"');
    expect(await (await Sluice.build(CANALS, { encoder: "none", ...full })).vector("lock")).toBe(undefined);
  });

  test("two stages with enough candidates are exact", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", dims: 16 });
    const ids = async (options: object) =>
      (await index.search("gate of flowing water", options)).hits.map(({ id, score }) => [id, score]);
    const exact = await ids({});
    expect(exact.length).toBeGreaterThan(1);
    for (const plan of [
      { kind: "pruned", theta: 0.9 },
      { kind: "pruned", mass: 0.5 },
      { kind: "inner-product" },
    ]) {
      expect(await ids({ plan })).toEqual(exact);
    }
  });

  test("in too few slices a query's lighter words give way, and say to whom", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", dims: 1, slicingStrategy: "stride" });
    const { terms } = await index.search("water weir");
    const [kept, outweighed] = ["kept", "outweighed"].map((fate) => terms.find((term) => term.fate === fate));
    expect(kept?.term).toBe("weir"); // rarer
    expect(outweighed).toMatchObject({ term: "water", by: "weir" });
  });

  test.each([{ k: -1 }, { k: 1.5 }, { k: Number.NaN }, { lambda: -1 }, { lambda: Number.NaN }])(
    "%j is refused",
    async (options) => {
      const index = await Sluice.build(CANALS, { encoder: "none" });
      await expect(index.search("water", options)).rejects.toThrow(SluiceError);
    },
  );
});

describe("long documents", () => {
  /** 2,400 distinct words a document: more than rows of 768 slots hold. */
  const documents = ["a", "b", "c"].map((id) => ({
    id,
    text: Array.from({ length: 2400 }, (_, i) => `${id}word${i}`).join(" "),
  }));
  const every = documents.flatMap(({ id, text }) => text.split(" ").map((word) => ({ id, word })));

  /** Words that do not find the document that holds them. */
  const missed = async (index: Sluice) => {
    const answers = await index.searchAll(every.map(({ word }) => word));
    return answers.filter(({ hits }, i) => hits[0]?.id !== every[i].id).length;
  };

  test("are found by every word they hold, with default options", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "sluice-long-")), "index");
    const [built, opened] = [
      await Sluice.build(documents, { encoder: "none" }),
      await Sluice.open(folder, { encoder: "none" }),
    ];
    await opened.add(documents);
    await opened.commit();
    for (const index of [built, opened]) {
      expect(index.info().slicingSettings.strategy).toBe("full");
      expect(await missed(index)).toBe(0);
      expect((await index.search("aword7")).stats).toMatchObject({ exact: true, droppedShare: 0 });
      expect(index.info().droppedShare).toBe(0);
      await index.close();
    }
  });

  test("in rows of slots lose words, and every answer says how many", async () => {
    const index = await Sluice.build(documents, { encoder: "none", dims: 768 });
    const lost = await missed(index);
    expect(lost).toBe(every.length - 3 * 768);
    const { stats } = await index.search("aword7");
    expect(stats.droppedShare).toBeCloseTo(lost / every.length, 12);
    expect(index.info().droppedShare).toBe(stats.droppedShare);
  });

  test.each<[string, BuildOptions, number]>([
    ["slicingStrategy", { slicingStrategy: "hashed" }, 768],
    ["quantize", { quantize: { parts: 64 } }, 768],
    ["dims", { dims: 100 }, 100],
  ])("%s asks for rows of slots", async (_, options, dims) => {
    expect((await Sluice.build(documents, { encoder: "none", ...options })).info().slicingSettings.dims).toBe(
      dims,
    );
  });
});

describe("weights made elsewhere", () => {
  const documents = [
    { id: "1", weights: { x: 2, y: 1 } },
    {
      id: "2",
      weights: new Map([
        ["x", 1],
        ["z", 3],
      ]),
    },
  ];

  test("are kept as they are, and asked with weights, with text, or with a row", async () => {
    const index = await Sluice.build(documents, { lexical: "weights", analyzer: whitespace, dims: "full" });
    const scores = async (query: Parameters<Sluice["search"]>[0]) =>
      (await index.search(query)).hits.map(({ id, score }) => [id, score]);
    expect(await scores({ weights: { x: 0.5, z: 1 } })).toEqual([
      ["2", 3.5],
      ["1", 1],
    ]);
    expect(await scores("x x")).toEqual([
      ["1", 4],
      ["2", 2],
    ]);
    expect(await scores(queryOf(index, "2"))).toEqual([
      ["2", 10],
      ["1", 2],
    ]);
  });

  test("a row from an index with other settings is refused", async () => {
    const [one, other] = [
      await Sluice.build(documents, { lexical: "weights", dims: 4, slicingStrategy: "stride" }),
      await Sluice.build(documents, { lexical: "weights", dims: 2, slicingStrategy: "stride" }),
    ];
    await expect(one.search(queryOf(other, "1"))).rejects.toThrow("other settings: dims 2 instead of 4");
    await expect(
      one.search({
        row: { slices: Uint32Array.of(0), indices: Uint16Array.of(0), values: Float32Array.of(1) },
      }),
    ).rejects.toThrow("needs the slicing");
  });

  test("an index made like another takes its rows", async () => {
    const index = await Sluice.build(documents, { lexical: "weights", dims: 4 });
    const queries = await Sluice.build([{ id: "q", weights: { x: 1, unheard: 5 } }], {
      lexical: "weights",
      slicingOf: index.slicing,
    });
    expect(queries.info().densifyCounts).toMatchObject({ unknown: 1, kept: 1 });
    expect((await index.search(queryOf(queries, "q"))).hits.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  test.each([
    [{ id: "1" }, "no weights"],
    [{ id: "1", weights: { x: -1 } }, 'document 1, "1": the weight of "x" is -1'],
    [{ id: "1", weights: { x: Number.NaN } }, "is NaN"],
    [
      { id: "1", weights: { x: 1e6 } },
      'document 1, "1": the weight of "x" is 1000000; float16 ends at 65504',
    ],
  ])("%j is refused", async (document, message) => {
    await expect(Sluice.build([document], { lexical: "weights" })).rejects.toThrow(message);
    await expect(Sluice.build([document], { lexical: "weights" })).rejects.toBeInstanceOf(SluiceError);
  });
});

describe("the semantic part", () => {
  const documents = [
    { id: "near", text: "water", vector: [1, 0] },
    { id: "far", text: "water gate", vector: [0, 1] },
    { id: "opposite", text: "fire", vector: [-1, 0] },
  ];

  test("is added with λ, which a search may change without rebuilding", async () => {
    const index = await Sluice.build(documents, { encoder: "none", dims: "full", lambda: 0.5 });
    const { hits } = await index.search({ text: "gate", vector: [2, 0] });
    expect(hits.map(({ id, semantic }) => [id, semantic])).toEqual([
      ["near", 1],
      ["far", 0],
      ["opposite", -1],
    ]);
    for (const { score, lexical, semantic } of hits) expect(lexical + semantic).toBe(score);
    const without = await index.search({ text: "gate", vector: [2, 0] }, { lambda: 0 });
    expect(without.hits.map(({ id }) => id)).toEqual(["far"]);
    const alone = await index.search({ vector: [0, 1] }, { k: 1, lambda: 3 });
    expect(alone.hits).toMatchObject([{ id: "far", score: 3, lexical: 0 }]);
  });

  test.each([
    [
      [
        { id: "a", vector: [1] },
        { id: "b", vector: [1, 2] },
      ],
      "a vector with 2 dims, but the documents before it have a vector with 1 dims",
    ],
    [
      [{ id: "a", vector: [1] }, { id: "b" }],
      "no vector, but the documents before it have a vector with 1 dims",
    ],
    [[{ id: "a" }, { id: "b", vector: [1] }], "the documents before it have no vector"],
    [
      [{ id: "a", text: "boats", vector: [] }],
      "its vector is an empty list, expected a list of numbers; leave",
    ],
    [[{ id: "a", vector: [Number.NaN] }], "its vector: entry 0 is NaN"],
    [[{ id: "a", vector: [1e5] }], "its vector: entry 0 is 100000"],
    [[{ id: "a", vector: [null] as unknown as number[] }], "its vector: entry 0 is null"],
    [[{ id: "a", vector: "12" as unknown as number[] }], 'its vector is "12"'],
    [[{ id: "a", vector: { x: 1 } as unknown as number[] }], "its vector is an object"],
  ])("%j is refused", async (list, message) => {
    await expect(Sluice.build(list, { encoder: "none" })).rejects.toThrow(message);
  });

  test("of documents with their own vectors, a text is answered by words, and the answer says so", async () => {
    const index = await Sluice.build(documents, { encoder: "none" });
    const words = await index.search("gate", { lambda: 0 });
    expect(words).not.toHaveProperty("notices");
    expect(words.hits.map(({ id }) => id)).toEqual(["far"]);
    const vector = [1, 0];
    const asked = ["gate", { text: "gate", vector }, { vector }, { weights: { gate: 1 } }, ""];
    const answers = await index.searchAll(asked);
    const areTold = answers.map(({ notices }) => notices !== undefined);
    expect(areTold).toEqual([true, false, false, true, false]);
    expect(answers[0].notices).toEqual([
      { code: "words_only", message: expect.stringMatching(/words only.*give the query a vector/) },
    ]);
    expect(answers[0].hits).toEqual(words.hits);
    expect(await index.explain("gate", "far")).toMatchObject({
      ...{ lambda: 0, semantic: 0, score: words.hits[0].score, notices: answers[0].notices },
    });
    const explained = await index.explainQuery("gate");
    expect(explained).toMatchObject({ lambda: 0, semanticDims: { of: 0 }, notices: answers[0].notices });
  });

  test("a query's vector must fit", async () => {
    const index = await Sluice.build(documents, { encoder: "none" });
    await expect(index.search({ vector: [1] })).rejects.toThrow("has 1 dims, the index has 2");
    await expect(index.search({ vector: [1, Number.POSITIVE_INFINITY] })).rejects.toThrow("entry 1");
    const lexical = await Sluice.build(CANALS, { encoder: "none" });
    await expect(lexical.search({ text: "water", vector: [1] })).rejects.toThrow("the index has 0");
  });
});

describe("explain", () => {
  test("contributions add up to the score of the search, whatever the slicing", async () => {
    const vocabulary = ["gate", "water", "lock", "weir", "river", "boat", "flow", "school", "art", "barrier"];
    const text = fc
      .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 })
      .map((words) => words.join(" "));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 6 }),
        text,
        fc.constantFrom<BuildOptions>(
          { dims: "full" },
          { dims: 3 },
          { dims: 4, slicingStrategy: "hashed" },
          { dims: 2, slicingStrategy: "random" },
        ),
        fc.boolean(),
        async (texts, query, options, semantic) => {
          const documents = texts.map((text, i) => ({
            id: `${i}`,
            text,
            ...(semantic && { vector: [i, 1 - i] }),
          }));
          const index = await Sluice.build(documents, { encoder: "none", ...options, lambda: 0.3 });
          const asked = semantic ? { text: query, vector: [0.7, 0.2] } : query;
          for (const hit of (await index.search(asked)).hits) {
            const explained = await index.explain(asked, hit.id);
            const sum = explained.matched.reduce(
              (total, { contribution }) => total + contribution,
              explained.semantic,
            );
            expect(sum).toBeCloseTo(hit.score, 9);
            expect(explained.score).toBeCloseTo(hit.score, 9);
            expect(explained.lexical).toBeCloseTo(hit.lexical, 9);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("says what is missing, and what was lost to a heavier word", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", dims: 1, slicingStrategy: "stride" });
    const { matched, missed, lost } = await index.explain("water", "weir");
    expect(matched).toEqual([]);
    expect(missed[0].term).toBe("water");
    expect(missed[0].slotHolds).toBe("across");
    expect(lost).toEqual(["water"]);
    const elsewhere = await index.explain("water", "bauhaus");
    expect(elsewhere.lost).toEqual([]);
  });

  test("an id that does not exist is an error", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none" });
    await expect(index.explain("water", "nowhere")).rejects.toThrow('no document has the id "nowhere"');
    expect(() => revertDocument(index, "nowhere")).toThrow(SluiceError);
  });
});

describe("build", () => {
  test("counts what became of the terms", async () => {
    const { densifyCounts: counts } = (
      await Sluice.build([...CANALS, { id: "empty", text: "the" }], {
        encoder: "none",
        dims: 4,
        slicingStrategy: "stride",
      })
    ).info();
    expect(counts).toMatchObject({ docs: 5, empty: 1, unknown: 0, discarded: 0 });
    expect(counts.kept + counts.collisions).toBe(counts.terms);
  });

  test("reports progress of every task, to the end", async () => {
    const seen: Progress[] = [];
    await Sluice.build(
      Array.from({ length: 2500 }, (_, i) => ({ id: `${i}`, text: `word${i % 7}` })),
      { encoder: "none", dims: 768, onProgress: (progress) => seen.push(progress) },
    );
    expect([...new Set(seen.map(({ task }) => task))]).toEqual(["reading", "slicing", "densifying"]);
    expect(seen.at(-1)).toEqual({ task: "densifying", done: 2500, total: 2500 });
  });

  test("the same documents give the same index", async () => {
    const [one, other] = [
      await Sluice.build(CANALS, { encoder: "none" }),
      await Sluice.build(CANALS, { encoder: "none" }),
    ];
    expect(other.info()).toEqual(one.info());
    expect(CANALS.map(({ id }) => revertDocument(other, id))).toEqual(
      CANALS.map(({ id }) => revertDocument(one, id)),
    );
  });

  test("a document reverts to its words", async () => {
    const index = await Sluice.build(CANALS, { encoder: "none", ...full });
    expect(
      revertDocument(index, "bauhaus")
        .map(({ term }) => term)
        .sort(),
    ).toEqual(["art", "build", "school", "weimar"]);
    expect(revertDocument(index, "bauhaus", 10)).toEqual([]);
  });

  test.each([
    [[{ id: "a" }, { id: "a" }], 'document 2: the id "a" comes twice'],
    [[{ id: "" }], "document 1: the id is empty"],
    [[{ id: 3 } as unknown as Document], "document 1: the id is 3; it must be a text"],
    [[{ id: "a", text: 3 } as unknown as Document], '"text" is a number'],
  ])("%j is refused", async (documents, message) => {
    await expect(Sluice.build(documents, { encoder: "none" })).rejects.toThrow(message);
  });

  test("an analyzer of one's own is recorded by its name, and must be given again", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "sluice-own-")), "index");
    const shouting = (text: string) => text.toUpperCase().split(" ");
    const index = await Sluice.build([{ id: "a", text: "low" }], { encoder: "none", analyzer: shouting });
    expect((await index.search("LOW")).hits).toHaveLength(1);
    await index.save(folder);
    await expect(Sluice.open(folder)).rejects.toThrow("an analyzer of your own, shouting");
    await expect(Sluice.open(folder, { analyzer: "german" })).rejects.toThrow(
      "shouting, not the built-in german",
    );
    await using again = await Sluice.open(folder, { analyzer: { name: "shouting", terms: shouting } });
    expect((await again.search("low")).hits).toHaveLength(1);
    await again.upsert([{ id: "b", text: "loud" }]);
    await again.commit();
    expect(again.info().analyzer).toBe("shouting");
    expect((await again.search("loud")).hits.map(({ id }) => id)).toEqual(["b"]);
  });

  test("an analyzer by name is loaded again with its options; others are refused", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "sluice-named-")), "index");
    const options = {
      encoder: "none",
      analyzer: "german",
      stopWords: ["boot"],
      protectedWords: ["Häuser"],
    } as const;
    const index = await Sluice.build([{ id: "a", text: "Die Boote der Häuser und Städte" }], options);
    await index.save(folder);
    await using again = await Sluice.open(folder);
    const termsOf = async (text: string) => (await again.search(text)).terms.map(({ term }) => term);
    expect(await termsOf("Stadt boot Haus Häuser")).toEqual(["haus", "stadt", "häuser"]);
    await expect(Sluice.open(folder, { analyzer: "german" })).rejects.toThrow(
      "opened with the analyzer german",
    );
    await using same = await Sluice.open(folder, options);
    expect((await same.search("städte")).hits).toHaveLength(1);
  });

  test("weights are rounded once: what a row holds is the float16 next to the double", async () => {
    const x = 1 + 2 ** -11 + 2 ** -40; // float32 would round it to a tie, and float16 the tie down
    const index = await Sluice.build([{ id: "a", weights: { t: x } }], { lexical: "weights" });
    expect(revertDocument(index, "a")[0].weight).toBe(1.0009765625);
  });

  test.each([
    { slicingStrategy: "strid" },
    { lexical: "weight" },
    { dims: 0 },
    { bm25: { k1: -1 } },
    { bm25: { b: 2 } },
    { lambda: Number.NaN },
  ] as BuildOptions[])("%j is refused", async (options) => {
    await expect(Sluice.build(CANALS, { encoder: "none", ...options })).rejects.toThrow(SluiceError);
  });
});

describe("many documents, through the kernels", () => {
  const WORDS = ["gate", "water", "lock", "river", "canal", "boat", "level", "flow", "weir", "bank"];

  /** Some words and a vector, the same for the same number. */
  function documentOf(n: number) {
    const random = mulberry32(n);
    const words = Array.from({ length: 12 }, () => WORDS[Math.floor(WORDS.length * random() ** 2)]);
    return {
      id: String(n),
      text: words.join(" "),
      parity: n % 2 === 0 ? "even" : "odd",
      vector: Float32Array.from({ length: 24 }, () => random() - 0.5),
    };
  }
  const documents = Array.from({ length: 1200 }, (_, n) => documentOf(n));
  const queries = Array.from({ length: 9 }, (_, i) => {
    const { text, vector } = documentOf(5000 + i);
    return { text: text.split(" ").slice(0, 3).join(" "), vector };
  });
  const ids = ({ hits }: { readonly hits: readonly { id: string; score: number }[] }) =>
    hits.map(({ id, score }) => [id, score]);

  test("all plans agree with the exact one where everything is a candidate; many questions at once, too", async () => {
    const index = await Sluice.build(documents, { encoder: "none", lambda: 5, quantize: { parts: 8 } });
    const exact = [];
    for (const query of queries)
      exact.push(ids(await index.search(query, { k: 30, plan: { kind: "exact" } })));
    for (const plan of [
      { kind: "auto" },
      { kind: "pruned", mass: 0.5, candidates: 1200 },
      { kind: "inner-product", candidates: 1200 },
      { kind: "quantized", candidates: 1200 },
    ] as const) {
      expect((await index.searchAll(queries, { k: 30, plan })).map(ids)).toEqual(exact);
    }
    const { stats } = await index.search(queries[0], { k: 5, plan: { kind: "quantized", candidates: 100 } });
    expect(stats).toMatchObject({ plan: "quantized", exact: false, kernel: "wasm", allowedCount: 1200 });
    expect(stats.candidates).toBeGreaterThanOrEqual(100);
    expect(stats.scored).toBeLessThan(1200);
  });

  test("pages fit together, and a filter is applied before anything is cut", async () => {
    const index = await Sluice.build(documents, { encoder: "none", lambda: 5 });
    const filter = { parity: "odd" };
    const whole = await index.search(queries[0], { k: 100, filter });
    expect(whole.hits).toHaveLength(100);
    expect(whole.hits.every(({ document }) => document.parity === "odd")).toBe(true);
    expect(whole.stats.allowedCount).toBe(600);
    const pages = [];
    for (const offset of [0, 40, 80]) {
      pages.push(...(await index.search(queries[0], { k: Math.min(40, 100 - offset), offset, filter })).hits);
    }
    expect(ids({ hits: pages })).toEqual(ids(whole));
  });

  test("rows on the disk score what rows in memory score", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "sluice-rows-")), "index");
    await (await Sluice.build(documents, { encoder: "none", lambda: 5 })).save(folder);
    const loads = vi.spyOn(LoadOnce.prototype, "get");
    const answers = [];
    for (const maxRowBytes of [undefined, 0]) {
      loads.mockClear();
      const index = await Sluice.open(folder, { readOnly: true, maxRowBytes });
      answers.push((await index.searchAll(queries, { k: 30, plan: { kind: "exact" } })).map(ids));
      await index.close();
      const loaded = loads.mock.calls.map(([name]) => name);
      expect(loaded.includes("rows on disk")).toBe(maxRowBytes === 0);
    }
    loads.mockRestore();
    expect(answers[1]).toEqual(answers[0]);
    await expect(Sluice.open(folder, { encoder: "none", maxRowBytes: -1 })).rejects.toThrow(
      "maxRowBytes must be a number of at least 0",
    );
  });

  test("the encoder none leaves meaning out", async () => {
    const index = await Sluice.build([{ id: "a", text: "water" }], { encoder: "none" });
    expect(index.info()).toMatchObject({ semanticDims: 0 });
    expect(index.info().encoder).toBeUndefined();
    expect((await index.search("water")).hits[0]).toMatchObject({ id: "a", semantic: 0 });
  });

  test("product codes must have been asked for", async () => {
    const index = await Sluice.build(documents, { encoder: "none" });
    const few = await Sluice.build(documents.slice(0, 2), { encoder: "none" });
    const empty = await Sluice.build([], { encoder: "none" });
    for (const each of [index, few, empty])
      await expect(each.search(queries[0], { plan: { kind: "quantized" } })).rejects.toThrow(
        "the index has no product codes",
      );
  });

  test("many queries, and texts to encode, come from anything that can be read", async () => {
    const index = await Sluice.build(documents);
    const texts = ["t1 t2", "t3"];
    const listed = await index.encodeQueries(texts);
    expect(await index.encodeQueries(new Set(texts))).toEqual(listed);
    const idsOf = async (queries: Iterable<Query>) =>
      (await index.searchAll(queries)).map(({ hits }) => hits.map(({ id }) => id));
    expect(await idsOf(listed.values())).toEqual(await idsOf(texts));
    expect(await idsOf(new Set(texts))).toEqual(await idsOf(texts));
    // @ts-expect-error a number is not a text
    await expect(index.encodeQueries([3])).rejects.toThrow("texts[0] must be a text, not 3");
    // @ts-expect-error one query is not a list
    await expect(index.searchAll({ text: "t1" })).rejects.toThrow("queries must be a list of queries");
  });

  test("the name of a plan that needs no options is a plan", async () => {
    const index = await Sluice.build(documents, {
      encoder: "none",
      dims: 64,
      quantize: { parts: 8, bits: 4 },
    });
    for (const plan of PLAN_NAMES) {
      const [named, written] = [{ plan }, { plan: { kind: plan } }];
      const { hits, stats } = await index.search(queries[0], named);
      expect(stats.plan).toBe(plan);
      expect(hits.map(({ id }) => id)).toEqual(
        (await index.search(queries[0], written)).hits.map(({ id }) => id),
      );
    }
    // @ts-expect-error it needs theta or mass
    await expect(index.search(queries[0], { plan: "pruned" })).rejects.toThrow(
      'plan must be "auto", "exact", "inner-product", "quantized", or an object such as',
    );
  });
});
