import { inspect } from "node:util";
import { expect, test } from "vitest";
import { UsageError } from "./usage-error.ts";

test("the message says what to do, and the console shows it once", () => {
  const error = new UsageError("there is no index", "add documents and commit", "ERR_SLUICE_NO_INDEX", "k");
  expect(error.message).toBe("there is no index; add documents and commit");
  expect([error.problem, error.hint, error.option]).toEqual([
    "there is no index",
    "add documents and commit",
    "k",
  ]);
  const shown = inspect(error);
  expect(shown.split("add documents and commit")).toHaveLength(2);
  expect(shown).toContain("ERR_SLUICE_NO_INDEX");
});

test("without a hint, the message is the problem", () => {
  const error = new UsageError("no document has this id");
  expect([error.message, error.problem, error.hint]).toEqual([
    "no document has this id",
    "no document has this id",
    undefined,
  ]);
});
