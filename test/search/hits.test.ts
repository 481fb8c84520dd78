import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Sluice } from "../../src/sluice.ts";

test("a hit reads its document when it is looked at, and every copy of a hit has it", async () => {
  const index = await Sluice.build(
    [
      { id: "weir", text: "a weir holds the river", year: 1902 },
      { id: "Schleuse für Schiffe", text: "a lock lifts boats on the river" },
    ],
    { encoder: "none" },
  );
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

test("console.log shows documents, not getters, and does not fail where a document cannot be read", async () => {
  const index = await Sluice.build([{ id: "weir", text: "a weir holds the river", year: 1902 }], {
    encoder: "none",
  });
  const { hits } = await index.search("river");
  expect(inspect(hits)).toContain("document: { text: 'a weir holds the river', year: 1902 }");
  expect(inspect(hits)).not.toContain("Getter");
  Object.defineProperty(hits[0], "document", {
    get() {
      throw new Error("the index was closed");
    },
  });
  expect(inspect(hits)).toContain("unreadable: 'the index was closed'");
});
