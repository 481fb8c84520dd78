// The tables of this package are shared by all indexes of a program, each under its own name.

import { expect, test } from "vitest";
import { Encoder } from "../encoder.ts";

test("a table of the package is read once, and never given for another", async () => {
  const queries = await Encoder.open("builtin:queries");
  const usual = await Encoder.open("static");
  expect([queries.path, usual.path]).toEqual(["builtin:queries", "static"]);
  expect(usual.fingerprint).not.toBe(queries.fingerprint);
  expect(await Encoder.open("static")).toBe(usual);
  expect(await Encoder.open("builtin:queries")).toBe(queries);
});
