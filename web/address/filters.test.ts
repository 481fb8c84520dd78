import { expect, test } from "vitest";
import { accepts, checkFilter, type Filter } from "../../src/documents/filter.ts";
import { requestOfFilters, toggled, withFilter } from "./filters.ts";

test("a filter without a condition is removed", () => {
  const filters = withFilter({}, "kind", { in: ["noun"] });
  expect(filters).toEqual({ kind: { in: ["noun"] } });
  expect(withFilter(filters, "kind", { in: [] })).toEqual({});
  expect(withFilter(filters, "year", { gte: undefined, lte: 3 })).toEqual({ ...filters, year: { lte: 3 } });
});

test("a value is added and removed", () => {
  expect(toggled({}, "a")).toEqual({ in: ["a"] });
  expect(toggled({ in: ["a", true], gte: 1 }, "a")).toEqual({ in: [true], gte: 1 });
});

test("the server understands a field of any name", () => {
  for (const name of ["kind", "from.city", "not", "and", "or", "\\x", "__proto__"]) {
    const filter = requestOfFilters(withFilter({}, name, { in: ["yes"] }));
    const document = name === "from.city" ? { from: { city: "yes" } } : Object.fromEntries([[name, "yes"]]);
    expect(accepts(checkFilter(filter as Filter), document), name).toBe(true);
    expect(accepts(checkFilter(filter as Filter), { other: "yes" }), name).toBe(false);
  }
});
