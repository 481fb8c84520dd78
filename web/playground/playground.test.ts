import { expect, test } from "vitest";
import { EMPTY } from "../address/address.ts";
import { compare, overlapOf } from "./compare.ts";
import { boundsOf, gridOf, heaviestOf, planOf, settingsOf } from "./settings.ts";

const hits = (ids: string) => [...ids].map((id) => ({ id }));

test("two rankings are compared hit by hit", () => {
  const { left, right, overlap } = compare(hits("abcd"), hits("acbx"));
  expect(overlap).toBe(0.75);
  expect(left.map(({ other }) => other)).toEqual([1, 3, 2, undefined]);
  expect(right.map(({ rank, other }) => [rank, other])).toEqual([
    [1, 1],
    [2, 3],
    [3, 2],
    [4, undefined],
  ]);
  expect(overlapOf([], hits("a"))).toBe(1);
  expect(overlapOf(hits("a"), [])).toBe(0);
});

const kept = (...weights: number[]) =>
  weights.map((weight, i) => ({ term: `${i}`, weight, fate: "kept" as const, selected: true }));

test("by default half of the words stay", () => {
  const terms = kept(8, 2, 6, 5);
  expect(settingsOf(EMPTY, terms)).toEqual({ knob: "theta", value: 5.5, candidates: 100, lambda: undefined });
  expect([kept(8), kept(8, 4), kept(8, 4, 2), []].map((some) => settingsOf(EMPTY, some).value)).toEqual([
    4, 6, 3, 0.5,
  ]);
  const address = { ...EMPTY, mass: 0.8, candidates: 20, lambda: 2 };
  expect(settingsOf(address, terms)).toEqual({ knob: "mass", value: 0.8, candidates: 20, lambda: 2 });
  expect(planOf(settingsOf(address, terms))).toEqual({ kind: "pruned", mass: 0.8, candidates: 20 });
});

test("θ goes from everything to almost nothing", () => {
  expect(boundsOf("theta", 7.23)).toEqual({ min: 0, max: 7.3, step: 0.1 });
  const grid = gridOf("theta", 7.23);
  expect([grid[0], grid.at(-1), grid.length]).toEqual([0, 7.2, 13]);
  expect(gridOf("mass", 7.23)).toContain(1);
  expect(gridOf("mass", 7.23).every((mass) => mass > 0 && mass <= 1)).toBe(true);
});

test("only terms with a slot count", () => {
  expect(heaviestOf([...kept(3), { term: "x", weight: 9, fate: "unknown", selected: false }])).toBe(3);
  expect(heaviestOf([])).toBe(1);
});
