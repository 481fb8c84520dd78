import { expect, test } from "vitest";
import type { Connection } from "../connect/connection.ts";
import { ClusterDocuments } from "./cluster-documents.ts";

test("documents are counted on all shards, or not at all", async () => {
  const asked: { path: string; query?: object }[] = [];
  const ask = async (request: { path: string; query?: object }) => {
    asked.push(request);
    return { hits: { total: { value: 7 }, hits: [] } };
  };
  const documents = new ClusterDocuments({ ask } as unknown as Connection, "x-1");
  expect(await documents.count([{ term: { id: "a" } }])).toBe(7);
  expect(asked).toMatchObject([{ path: "/x-1/_search", query: { allow_partial_search_results: false } }]);
});
