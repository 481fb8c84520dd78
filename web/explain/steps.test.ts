import { expect, test } from "vitest";
import { stepsOf } from "./steps.ts";

test("each bar begins where the one before it ended", () => {
  expect(stepsOf([2, 1, 1])).toEqual([
    { from: 0, share: 0.5, falls: false },
    { from: 0.5, share: 0.25, falls: false },
    { from: 0.75, share: 0.25, falls: false },
  ]);
});

test("a negative number makes a bar that goes back", () => {
  expect(stepsOf([4, -1])).toEqual([
    { from: 0, share: 1, falls: false },
    { from: 0.75, share: 0.25, falls: true },
  ]);
  expect(stepsOf([-1, 4])).toEqual([
    { from: 0, share: 0.25, falls: true },
    { from: 0, share: 1, falls: false },
  ]);
  expect(stepsOf([0])).toEqual([{ from: 0, share: 0, falls: false }]);
});
