// Options that are no options: a Date, a Map, null and their like are refused, and not ignored.

import { expect, test } from "vitest";
import { Sluice } from "../../src/sluice.ts";

const index = await Sluice.build([{ id: "a", title: "lock", text: "canal" }], {
  encoder: "none",
  fieldWeights: { title: 3, text: 1 },
});

test.each<readonly [string, object, string]>([
  ...[null, 0, Number.NaN, "", false].map((boosts) => ["boosts", { boosts }, "boosts must be"] as const),
  [
    "fieldWeights",
    { fieldWeights: new Map([["title", 1]]) },
    "fieldWeights must be an object of fields and weights, not a Map",
  ],
  ["fieldWeights", { fieldWeights: new Date() }, "not a Date"],
  [
    "fieldWeights",
    { fieldWeights: { title: undefined } },
    "fieldWeights.title must be a number, not undefined",
  ],
  ["typos", { typos: new Date() }, "typos takes an object of options, not a Date"],
  ["typos", { typos: new Map() }, "not a Map"],
  ["snippets", { snippets: new Date() }, "snippets takes an object of options, not a Date"],
  ["snippets", { snippets: new Map() }, "not a Map"],
])("%s: %j", async (_, options, message) => {
  await expect(index.search("canal", options)).rejects.toThrow(message);
  if ("snippets" in options) return;
  await expect(index.explain("canal", "a", options)).rejects.toThrow(message);
});
