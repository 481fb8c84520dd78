// A long text holds up no other work while a model tokenizes it, and an abort ends that.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TextWindows } from "../../src/encode/onnx/text-windows.ts";
import { TextTokenizer } from "../../src/encode/tokenize/tokenizer.ts";
import { tokenizerJson } from "../helpers/onnx.ts";

const tokenizer = new TextTokenizer(
  tokenizerJson(["[UNK]", "[CLS]", "[SEP]", "water"]),
  "the test's tokenizer",
);
const windows = new TextWindows(tokenizer, {
  kind: "anchored",
  analyzer: "english",
  maxLength: { query: 8, passage: 16 },
});
const LONG = "water ".repeat(50_000);

let clock = 0;
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => (clock += 10)); // every step is a turn
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("words for an anchored encoder are found in turns", async () => {
  let turns = 0;
  const count = () => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  for await (const [, [{ ids, words }]] of windows.list([LONG], "passage", { size: 1, readsAhead: false })) {
    expect(ids).toHaveLength(16);
    expect([words!.terms.length, words!.unread]).toEqual([14, new Map([["water", 50_000 - 14]])]);
  }
  clearImmediate(immediate);
  expect(turns).toBeGreaterThan(10);
});

test("an abort ends it", async () => {
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error("enough")));
  const { signal } = controller;
  const list = windows.list([LONG], "passage", { size: 1, readsAhead: false, signal });
  await expect(list.next()).rejects.toThrow("enough");
});
