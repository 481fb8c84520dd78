import fc from "fast-check";
import { expect, test } from "vitest";
import { type Address, EMPTY, parseAddress, planOf, writeAddress } from "./address.ts";

const read = (href: string) => {
  const { pathname, search } = new URL(href, "http://here");
  return parseAddress(pathname, search);
};

const anything = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
const name = fc.string({ unit: "grapheme", minLength: 1 });
const filters = fc.dictionary(
  fc.oneof(fc.constantFrom("kind", "from.city", "not", "\\odd", "__proto__"), name),
  fc.oneof(
    fc.record({ in: fc.array(fc.oneof(fc.string(), fc.boolean()), { minLength: 1 }) }),
    fc.record({ gte: fc.integer(), lte: fc.integer() }),
  ),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const address: fc.Arbitrary<Address> = fc
  .record({
    view: fc.constantFrom("search" as const, "playground" as const, "indexes" as const),
    index: optional(name),
    query: fc.string({ unit: "grapheme" }),
    k: fc.integer({ min: 1, max: 200 }),
    filters,
    exact: optional(fc.constant(true)),
    theta: optional(fc.integer({ min: 0, max: 99 })),
    candidates: optional(fc.integer({ min: 1, max: 10_000 })),
    lambda: optional(fc.integer({ min: 0, max: 99 })),
    sort: optional(name),
    match: optional(fc.constant("any" as const)),
    typos: optional(fc.constant(false as const)),
    group: optional(name),
    document: optional(name),
    explain: optional(name),
  })
  .map(
    (record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never,
  );

test("an address comes back as it was written", () => {
  fc.assert(
    fc.property(address, (written) => {
      expect(read(writeAddress(written))).toEqual(written);
    }),
  );
});

test("any URL can be read", () => {
  fc.assert(
    fc.property(anything, anything, (path, query) => {
      expect(parseAddress(`/${path}`, `?${query}`).k).toBeGreaterThanOrEqual(1);
    }),
  );
  expect(read("/?k=-1&theta=x&mass=2&lambda=-1&candidates=1.5&plan=fast")).toEqual(EMPTY);
  expect(read("/reports/%")).toEqual({ ...EMPTY, view: "reports" });
  expect(read("/reports/trade-off").report).toBe("trade-off");
  expect(read("/nosuchpage").view).toBe("missing");
  expect(read("/playground/more").view).toBe("missing");
  expect(read('/?filter={"a":1,"b":{"in":[{}]},"c":{"gte":"x"},"d":{"lt":3}}').filters).toEqual({});
  expect(read("/?filter=[1]").filters).toEqual({});
  for (const lost of ["{", "[1]", '{"a":1}', '{"a":{"in":["x",{}]}}', '{"a":{"gte":1,"lt":3}}'])
    expect(read(`/?filter=${lost}`)).toMatchObject({ hasLostFilter: true });
  for (const whole of ["{}", '{"a":{"in":["x",true]}}', '{"a":{"lte":3,"gte":1}}'])
    expect(read(`/?filter=${whole}`)).not.toHaveProperty("hasLostFilter");
});

test("a URL gives the plan", () => {
  expect(planOf(read("/?query=x"))).toEqual({ kind: "auto" });
  expect(planOf(read("/?plan=exact&theta=1"))).toEqual({ kind: "exact" });
  expect(planOf(read("/?theta=0&mass=0.5"))).toEqual({ kind: "pruned", theta: 0 });
  expect(planOf(read("/?mass=0.5&candidates=20"))).toEqual({ kind: "pruned", mass: 0.5, candidates: 20 });
});
