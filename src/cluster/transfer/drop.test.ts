// What a drop asks of a cluster, and in which order. test/opensearch drops indexes of a real one.

import { expect, test } from "vitest";
import { CLUSTER_VERSION } from "../commit/cluster-record.ts";
import { ClusterError, type Connection } from "../connect/connection.ts";
import { dropIndex } from "./drop.ts";

const ADDRESS = "opensearch://h/notes";

/** A cluster with these documents and indexes, which notes what it is asked to delete. */
function clusterOf(documents: Record<string, object>, conflict = false) {
  const deleted: string[] = [];
  const ask = async ({ method, path, query }: { method: string; path: string; query?: object }) => {
    if (method === "GET") {
      if (!(path in documents)) throw new ClusterError("no", 404, "not_found");
      return { _seq_no: 7, _primary_term: 1, _source: documents[path] };
    }
    if (path === "/notes/_doc/commit") {
      expect(query).toEqual({ if_seq_no: 7, if_primary_term: 1 });
      if (conflict) throw new ClusterError("no", 409, "version_conflict_engine_exception");
    }
    deleted.push(path);
    delete documents[path];
    return {};
  };
  const askIfThere = async (request: never) =>
    ask(request).catch((error) => {
      if ((error as ClusterError).status === 404) return undefined;
      throw error;
    });
  const address = { text: ADDRESS, name: "notes" };
  return { deleted, connection: { address, ask, askIfThere } as unknown as Connection };
}

const COMMIT = { version: CLUSTER_VERSION, generation: 3, documents: "notes-2" };

test("the record goes first, then the documents, those of an interrupted push, and the rest", async () => {
  const { deleted, connection } = clusterOf({
    "/notes/_doc/commit": COMMIT,
    "/notes/_doc/push": { documents: "notes-4" },
  });
  await dropIndex(connection);
  expect(deleted).toEqual(["/notes/_doc/commit", "/notes-2", "/notes-4", "/notes"]);
});

test("without an index nothing is deleted", async () => {
  const { deleted, connection } = clusterOf({});
  await expect(dropIndex(connection)).rejects.toMatchObject({ code: "ERR_SLUICE_NO_INDEX" });
  expect(deleted).toEqual([]);
});

test("if another writer commits meanwhile, nothing is deleted", async () => {
  const { deleted, connection } = clusterOf({ "/notes/_doc/commit": COMMIT }, true);
  await expect(dropIndex(connection)).rejects.toMatchObject({ code: "ERR_SLUICE_CONFLICT" });
  expect(deleted).toEqual([]);
});
