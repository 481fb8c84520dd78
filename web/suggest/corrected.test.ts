import { expect, test } from "vitest";
import type { SearchAnswer } from "../../src/schemas/index.ts";
import { correctedWords } from "./corrected.ts";

test("corrections are told from completions and synonyms", () => {
  const terms: SearchAnswer["terms"] = [
    { term: "zebrra", weight: 0, fate: "unknown", alternatives: ["zebra"] },
    { term: "zebra", weight: 1, fate: "kept", from: "zebrra", edits: 1 },
    { term: "canal", weight: 1, fate: "kept", from: "can", edits: 0 },
    { term: "ship", weight: 1, fate: "kept", from: "boat" },
  ];
  expect(correctedWords({ terms })).toEqual([{ from: "zebrra", to: "zebra" }]);
});
