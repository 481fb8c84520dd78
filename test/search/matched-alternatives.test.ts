// `match: "all"` and words that hits must have, where words of the query are corrected or completed.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { whitespace } from "../../src/analyze/index.ts";
import { type Query, Sluice } from "../../src/index.ts";
import { revertDocument } from "../../src/lab/index.ts";
import { commandLine } from "../helpers/command-line.ts";

const DOCUMENTS = [
  { id: "hotel", text: "new york hotel" },
  { id: "hostel", text: "a hostel in york" },
  { id: "other", text: "a hotel in paris" },
];

describe.each([true, false])("positions: %s", (positions) => {
  test.each<[Query, object, string[]]>([
    ["york ho", { match: "all", prefix: true }, ["hostel", "hotel"]],
    ["york hote", { match: "all", prefix: true }, ["hotel"]],
    ["york hotl", { match: "all", typos: true }, ["hotel"]],
    ["yrok hotl", { match: "all", typos: true }, ["hotel"]],
    ["hotel hotl hotell", { match: "all", typos: true }, ["hotel", "other"]], // one term stands for all words
    ["york xyzzy", { match: "all", typos: true, prefix: true }, []],
    ["york hotl", { match: "all" }, []],
    ["+hotl", { syntax: true, typos: true }, ["hotel", "other"]],
    ["+hotl", { syntax: true }, []],
    ["+yrok hot", { syntax: true, typos: true, prefix: true }, ["hostel", "hotel"]],
    ["york +hote", { syntax: true, prefix: true }, ["hotel", "other"]],
    ["+hote york", { syntax: true, prefix: true }, []], // only the last word is completed
    ["hotel -yrok", { syntax: true, typos: true }, ["hotel", "other"]], // what hits must not have is not corrected
    [{ must: ["yrok", "hotl"] }, { typos: true }, ["hotel"]],
    [{ must: ["yrok hotl"] }, { typos: true }, ["hotel"]],
    [{ text: "hotel", must: ["yrok"] }, { typos: true }, ["hotel"]],
    [{ text: "hotel", must: ["xyzzy"] }, { typos: true }, []],
    [{ text: "hotel", must: [{ phrase: "yrok" }] }, { typos: true }, []], // nor is a phrase
  ])("%j %j", async (query, options, expected) => {
    const index = await Sluice.build(DOCUMENTS, { encoder: "none", positions });
    expect((await index.search(query, options)).hits.map(({ id }) => id).sort()).toEqual(expected);
  });
});

/** Words that are often one edit apart, or the beginning of another. */
const word = fc
  .tuple(fc.constantFrom("abcd", "abxd", "mnop", "mnoq", "stuv"), fc.constantFrom("", "e", "ef", "gh"))
  .map(([beginning, end]) => beginning + end);
const typed = fc.tuple(word, fc.nat(5), fc.boolean()).map(([letters, at, isWrong]) => {
  return isWrong ? letters.slice(0, at % letters.length) + letters.slice((at % letters.length) + 1) : letters;
});
const corpus = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 40 });

test.each(["full", 8] as const)("equals the definition with dims %s", async (dims) => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      corpus,
      fc.array(typed, { minLength: 1, maxLength: 3 }),
      fc.record({ typos: fc.boolean(), prefix: fc.boolean() }),
      async (texts, words, options) => {
        const documents = texts.map((text, i) => ({ id: `${i}`, text: text.join(" ") }));
        const index = await Sluice.build(documents, { encoder: "none", analyzer: whitespace, dims });
        const { hits, terms } = await index.search(words.join(" "), { ...options, match: "all", k: 100 });
        // What a word may stand for is what the answer says. A document has one of these terms for each word.
        const groups = words.map((each) => {
          const alternatives = terms.find(({ term, from }) => term === each && !from)?.alternatives;
          return [each, ...(alternatives ?? [])];
        });
        const rows = documents.map(({ id }) => new Set(revertDocument(index, id).map(({ term }) => term)));
        // A document whose terms all lost their slots in the query to heavier ones has no score.
        const kept = terms.filter(({ fate }) => fate === "kept").map(({ term }) => term);
        const expected = documents.filter(
          (_, i) =>
            groups.every((group) => group.some((term) => rows[i].has(term))) &&
            kept.some((term) => rows[i].has(term)),
        );
        expect(hits.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        found += groups.some((group) => group.length > 1) ? hits.length : 0;
        await index.close();
      },
    ),
    { numRuns: 150 },
  );
  expect(found).toBeGreaterThan(20);
});

test("the command line says which words are in no document, and not those that were completed or corrected", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const folder = join(mkdtempSync(join(tmpdir(), "sluice-alternatives-")), "index");
  await index.save(folder);
  await index.close();
  const outOf = async (...flags: string[]) => (await commandLine(["search", folder, ...flags])).out;
  expect(await outOf("york hotl")).toContain("in no document: hotl");
  expect(await outOf("york hotl", "--typos")).not.toContain("in no document");
  expect(await outOf("york hote", "--prefix")).not.toContain("in no document");
  expect(await outOf("xyzzy hote", "--prefix")).toContain("in no document: xyzzy\n");
});
