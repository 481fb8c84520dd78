import { expect, test } from "vitest";
import type { FoundVersion } from "../../src/cluster/commit/cluster-documents.ts";
import { createStoredRow, packStoredRow } from "../../src/cluster/rows/stored-row.ts";
import { createLikeReader } from "../../src/cluster/search/cluster-like.ts";
import { getInternals } from "../../src/internals.ts";
import { scoreParts } from "../../src/lab/eval/document-rows.ts";
import { checkQuery } from "../../src/query/ask/query.ts";
import { resolveLike } from "../../src/search/demands/like.ts";
import type { HitConditions } from "../../src/search/ranking/ranked-index.ts";
import { searchIndex } from "../../src/search/search.ts";
import { Sluice } from "../../src/sluice.ts";
import { toFloat16 } from "../../src/support/numbers/float16.ts";

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
    const of = async (like: string, groupBy?: "passage.of") =>
      (await index.search({ like }, { k: 20, ...(groupBy && { groupBy }) })).hits.map(({ id }) => id);
    const ids = await of("m");
    expect(ids).toContain("n#1");
    expect(ids).toContain("o#2");
    for (const id of [...ids, ...(await of("m#1")), ...(await of("m#3", "passage.of"))])
      expect(id).not.toMatch(/^m/);
    await expect(of("never")).rejects.toThrow('no document has the id "never"');
  }
});

/** What a cluster would keep of the documents of an index, read as it reads them. */
async function toClusterReader(index: Sluice) {
  const { snapshot } = getInternals(index);
  const shape = { hasIndices: false, semanticDims: snapshot.semanticDims, weightScale: 1 };
  const versions = new Map<string, FoundVersion>();
  for (const doc of snapshot.eachDoc()) {
    const [id, { source, first }] = [snapshot.idAt(doc), snapshot.segmentOf(doc)];
    const vector = Uint16Array.from((await snapshot.readVector(doc)) ?? [], toFloat16);
    const row = packStoredRow(createStoredRow(source.readRow(doc - first), vector), shape);
    versions.set(id, { id, row, document: snapshot.document(doc) } as unknown as FoundVersion);
  }
  const asked: string[][] = [];
  const reader = createLikeReader({
    shape,
    async find(ids) {
      asked.push([...ids]);
      return new Map(ids.flatMap((id) => (versions.has(id) ? [[id, versions.get(id)!]] : [])));
    },
  });
  return { reader, asked };
}

test("a cluster finds by the same query, and leaves out the same documents", async () => {
  const text = Array.from({ length: 120 }, (_, i) => `# ${i}\n\na weir ${"of oak ".repeat(i % 7)}`).join(
    "\n\n",
  );
  const documents = [
    { id: "long", text },
    { id: "short", text: "# 1\n\na weir\n\n# 2\n\na lock" },
    { id: "short#2#1", text: "a lock" },
    { id: "o", text: "a weir" },
  ];
  for (const encoder of ["none", "static:64"]) {
    const index = await Sluice.build(documents, { encoder, passages: true });
    const { snapshot, preparer } = getInternals(index);
    const { reader, asked } = await toClusterReader(index);
    for (const like of ["long", "long#60", "short", "short#2", "o#1"])
      expect(await resolveLike(snapshot, like, reader), like).toEqual(await resolveLike(snapshot, like));
    expect((await resolveLike(snapshot, "long", reader)).excludedIds).toHaveLength(1 + 120);
    await expect(resolveLike(snapshot, "never", reader)).rejects.toThrow('no document has the id "never"');
    asked.length = 0;
    await resolveLike(snapshot, "short#2", reader);
    expect(asked).toHaveLength(2); // the passage, and all passages of its document

    const conditions: HitConditions[] = [];
    const elsewhere = {
      ...{ snapshot, preparer, likeReader: reader, createHits: async () => [[], []] },
      resources: {
        takeSearchResources: () => ({ maxRowBytes: 0, pool: undefined, device: undefined }),
        openCrossEncoder: () => Promise.reject(new Error("none")),
      },
      rankRemotely(requests: readonly unknown[], given: HitConditions) {
        conditions.push(given);
        return Promise.resolve(requests.map(() => ({ ranked: [], stats: {} as never })));
      },
    };
    await searchIndex(elsewhere, [{ like: "short#1" }, "weir"], { exclude: ["o"] }, "search");
    expect(conditions.map(({ excludedIds }) => excludedIds)).toEqual([["o", "short#1", "short#2"], ["o"]]);
    await index.close();
  }
});

test("explanations and both parts of all scores take the id of a document that was cut, too", async () => {
  const index = await Sluice.build(
    [
      { id: "m", text: "# 1\n\na weir\n\n# 2\n\na lock" },
      { id: "o", text: "a weir" },
    ],
    { encoder: "none", passages: true },
  );
  const { hits } = await index.search({ like: "m" });
  const { score } = await index.explain({ like: "m" }, "o#1");
  expect(score).toBeCloseTo(hits[0].score, 9);
  const { lexical } = await scoreParts(index, { like: "m" });
  expect(lexical[2]).toBeCloseTo(score, 9);
  expect((await index.explainQuery({ like: "m" })).terms.map(({ term }) => term)).toContain("weir");
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
