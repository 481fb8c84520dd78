import { inspect } from "node:util";
import { expect, test } from "vitest";
import { SluiceError } from "./sluice-error.ts";

test("the message says what to do, and the console shows it once", () => {
  const error = new SluiceError("there is no index", "add documents and commit", "ERR_SLUICE_NO_INDEX", "k");
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

test("a hint names an option as it is called where the error is read", () => {
  const error = new SluiceError("no format", (nameOf) => `say it with ${nameOf("format")}`);
  expect(error.hint).toBe("say it with the option format");
  expect(error.message).toBe("no format; say it with the option format");
  expect(error.hintWith((option) => `--${option}`)).toBe("say it with --format");
  expect(new SluiceError("no format", "say it").hintWith(() => "x")).toBe("say it");
  expect(new SluiceError("no format").hintWith(() => "x")).toBeUndefined();
});

test("without a hint, the message is the problem", () => {
  const error = new SluiceError("no document has this id");
  expect([error.message, error.problem, error.hint]).toEqual([
    "no document has this id",
    "no document has this id",
    undefined,
  ]);
});
