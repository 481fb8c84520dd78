// The text of a query with operators. Hits have what the query demands, by a plain look at each document.

import { parseSyntax } from "../../../src/search/demands/syntax.ts";
import { smallDocuments, smallIndex } from "../contract/fixture.ts";
import { type Target, textOf, WrongAnswer } from "../contract/target.ts";

const index = await smallIndex();
const documents = new Map(smallDocuments().map((document) => [document.id, document]));
const FIELDS = ["year", "kind", "author.name"];

export const target: Target = {
  name: "query-syntax",
  longest: 512,
  seeds: () => [
    '+water -gate "new york" lock',
    "+wat* -ga* lock",
    '"new york"~2 kind:noun -year:1910',
    'author.name:"Ada" sea -"water gate"',
  ],
  async run(bytes) {
    const text = textOf(bytes);
    const { must, mustNot } = parseSyntax(text, {
      isField: (name) => FIELDS.includes(name),
      isTextField: () => false,
    });
    const { hits } = await index.search(text, { syntax: true, k: 50, lambda: 0 });
    for (const { id } of hits) {
      const { title = "", text = "" } = documents.get(id)!;
      const words = `${title} ${text}`.split(" ");
      const has = (clause: unknown) =>
        typeof clause !== "string" || !/^[a-z]+$/.test(clause) || words.includes(clause);
      if (!must.every(has)) throw new WrongAnswer(`${id} lacks a word that it must have`);
      const hasPlain = (clause: unknown) =>
        typeof clause === "string" && /^[a-z]+$/.test(clause) && words.includes(clause);
      if (mustNot.some(hasPlain)) throw new WrongAnswer(`${id} has a word that it must not have`);
    }
  },
};
