import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factsOf, headingOf } from "./heading.ts";
import { bytesText, durationText, millisecondsText, percentText, scoreText } from "./numbers.ts";
import { type Range, snippet } from "./snippet.ts";
import { visible } from "./visible.ts";

const anything = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
/** Half of a surrogate pair. */
const HALF = /\p{Surrogate}/u;

describe("snippet", () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

  test("a short text is shown whole", () => {
    expect(snippet("a gate", [[2, 6]], 100)).toEqual({
      text: "a gate",
      ranges: [[2, 6]],
      cut: { front: false, back: false },
    });
  });

  test("a long text is cut between words, around most of the matches", () => {
    const text = `${words(100)} gate of water ${words(100)}`;
    const at = text.indexOf("gate");
    const {
      text: part,
      ranges,
      cut,
    } = snippet(
      text,
      [
        [2, 6],
        [at, at + 4],
        [at + 8, at + 13],
      ],
      120,
    );
    expect(part.length).toBeLessThanOrEqual(120);
    expect(ranges.map(([start, end]) => part.slice(start, end))).toEqual(["gate", "water"]);
    expect(cut).toEqual({ front: true, back: true });
    expect(text).toContain(` ${part} `);
  });

  test("marks what the whole text marks, and never splits a character", () => {
    const piece = fc.constantFrom("gate", "\u{1f600}", "x".repeat(90), "مرحبا", " ", "\u0000", "\ud83d");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 10, max: 90 }), (pieces, length) => {
        const text = pieces.join("");
        const ranges = [...text.matchAll(/gate/g)].map(({ index }): Range => [index, index + 4]);
        const part = snippet(text, ranges, length);
        expect(text).toContain(part.text);
        for (const [start, end] of part.ranges) expect(part.text.slice(start, end)).toBe("gate");
        if (!HALF.test(text)) expect(part.text).not.toMatch(HALF);
      }),
    );
  });
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
    { name: "from", value: '{"city":"Ulm"}' },
  ]);
  expect(factsOf({ words: ["x"], kind: "noun" })).toEqual([{ name: "kind", value: "noun" }]);
  expect(factsOf({ long: "x".repeat(1000) })[0].value).toHaveLength(201);
});

test("numbers are formatted for readers", () => {
  expect(scoreText(-1.005)).toBe("−1.01");
  expect([0.01, 0.256, 1234].map(millisecondsText)).toEqual(["under 0.1 ms", "0.256 ms", "1.23 s"]);
  expect([0, 999, 1000, 12_345_678].map(bytesText)).toEqual(["0 bytes", "999 bytes", "1 kB", "12.3 MB"]);
  expect([59, 600, 7200, 864_000].map(durationText)).toEqual(["59 s", "10 min", "2 h", "10 days"]);
  expect([percentText(0.4), percentText(0.1234, 1)]).toEqual(["40 %", "12.3 %"]);
});
