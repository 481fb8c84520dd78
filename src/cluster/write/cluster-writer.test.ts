// Which documents an upsert replaces on a cluster: those that it replaces in a folder. Nothing is sent before a commit, so no
// cluster is needed.

import { expect, test } from "vitest";
import type { Document, Fields } from "../../documents/document.ts";
import { Encoder } from "../../encode/encoder.ts";
import { NewIndex } from "../../ingest/options/new-index.ts";
import { createEmptySnapshot } from "../../ingest/options/row-rules.ts";
import type { ClusterIndex } from "../commit/cluster-index.ts";
import { ClusterWriter } from "./cluster-writer.ts";

const newIndex = new NewIndex({ lexical: "weights", isEncoderUndecided: false }, Encoder.open);

const whole = (id: string): Document => ({ id, weights: { water: 1 } });
const passages = (of: string, count: number): Document[] =>
  Array.from({ length: count }, (_, i) => ({
    ...whole(`${of}#${i + 1}`),
    passage: { of, number: i + 1, line: 1, start: 0, end: 1 },
  }));

const passageOf = (fields: Fields) => (fields as { passage?: { of: string } }).passage?.of;

/** A writer of an index with these documents, and the ids that it asked the cluster for. */
function openWriter(committed: readonly Document[]) {
  const asked: string[][] = [];
  const found = new Map(
    committed.map((document, i) => [
      document.id,
      { id: document.id, key: `key ${i}`, serial: i + 1, document: document as Fields },
    ]),
  );
  const start = newIndex.requireStart();
  const index = {
    record: committed.length > 0 ? { nextSerial: committed.length + 1, semanticDims: 0 } : undefined,
    snapshot: createEmptySnapshot(start),
    view: {
      async findWithPassages(ids: readonly string[], cut: readonly string[]) {
        asked.push([...ids]);
        return [...found.values()].filter(
          ({ id, document }) => ids.includes(id) || cut.some((of) => passageOf(document) === of),
        );
      },
    },
  } as unknown as ClusterIndex;
  return { writer: new ClusterWriter(index, { newIndex }), asked };
}

/** The ids that the index would have after a commit. */
async function idsOf(writer: ClusterWriter): Promise<string[]> {
  const known = ["a", "a#1", "a#2", "a#3", "b", "b#1"];
  const left: string[] = [];
  for (const id of known) if ((await writer.delete([id])) === 1) left.push(id);
  return left;
}

const upsert = { upsert: true };

test.each<[string, Document[], Document[][], string[]]>([
  ["cut, then uncut", passages("a", 3), [[whole("a")]], ["a"]],
  ["uncut, then cut", [whole("a")], [passages("a", 2)], ["a#1", "a#2"]],
  ["three passages, then two", passages("a", 3), [passages("a", 2)], ["a#1", "a#2"]],
  ["a later passage alone", passages("a", 3), [[passages("a", 2)[1]]], ["a#1", "a#2", "a#3"]],
  ["a later passage and others are missing", [passages("a", 3)[2]], [passages("a", 1)], ["a#1"]],
  ["a missing first passage, then uncut", passages("a", 3).slice(1), [[whole("a")]], ["a"]],
  ["pending: a missing first passage, then uncut", [], [passages("a", 3).slice(1), [whole("a")]], ["a"]],
  ["an id that looks like a passage", [whole("b#1")], [[whole("b")]], ["b", "b#1"]],
  ["pending: cut, then uncut", [], [passages("a", 3), [whole("a")]], ["a"]],
  ["pending: uncut, then cut", [], [[whole("a")], passages("a", 2)], ["a#1", "a#2"]],
  ["in one call: cut, then uncut", [], [[...passages("a", 3), whole("a")]], ["a"]],
  ["in one call: uncut, then cut", [], [[whole("a"), ...passages("a", 2)]], ["a#1", "a#2"]],
  ["committed, then both in one call", passages("a", 3), [[...passages("a", 2), whole("a")]], ["a"]],
])("%s", async (_, committed, calls, left) => {
  const { writer } = openWriter(committed);
  for (const documents of calls) await writer.add(documents, upsert);
  expect(await idsOf(writer)).toEqual(left);
});

test("what an upsert replaced is counted, older passages too, and what files without a word had", async () => {
  const { writer } = openWriter([...passages("a", 3), whole("b"), ...passages("f", 2)]);
  const call = [...passages("a", 2), whole("b"), whole("c"), whole("c")];
  expect(await writer.add(call, upsert)).toEqual({ added: 5, replaced: 5, deleted: 0 });
  expect(await writer.add([], { ...upsert, emptied: ["f", "never"] })).toEqual({
    added: 0,
    replaced: 0,
    deleted: 2,
  });
  expect(await writer.delete(["f"], { withPassages: true })).toBe(0);
  expect(await writer.add([], { upsert: false, emptied: ["a"] })).toMatchObject({ deleted: 0 });
});

test("a signal stops a delete", async () => {
  const { writer } = openWriter([whole("a"), whole("b")]);
  const signal = AbortSignal.abort(new Error("enough"));
  for (const withPassages of [false, true])
    await expect(writer.delete(["a"], { withPassages, signal })).rejects.toThrow("enough");
  expect(await writer.delete(["a", "b"])).toBe(2);
});

test("a failed call brings older passages back", async () => {
  const { writer } = openWriter(passages("a", 3));
  const wrong = { ...whole("b"), vector: [1] }; // the others have none
  await expect(writer.add([whole("a"), wrong], upsert)).rejects.toThrow("vector");
  expect(await idsOf(writer)).toEqual(["a#1", "a#2", "a#3"]);
});

test("documents without passages are looked up in one request", async () => {
  const { writer, asked } = openWriter([whole("a"), whole("b")]);
  await writer.add([whole("a"), whole("b")], upsert);
  expect(asked).toEqual([["a", "b"]]);
});

test("a passage and a document of its own do not replace each other", async () => {
  const { writer } = openWriter([whole("a#2"), ...passages("b", 1)]);
  await expect(writer.add(passages("a", 2), upsert)).rejects.toThrow('passage 2 of "a" has the id "a#2"');
  await expect(writer.add([whole("b#1")], upsert)).rejects.toThrow(
    'the id "b#1" is that of passage 1 of "b"',
  );
  expect(await writer.delete(["a", "b"], { withPassages: true })).toBe(1);
});
