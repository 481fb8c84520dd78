import fc from "fast-check";
import { expect, test } from "vitest";
import { likeliestWord } from "../../src/analyze/likeliest-word.ts";
import { factsOf, headingOf } from "./heading.ts";
import { sizeText } from "./index-size.ts";
import { bytesText, durationText, millisecondsText, percentText, scoreText } from "./numbers.ts";
import { valueText } from "./value-text.ts";
import { visible } from "./visible.ts";

const anything = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });

test("a stem stands for the word that was typed", () => {
  expect(likeliestWord("Boatts in a canel", "boatt")).toBe("Boatts");
  expect(likeliestWord("ponys, Élèves", "poni")).toBe("ponys");
  expect(likeliestWord("ponys Élèves", "elev")).toBe("Élèves");
  expect(likeliestWord("canal", "wasser")).toBe("wasser");
});

test("control characters become visible, and the length stays", () => {
  expect(visible("a\u0000b\u001bc\u007f\td\ne")).toBe("a␀b␛c␡\td\ne");
  fc.assert(
    fc.property(anything, (text) => {
      expect(visible(text)).toHaveLength(text.length);
    }),
  );
});

test("a document is called by its title, its name, its words, or its id", () => {
  expect(headingOf("1", { title: "Lock", name: "x", text: "…" })).toBe("Lock");
  expect(headingOf("1", { title: " ", name: "Ann" })).toBe("Ann");
  expect(headingOf("1", { tags: [1], words: ["sluice", "gate"] })).toBe("sluice, gate");
  expect(headingOf("1", { title: 3, words: [] })).toBe("1");
});

test("the rest of a document are facts", () => {
  const document = {
    title: "Lock",
    text: "…",
    year: 1340,
    tags: ["a", 1],
    from: { city: "Ulm" },
    none: null,
  };
  expect(factsOf(document)).toEqual([
    { name: "year", value: "1340" },
    { name: "tags", value: "a, 1" },
    { name: "from.city", value: "Ulm" },
  ]);
  expect(factsOf({ words: ["x"], kind: "noun" })).toEqual([{ name: "kind", value: "noun" }]);
  expect(factsOf({ tags: [], of: {}, a: { b: { c: { d: { e: 1 } } } }, none: null })).toEqual([
    { name: "a.b.c.d", value: '{"e":1}' },
  ]);
  expect(factsOf({ long: "x".repeat(1000) })[0].value).toHaveLength(201);
});

test("an empty value is called so", () => {
  expect(["", "x", false].map(valueText)).toEqual(["(empty)", "x", "false"]);
  expect(factsOf({ kind: "" })).toEqual([{ name: "kind", value: "" }]);
});

test("an index has documents, or passages of documents, or both", () => {
  expect(sizeText({ docs: 5, passages: 0, cut: 0 })).toBe("5 documents");
  expect(sizeText({ docs: 229, passages: 229, cut: 24 })).toBe("229 passages of 24 documents");
  expect(sizeText({ docs: 230, passages: 229, cut: 24 })).toBe("25 documents, 24 of them as 229 passages");
});

test("numbers are formatted for readers", () => {
  expect(scoreText(-1.005)).toBe("−1.01");
  expect([0.01, 0.256, 1234].map(millisecondsText)).toEqual(["under 0.1 ms", "0.256 ms", "1.23 s"]);
  expect([0, 999, 1000, 12_345_678].map(bytesText)).toEqual(["0 bytes", "999 bytes", "1 kB", "12.3 MB"]);
  expect([59, 600, 7200, 864_000].map(durationText)).toEqual(["59 s", "10 min", "2 h", "10 days"]);
  expect([percentText(0.4), percentText(0.1234, 1)]).toEqual(["40 %", "12.3 %"]);
});
