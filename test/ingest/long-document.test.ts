// A document with a long text: other work runs while it is added, replaced and deleted, and it is found like any other.

import { expect, test } from "vitest";
import { type OpenOptions, Sluice } from "../../src/index.ts";

/** About 4 MB, most words repeated. */
const TEXT = Array.from({ length: 600_000 }, (_, i) => `w${(i * i) % 5003}`).join(" ");

test.each<[string, OpenOptions]>([
  ["words and positions", { analyzer: "english", encoder: "none", positions: true }],
  ["text fields", { encoder: "none", positions: true, fieldWeights: { title: 2, text: 1 } }],
  ["words and meaning", {}],
])("other work has turns while a long text is read: %s", async (_, options) => {
  const index = await Sluice.build([{ id: "a", text: "a gate" }], options);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await index.upsert([{ id: "long", text: TEXT }]);
  expect(turns).toBeGreaterThan(5);
  await index.commit();
  const hits = async (query: string) =>
    (await index.search(query, { match: "any" })).hits.map(({ id }) => id);
  expect(await hits("w4")).toEqual(["long"]);
  turns = 0;
  await index.upsert([{ id: "long", text: "short" }]);
  expect(turns).toBeGreaterThan(5);
  await index.commit();
  isOver = true;
  expect(await hits("w4")).toEqual([]);
  expect(await hits("short")).toEqual(["long"]);
  await index.close();
});

test("a call that fails restores a long document", async () => {
  const index = await Sluice.build([{ id: "long", text: TEXT }], { encoder: "none" });
  await index.upsert([{ id: "other", text: "pending" }]);
  const failing = (function* () {
    yield { id: "long", text: "short" };
    throw new Error("no more");
  })();
  await expect(index.upsert(failing)).rejects.toThrow("no more");
  await index.commit();
  expect((await index.search("w4")).hits.map(({ id }) => id)).toEqual(["long"]);
  await index.optimize(); // weighs all rows by the statistics as they are now
  const fresh = await Sluice.build(
    [
      { id: "long", text: TEXT },
      { id: "other", text: "pending" },
    ],
    { encoder: "none" },
  );
  expect((await index.search("w4 pending")).hits.map(({ score }) => score)).toEqual(
    (await fresh.search("w4 pending")).hits.map(({ score }) => score),
  );
  await index.close();
  await fresh.close();
});
