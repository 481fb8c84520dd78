// Count, sort and group: how many matches have each value of a field, the newest first, and one hit of each author.
import { Sluice } from "sluice";

const index = await Sluice.build(
  [
    { id: "panama", text: "a canal between two oceans", year: 1914, author: "Goethals" },
    { id: "suez", text: "a canal without locks", year: 1869, author: "Lesseps" },
    { id: "corinth", text: "a canal through rock", year: 1893, author: "Lesseps" },
    { id: "bauhaus", text: "a school of art", year: 1919, author: "Gropius" },
  ],
  { encoder: "none" }, // words alone: the matches are the documents with the word
);

const { total, facets } = await index.search("canal", {
  total: true,
  facets: ["author", { field: "year", ranges: [{ lt: 1900 }, { gte: 1900 }] }],
});
console.log(`${total} canals`);
for (const facet of facets ?? []) {
  if (facet.values) for (const { value, docs } of facet.values) console.log(`${value}: ${docs}`);
  else for (const { docs, ...range } of facet.ranges) console.log(`${JSON.stringify(range)}: ${docs}`);
}

const newest = await index.search("canal", { sort: { field: "year", order: "desc" } });
console.log("newest first:", newest.hits.map(({ id }) => id).join(", "));
const grouped = await index.search("canal", { groupBy: "author" });
console.log(`one of each author: ${grouped.hits.length} hits`);
