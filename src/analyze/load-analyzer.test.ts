import { expect, test } from "vitest";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { WordPiece } from "./analyzers/wordpiece.ts";
import { loadAnalyzer } from "./load-analyzer.ts";

test.each([
  [null, undefined, "the name of an analyzer must be a text, not null"],
  [5, undefined, "the name of an analyzer must be a text, not 5"],
  ["german", null, "loadAnalyzer takes an object of options, not null"],
  ["german", { stopWords: 5 }, "stopWords must be a list of words, not 5"],
  ["universal", { stopWords: ["a", 5] }, "stopWords[1] must be a text, not 5"],
  ["german", { foldAccents: "no" }, 'foldAccents must be true or false, not "no"'],
  ["german", { bla: 5 }, 'loadAnalyzer has no option "bla"'],
])("loadAnalyzer(%j, %j) is refused", async (name, options, problem) => {
  const error = await loadAnalyzer(name as never, options as never).catch((caught) => caught);
  expect(error).toBeInstanceOf(SluiceError);
  expect([error.problem, error.code]).toEqual([problem, "ERR_SLUICE_INVALID"]);
});

test("word pieces are a list of texts", () => {
  expect(() => new WordPiece(null as never)).toThrow("pieces must be a list of word pieces, not null");
  expect(() => new WordPiece(["[UNK]", 5] as never)).toThrow("pieces[1] must be a text, not 5");
});
