import { describe, expect, test } from "vitest";
import { accepts, checkFilter } from "./filter.ts";
import { readTexts } from "./text-fields.ts";

const MOON = new Date("1969-07-20T20:17:40Z");

describe("a filter and a text field find the same texts under a dotted name", () => {
  test.each<[string, object, string, string[]]>([
    ["a key", { tag: "x" }, "tag", ["x"]],
    ["a path", { author: { name: "A" } }, "author.name", ["A"]],
    ["a key with a dot, before a path", { "a.b": "key", a: { b: "path" } }, "a.b", ["key"]],
    ["a path, if the key with a dot has no value", { "a.b": null, a: { b: "path" } }, "a.b", ["path"]],
    ["a key with a dot inside an object", { a: { "b.c": "x", b: { c: "y" } } }, "a.b.c", ["x"]],
    [
      "the objects of lists in lists",
      { a: [[{ n: "x" }], { n: ["y", ["z"]] }, "w"] },
      "a.n",
      ["x", "y", "z"],
    ],
    ["an empty key", { "": { "": "x" } }, ".", ["x"]],
    ["a Date", { at: MOON }, "at", [MOON.toJSON()]],
    ["a Date in a list in an object", { a: [{ at: [MOON] }] }, "a.at", [MOON.toJSON()]],
    ["a wrapped text", { a: new String("x") }, "a", ["x"]],
    ["an object with toJSON", { a: { toJSON: () => ({ b: "x" }) } }, "a.b", ["x"]],
    ["nothing", { a: { b: null } }, "a.b", []],
  ])("%s", (_, document, name, texts) => {
    expect(readTexts(document, name, "the document")).toEqual(texts);
    const isFound = (text: string) => accepts(checkFilter({ [name]: text }), { ...document });
    for (const text of texts) expect(isFound(text)).toBe(true);
    expect(isFound("none of them")).toBe(false);
    expect(accepts(checkFilter({ [name]: { exists: true } }), { ...document })).toBe(texts.length > 0);
  });
});
