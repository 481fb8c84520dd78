import { expect, test } from "vitest";
import { DEFAULT_LIMITS, resolveLimits } from "./limits.ts";

test("limits that are given replace the defaults; unknown and impossible ones are refused", () => {
  expect(resolveLimits()).toEqual(DEFAULT_LIMITS);
  expect(resolveLimits({ readMs: 5, writeMs: undefined })).toEqual({ ...DEFAULT_LIMITS, readMs: 5 });
  expect(() => resolveLimits({ readMS: 5 } as never)).toThrow(/readMS.*readMs/s);
  expect(() => resolveLimits({ readMs: 0 })).toThrow(
    "the limit readMs must be a whole number of at least 1, not 0",
  );
});
