import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Sluice } from "../../src/sluice.ts";

test("a hit reads its document when it is looked at, and every copy of a hit has it", async () => {
  const index = await Sluice.build(
    [
      { id: "weir", text: "a weir holds the river", year: 1902 },
      { id: "Schleuse für Schiffe", text: "a lock lifts boats on the river" },
    ],
    { encoder: "none" },
  );
  const { hits } = await index.search("river lifts");
  expect(hits.map(({ id }) => id)).toEqual(["Schleuse für Schiffe", "weir"]);
  const weir = hits[1];
  const document = { text: "a weir holds the river", year: 1902 };
  expect(Object.keys(weir)).toEqual(["id", "score", "lexical", "semantic", "document"]);
  expect(weir.document).toEqual(document);
  for (const copy of [{ ...weir }, structuredClone(weir), JSON.parse(JSON.stringify(weir))]) {
    expect(copy).toEqual({ id: "weir", score: weir.score, lexical: weir.lexical, semantic: 0, document });
  }
});

test("console.log shows documents, not getters, and does not fail where a document cannot be read", async () => {
  const index = await Sluice.build([{ id: "weir", text: "a weir holds the river", year: 1902 }], {
    encoder: "none",
  });
  const { hits } = await index.search("river");
  expect(inspect(hits)).toContain("document: { text: 'a weir holds the river', year: 1902 }");
  expect(inspect(hits)).not.toContain("Getter");
  Object.defineProperty(hits[0], "document", {
    get() {
      throw new Error("the index was closed");
    },
  });
  expect(inspect(hits)).toContain("unreadable: 'the index was closed'");
});

test("hits have the fields that are asked for, and highlights of the others", async () => {
  const index = await Sluice.build(
    [
      { id: "weir", title: "Weir", text: "a weir holds the river", year: 1902 },
      { id: "lock", text: "a lock lifts boats on the river" },
    ],
    { encoder: "none" },
  );
  const whole = await index.search("river weir");
  const { hits, terms } = await index.search("river weir", {
    fields: ["year", "title", "size" as never],
    highlight: true,
  });
  expect(hits.map(({ id, score }) => [id, score])).toEqual(whole.hits.map(({ id, score }) => [id, score]));
  expect(hits.map(({ document }) => document)).toEqual([{ year: 1902, title: "Weir" }, {}]);
  for (const [i, { highlights }] of hits.entries())
    expect(highlights).toEqual(await index.highlight(terms, whole.hits[i].document));
  expect(hits[0].highlights?.text).toHaveLength(2);
  const [none] = await index.searchAll(["river weir"], { fields: [] });
  expect(none.hits).toEqual(whole.hits.map((hit) => ({ ...hit, document: {} })));
  // @ts-expect-error one name is not a list
  await expect(index.search("river", { fields: "year" })).rejects.toThrow("fields must be a list of names");
});

test("a cross-encoder reads fields that are not returned", async () => {
  const documents = ["river", "a long river", "the river"].map((text, i) => ({ id: String(i), text }));
  const index = await Sluice.build(documents, { encoder: "none" });
  const model = {
    path: "by length",
    score: async (_: string, texts: readonly string[]) => texts.map(({ length }) => length),
  };
  const { hits } = await index.search("river", { rerank: { model, mix: 1 }, fields: [], highlight: true });
  expect(hits.map(({ id, document }) => [id, document])).toEqual([
    ["1", {}],
    ["2", {}],
    ["0", {}],
  ]);
  expect(hits[0].highlights).toEqual({ text: [[7, 12]] });
});

test("a document without a word of the query and without meaning is no hit, and is not counted", async () => {
  const index = await Sluice.build([
    { id: "ar", text: "قناة السويس" },
    { id: "a", text: "a lock" },
    { id: "b", text: "a dam" },
  ]);
  const { hits, total } = await index.search("قناة", { total: true });
  expect([hits.map(({ id }) => id), total]).toEqual([["ar"], 1]);
  const locks = await index.search("lock");
  expect(locks.hits.map(({ id }) => id)).not.toContain("ar");
  await index.close();
});
