// Some documents of an index → queries to try, and documents to look at. Titles make good queries: they name what is there.

import { type Fields, headingOf } from "../text/heading.ts";

export interface Example {
  readonly id: string;
  readonly document: Fields;
}

const MOST_EXAMPLES = 3;
/** Words of a query at most. */
const MOST_WORDS = 7;
/** Characters of a query at most. A longer word is nothing that anybody types. */
const MOST_LETTERS = 60;
/** Characters of a query at least; a shorter one is often a number or a code. */
const FEWEST_LETTERS = 4;

/** Examples that are far from each other, with different headings. Those with a text come first. */
export function chosenExamples(documents: readonly Example[]): Example[] {
  const readable = documents.filter(
    ({ document }) => typeof document.text === "string" && document.text !== "",
  );
  const some = readable.length >= MOST_EXAMPLES ? readable : documents;
  const headings = new Set<string>();
  const different = some.filter(({ id, document }) => {
    const heading = headingOf(id, document);
    return !headings.has(heading) && headings.add(heading);
  });
  const step = Math.max(1, Math.floor(different.length / MOST_EXAMPLES));
  return different.filter((_, i) => i % step === 0).slice(0, MOST_EXAMPLES);
}

/** A query for each example: the end of its title, or the beginning of its text. */
export function queriesOf(examples: readonly Example[]): string[] {
  const queries = examples.map(({ document: { title, text } }) => {
    const named = typeof title === "string" ? wordsOf(title.split(" › ").at(-1)!) : "";
    return named.length >= FEWEST_LETTERS ? named : wordsOf(typeof text === "string" ? text : "");
  });
  return [...new Set(queries)].filter((query) => query.length >= FEWEST_LETTERS);
}

/** The first words, without signs of Markdown and HTML, and punctuation. A sentence ends them. */
function wordsOf(text: string): string {
  const [sentence] = text.trim().split(/[.!?;]\s|\n/);
  const words = sentence
    .split(/[\s*_`#<>[\]()|"“”]+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && word.length <= MOST_LETTERS)
    .slice(0, MOST_WORDS);
  while (words.join(" ").length > MOST_LETTERS) words.pop();
  return words.join(" ").replace(/[.,:;!?]+$/, "");
}
