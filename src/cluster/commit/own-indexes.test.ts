// Names that are taken on a cluster: nothing is written into an index of somebody else.

import { expect, test } from "vitest";
import { createEmptySnapshot, createRowRules } from "../../ingest/options/row-rules.ts";
import { ClusterError, type Connection } from "../connect/connection.ts";
import { ClusterIndex } from "./cluster-index.ts";
import { readRecord } from "./cluster-record.ts";
import { createIndex } from "./own-indexes.ts";

interface FakeIndex {
  mappings?: object;
  commit?: object;
}

/** A cluster with these indexes, which notes what it is asked to write. */
function clusterOf(indexes: Record<string, FakeIndex>) {
  const written: string[] = [];
  const answer = (method: string, path: string): unknown => {
    const [, name, what] = path.split("/");
    const index = indexes[name];
    if (method !== "GET") {
      if (index) throw new ClusterError("taken", 400, "resource_already_exists_exception");
      written.push(path);
      indexes[name] = {};
      return {};
    }
    if (!index || (what === "_doc" && !index.commit)) throw new ClusterError("no", 404, "not_found");
    if (what === "_doc") return { _seq_no: 7, _primary_term: 1, _source: index.commit };
    return { [name]: { mappings: index.mappings ?? {} } };
  };
  const ask = async ({ method, path }: { method: string; path: string }) => answer(method, path);
  const askIfThere = async (request: never) =>
    ask(request).catch((error) => {
      if ((error as ClusterError).status === 404) return undefined;
      throw error;
    });
  const address = { text: "opensearch://h/notes", name: "notes" };
  return { written, connection: { address, ask, askIfThere } as unknown as Connection };
}

const empty = createEmptySnapshot({ rowRules: createRowRules({}), lambda: 1 });
const commitOf = (mappings: object) => ({ mappings: { _meta: mappings } });

test.each<[string, FakeIndex, string]>([
  ["of somebody else", { mappings: { properties: { a: { type: "long" } } } }, "is not Sluice's"],
  ["without a mapping", {}, "is not Sluice's"],
  ["with a document that has the id of our record", { commit: { a: 1 } }, "is not Sluice's"],
  ["of our documents", commitOf({ sluice: 1, weightScale: 4 }), "holds the documents of another index"],
])("an index %s is refused before anything is written", async (_, index, message) => {
  const { written, connection } = clusterOf({ notes: index });
  expect(await readRecord(connection)).toBeUndefined();
  for (const isReplaced of [false, true]) {
    await expect(ClusterIndex.open(connection, { empty }, isReplaced)).rejects.toMatchObject({
      code: "ERR_SLUICE_INDEX_EXISTS",
      problem: `opensearch://h/notes: this index exists and ${message}`,
      hint: "choose another name",
    });
  }
  expect(written).toEqual([]);
});

test("an index of ours without a commit is written into, and one that somebody makes meanwhile is not", async () => {
  const ours = clusterOf({ notes: commitOf({ sluice: 1 }) });
  await (await ClusterIndex.open(ours.connection, { empty }, false)).createState();
  const indexes: Record<string, FakeIndex> = {};
  const { written, connection } = clusterOf(indexes);
  const index = await ClusterIndex.open(connection, { empty }, false);
  indexes.notes = {};
  await expect(index.createState()).rejects.toThrow("is not Sluice's");
  expect(written).toEqual([]);
});

test("an index is ours if it is new, or if its mapping says so", async () => {
  const { written, connection } = clusterOf({ "notes-1": {}, "notes-2": commitOf({ token: "mine" }) });
  const create = (name: string) => createIndex(connection, name, {}, ([{ token }]) => token === "mine");
  expect(await create("notes-1")).toBe(false);
  expect(await create("notes-2")).toBe(true);
  expect(await create("notes-3")).toBe(true);
  expect(written).toEqual(["/notes-3"]);
});
