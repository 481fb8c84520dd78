// Search as you type: a number with commas is found while it is typed.

import { expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";

test("a number with commas is found while it is typed", async () => {
  const documents = [
    { id: "many", text: "4,500 boats and 1,234,567 ships" },
    { id: "few", text: "17 boats" },
  ];
  const index = await Sluice.build(documents, { encoder: "none" });
  for (const text of ["45", "4,5", "4,50", "4,500", "boats 4,5", "1,23", "1,234,5"]) {
    const { hits } = await index.search(text, { prefix: true });
    expect([text, hits[0]?.id]).toEqual([text, "many"]);
  }
  expect((await index.search("4,7", { prefix: true })).hits).toEqual([]);
  expect((await index.suggest("4,5"))[0]).toMatchObject({ to: "4,500", kind: "completion" });
  await index.close();
});
