import { expect, test } from "vitest";
import { chosenExamples, queriesOf } from "./examples.ts";

const example = (id: string, document: Record<string, unknown>) => ({ id, document });

test("titles become queries, and texts where there is no title", () => {
  expect(
    queriesOf([
      example("1", { title: "Handbook › How a **lock** works", text: "x" }),
      example("2", { text: "# A gate that controls the flow of water in a canal. And more." }),
      example("3", { title: "X1", text: "Short, but good." }),
      example("4", { text: null }),
      example("5", { title: "How a lock works" }),
    ]),
  ).toEqual(["How a lock works", "A gate that controls the flow of", "Short, but good"]);
});

test("a long title gives a short query, and signs of HTML are left out", () => {
  const titles = [
    "x".repeat(4000),
    `short ${"y".repeat(4000)}`,
    "<b>Evil</b> script",
    "sluice-gate ".repeat(7),
  ];
  expect(queriesOf(titles.map((title, i) => example(`${i}`, { title })))).toEqual([
    "short",
    "b Evil /b script",
    "sluice-gate sluice-gate sluice-gate sluice-gate sluice-gate",
  ]);
});

test("examples are far from each other, and different", () => {
  const documents = Array.from({ length: 30 }, (_, i) => example(`${i}`, { title: `T${i >> 1}`, text: "x" }));
  expect(chosenExamples(documents).map(({ id }) => id)).toEqual(["0", "10", "20"]);
  expect(chosenExamples([example("a", {}), example("b", {})]).map(({ id }) => id)).toEqual(["a", "b"]);
  expect(chosenExamples([])).toEqual([]);
});
