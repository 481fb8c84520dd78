import { expect, test } from "vitest";
import { Sluice } from "./sluice.ts";

test("a hit reads its document when it is looked at, and every copy of a hit has it", async () => {
  const index = await Sluice.build([
    { id: "weir", text: "a weir holds the river", year: 1902 },
    { id: "Schleuse für Schiffe", text: "a lock lifts boats on the river" },
  ]);
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
