import { expect, test } from "vitest";
import type { ClusterView } from "../commit/cluster-index.ts";
import { listPassagesOnCluster } from "./cluster-list.ts";

/** A commit with these documents, in the order in which they were added. */
function viewOf(ids: readonly string[]) {
  const stored = ids.map((id, i) => ({
    id,
    serial: i + 1,
    document: { year: i, ...(id.includes("#") && { passage: { of: id.split("#")[0] } }) },
  }));
  const asked: object[] = [];
  return {
    asked,
    view: {
      record: {},
      find: async (wanted: readonly string[]) =>
        new Map(stored.filter(({ id }) => wanted.includes(id)).map((one) => [one.id, one])),
      documents: {
        async *readAll(_record: unknown, after: number, filter: readonly object[]) {
          asked.push({ after, filter });
          yield* stored.filter(({ document }) => document.passage?.of === "canal");
        },
      },
    } as unknown as Pick<ClusterView, "documents" | "record" | "find">,
  };
}

test("passages come in the order of their text, however they were added", async () => {
  const { view, asked } = viewOf(["canal#1", "canal#10", "weir", "canal#3", "canal#2"]);
  const passages = await listPassagesOnCluster(view, "canal", { fields: ["year"] });
  expect(passages).toEqual([
    { id: "canal#1", document: { year: 0 } },
    { id: "canal#2", document: { year: 4 } },
    { id: "canal#3", document: { year: 3 } },
    { id: "canal#10", document: { year: 1 } },
  ]);
  expect(await listPassagesOnCluster(view, "canal", { limit: 1 })).toHaveLength(1);
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked[0])).toContain("passage.of");
});

test("a document that was not cut is listed itself, and an id that nothing has is refused", async () => {
  const { view, asked } = viewOf(["weir"]);
  expect(await listPassagesOnCluster(view, "weir", {})).toEqual([{ id: "weir", document: { year: 0 } }]);
  expect(asked).toEqual([]);
  await expect(listPassagesOnCluster(view, "never", {})).rejects.toMatchObject({
    code: "ERR_SLUICE_NO_DOCUMENT",
  });
});
