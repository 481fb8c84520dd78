import { expect, test } from "vitest";
import { ClusterError, type Connection } from "../connect/connection.ts";
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

test("a long answer goes on if the node that kept its point in time is lost", async () => {
  const serials = [1, 2, 3, 4, 5];
  const asked: string[] = [];
  const ask = async ({ path, method, body }: { path: string; method: string; body?: PageBody }) => {
    if (method === "DELETE") return {};
    if (path === "/x-1/_search/point_in_time") return { pit_id: `pit ${asked.push("open")}` };
    asked.push(`after ${body!.search_after?.[0] ?? 0} by ${body!.pit.id}`);
    if (asked.length === 3) throw new ClusterError("lost", 404, "search_context_missing_exception");
    const [after = 0] = body!.search_after ?? [];
    const hits = serials.filter((serial) => serial > after).slice(0, body!.size);
    return { hits: { hits: hits.map((serial) => ({ sort: [serial] })) } };
  };
  const waitUntil = async (work: () => Promise<boolean>) => {
    while (!(await work()));
  };
  const documents = new ClusterDocuments({ ask, waitUntil } as unknown as Connection, "x-1");
  const found: number[] = [];
  for await (const hits of documents.readPages({ size: 2 })) found.push(...hits.map(({ sort }) => sort![0]));
  expect(found).toEqual(serials);
  expect(asked).toEqual([
    "open",
    "after 0 by pit 1",
    "after 2 by pit 1",
    "open",
    "after 2 by pit 4",
    "after 4 by pit 4",
  ]);
});

interface PageBody {
  readonly size: number;
  readonly pit: { readonly id: string };
  readonly search_after?: readonly [number];
}
