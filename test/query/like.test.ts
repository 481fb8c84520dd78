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
  expect(answer.notices).toBeUndefined();
});

test("takes the id of a document that was cut, and leaves out all of its passages", async () => {
  const text = (...parts: string[]) => parts.map((part, i) => `# ${i}\n\n${part}`).join("\n\n");
  const documents = [
    { id: "m", text: text("a weir of oak", "a lock of iron", "a weir and a lock") },
    { id: "n", text: text("a weir of iron", "a school of art") },
    { id: "o", text: text("a school", "a lock") },
  ];
  for (const encoder of ["none", "static"]) {
    const index = await Sluice.build(documents, { encoder, passages: true });
    const of = async (like: string, groupBy?: string) =>
      (await index.search({ like }, { k: 20, ...(groupBy && { groupBy }) })).hits.map(({ id }) => id);
    const ids = await of("m");
    expect(ids).toContain("n#1");
    expect(ids).toContain("o#2");
    for (const id of [...ids, ...(await of("m#1")), ...(await of("m#3", "passage.of"))])
      expect(id).not.toMatch(/^m/);
    await expect(of("never")).rejects.toThrow('no document has the id "never"');
  }
});

test("numbers after ids that are no passages say nothing", async () => {
  const index = await Sluice.build(
    [
      { id: "a", text: "a lock" },
      { id: "a#1", text: "a lock and a gate" },
      { id: "a#2", text: "a lock and a door" },
    ],
    { encoder: "none" },
  );
  const { hits } = await index.search({ like: "a#1" });
  expect(hits.map(({ id }) => id).sort()).toEqual(["a", "a#2"]);
  await index.delete(["a"]);
  await index.commit();
  await expect(index.search({ like: "a" })).rejects.toThrow('no document has the id "a"');
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
