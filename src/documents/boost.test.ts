// What a boost adds, what counts as a number, and what is refused.

import { expect, test } from "vitest";
import { type Boost, checkBoosts, computeBoost, toNumber } from "./boost.ts";

const NOW = Date.UTC(2026, 0, 31);
const DAY = 86_400_000;
const added = (boost: Boost, value: number) => computeBoost(checkBoosts([boost], NOW)[0], value);

test("a decay has half of its weight left at one scale, on both sides of its origin", () => {
  for (const decay of ["exp", "gauss", "linear"] as const) {
    const recent: Boost = { field: "updated", decay, scale: "30d", weight: 2 };
    expect(added(recent, NOW)).toBe(2);
    expect(added(recent, NOW - 30 * DAY)).toBeCloseTo(1, 12);
    expect(added(recent, NOW + 30 * DAY)).toBeCloseTo(1, 12);
  }
  expect(added({ field: "x", decay: "exp", scale: 20, origin: 100 }, 60)).toBe(0.25);
  expect(added({ field: "x", decay: "gauss", scale: 20, origin: 100 }, 60)).toBe(1 / 16);
  expect(added({ field: "x", decay: "linear", scale: 20, origin: 100 }, 60)).toBe(0);
  expect(added({ field: "x", decay: "exp", scale: "1h", origin: "2026-01-30T23:00Z" }, NOW)).toBe(0.5);
});

test("a logarithm and a plain value", () => {
  expect(added({ field: "votes", log: true, weight: 0.5 }, 99)).toBe(0.5 * Math.log(100));
  expect(added({ field: "votes", log: true }, -3)).toBe(0);
  expect(added({ field: "rating", weight: -0.1 }, 4)).toBe(-0.4);
});

test("numbers, booleans and ISO dates are numbers; of a list the largest counts", () => {
  expect([toNumber(3), toNumber(true), toNumber(false)]).toEqual([3, 1, 0]);
  expect(toNumber("2026-01-31")).toBe(NOW);
  expect(toNumber("2026-01-31T00:00:00")).toBe(NOW);
  expect(toNumber("2026-01-31T02:00:00.000+02:00")).toBe(NOW);
  expect([toNumber("soon"), toNumber("31.1.2026"), toNumber("12")]).toEqual(Array(3).fill(undefined));
  expect([2 ** 53, -(2 ** 60), 1e300, -1e300].map(toNumber)).toEqual([2 ** 53, -(2 ** 60), 1e100, -1e100]);
  expect(toNumber([3, "soon", 7, null])).toBe(7);
  expect(toNumber(["soon", null])).toBeUndefined();
});

test.each([
  [{ field: "x", decay: "exp", scale: "30 days" }, "boosts[0].scale"],
  [{ field: "x", decay: "exp", scale: 0 }, "boosts[0].scale"],
  [{ field: "x", decay: "exp", scale: 30 }, "there is no origin"],
  [{ field: "x", decay: "exp" }, "boosts[0].scale"],
  [{ field: "x", decay: "power", scale: 3, origin: 1 }, "boosts[0].decay"],
  [{ field: "x", decay: "exp", scale: 3, origin: "soon" }, "boosts[0].origin"],
  [{ field: "x", decay: "exp", scale: 3, origin: 1, log: true }, "either decay or log"],
  [{ field: "x", scale: 3 }, "no decay"],
  [{ field: "" }, "boosts[0].field"],
  [{ field: "x", weight: Number.NaN }, "boosts[0].weight"],
  [{ field: "x", wieght: 2 }, 'did you mean "weight"'],
  ["x", "boosts[0] must be an object"],
])("%j is refused", (boost, expected) => {
  const check = () => checkBoosts([boost as Boost], NOW);
  expect(check).toThrow();
  try {
    check();
  } catch (error) {
    const { message, hint = "" } = error as { message: string; hint?: string };
    expect(`${message} ${hint}`).toContain(expected);
  }
});

test("a day that no month has is no date", () => {
  const days = [
    "2020-02-29",
    "2021-02-29",
    "2020-02-30",
    "2020-04-31T10:00",
    "2020-13-01",
    "2000-02-29",
    "1900-02-29",
  ];
  const isDate = days.map((day) => toNumber(day) !== undefined);
  expect(isDate).toEqual([true, false, false, false, false, true, false]);
});

test.each([new Date(), new Date("2020-01-01"), ["2020-01-01"], {}, null, true, "2020-02-30"])(
  "an origin that is no number and no ISO date is refused: %s",
  (origin) => {
    const boost = { field: "updated", decay: "exp", scale: "30d", origin } as unknown as Boost;
    expect(() => checkBoosts([boost], NOW)).toThrow(
      expect.objectContaining({
        name: "SluiceError",
        message: expect.stringContaining("boosts[0].origin must be a number or an ISO date"),
        hint: expect.stringContaining("toISOString"),
      }),
    );
  },
);
