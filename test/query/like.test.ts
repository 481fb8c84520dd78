import { expect, test } from "vitest";
import { checkQuery } from "../../src/query/query.ts";
import { Sluice } from "../../src/sluice.ts";

const DOCUMENTS = [
  { id: "kiel", text: "A canal with locks between two seas" },
  { id: "panama", text: "A canal with locks between two oceans" },
  { id: "sea", text: "Two seas between lands" },
  { id: "bauhaus", text: "A school of art" },
];

test("finds documents that share the most telling words, and never the document itself", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const { hits, terms } = await index.search({ like: "kiel" });
  expect(hits.map(({ id }) => id)).toEqual(["panama", "sea"]);
  expect(terms.map(({ term }) => term).sort()).toEqual(["between", "canal", "lock", "sea", "two"].sort());
  const { score } = await index.explain({ like: "kiel" }, "panama");
  expect(score).toBeCloseTo(hits[0].score, 6);
});

test("searches with the stored vector, so that it needs no encoder", async () => {
  const vectors = [
    [1, 0],
    [0, 1],
    [0.9, 0.1],
    [-1, 0],
  ];
  const index = await Sluice.build(
    DOCUMENTS.map((document, i) => ({ ...document, text: "x", vector: vectors[i] })),
  );
  const answer = await index.search({ like: "kiel" }, { k: 1 });
  expect(answer.hits.map(({ id }) => id)).toEqual(["sea"]);
  expect(answer.notice).toBeUndefined();
});

test("takes the weights of an index that has its own", async () => {
  const index = await Sluice.build(
    [
      { id: "a", weights: { lock: 3, gate: 1 } },
      { id: "b", weights: { lock: 1 } },
      { id: "c", weights: { gate: 2 } },
    ],
    { lexical: "weights" },
  );
  const { hits } = await index.search({ like: "a" });
  expect(hits.map(({ id, score }) => [id, score])).toEqual([
    ["b", 3],
    ["c", 2],
  ]);
});

test("among many queries, each leaves out its own document, and those that are excluded", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const answers = await index.searchAll([{ like: "kiel" }, "canal", { like: "panama" }], {
    exclude: ["sea"],
  });
  expect(answers.map(({ hits }) => hits.map(({ id }) => id))).toEqual([
    ["panama"],
    ["kiel", "panama"],
    ["kiel"],
  ]);
});

test("refuses an unknown id, and other parts beside it", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  await expect(index.search({ like: "suez" })).rejects.toThrow('no document has the id "suez"');
  expect(() => checkQuery({ like: 3 })).toThrow("the query's like must be the id of a document");
  expect(() => checkQuery({ like: "kiel", text: "canal" })).toThrow("the query has like and other parts");
});
