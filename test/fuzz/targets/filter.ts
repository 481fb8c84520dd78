// A filter. Columns answer for all documents at once what the definition says about each of them.

import { accepts, checkFilter, type Filter } from "../../../src/documents/filter.ts";
import { filterSchema } from "../../../src/schemas/requests/filter-schema.ts";
import { parseJson } from "../../../src/support/files/json.ts";
import { smallDocuments, smallIndex } from "../contract/fixture.ts";
import { requireSame, type Target, textOf } from "../contract/target.ts";

const index = await smallIndex();
const documents = smallDocuments();

export const target: Target = {
  name: "filter",
  form: "json",
  longest: 1024,
  seeds: () =>
    [
      { year: { gte: 1910, lt: 1950 }, kind: "noun" },
      { or: [{ tags: "red" }, { not: { open: true } }, { "author.name": { in: ["Ada", null] } }] },
      { and: [{ year: { exists: false } }, { kind: { ne: "verb" } }], "\\not": null, "a.b": "dotted" },
      {},
    ].map((filter) => JSON.stringify(filter)),
  async run(bytes) {
    const filter = parseJson(textOf(bytes), "the filter") as Filter;
    filterSchema.safeParse(filter);
    const condition = checkFilter(filter);
    const wanted = documents.filter((document) => accepts(condition, document as never));
    const vector = [1, 1, 1, 1];
    const { hits } = await index.search({ text: "", vector }, { filter, k: 100, lambda: 1 });
    requireSame("hits", hits.map(({ id }) => id).sort(), wanted.map(({ id }) => id).sort());
  },
};
