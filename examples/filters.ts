// Filters on fields of the documents. They apply before the best k are chosen, so you get k hits if that many documents match.
import { type Filter, Sluice } from "sluice";

const index = await Sluice.build([
  { id: "panama", text: "a canal between two oceans", year: 1914, locks: true, author: { name: "Goethals" } },
  { id: "suez", text: "a canal without locks", year: 1869, locks: false, author: { name: "Lesseps" } },
  { id: "kiel", text: "a canal between two seas", year: 1895, locks: true, tags: ["north", "baltic"] },
]);

const filters: Filter[] = [
  { locks: true },
  { year: { gte: 1869, lt: 1900 } },
  { tags: { in: ["baltic", "adriatic"] } },
  { or: [{ "author.name": "Goethals" }, { not: { locks: true } }] },
];
for (const filter of filters) {
  const { hits } = await index.search("canal", { filter });
  console.log(JSON.stringify(filter), "→", hits.map(({ id }) => id).join(", "));
}
