// The text of a query with operators → what other search engines would read in it and this one does not, and what to write instead.

import { QUOTES, type SyntaxFields } from "./syntax.ts";

const WORDS: Readonly<Record<string, string>> = {
  AND: "AND is a word like others; write +canal +lock to find documents that have both",
  OR: "OR is a word like others; leave it out, because a document needs only one of the words without operators",
  NOT: "NOT is a word like others; write -lock to find documents that do not have lock",
};
const PARENTHESES = "parentheses group nothing; write + or - before each word";

const QUOTED = /"[^"]*(?:"|$)/gu;
const OPENS = /^[+-]?\(/u;
const NO_BOUND = /^[+-]?([\p{L}_][\p{L}\p{N}_.-]*):((?:[<>]=?)|\.\.)$/u;

/** What to write instead of operators that mean nothing here, each once. */
export function findSyntaxHints(query: string, { isField }: Pick<SyntaxFields, "isField">): string[] {
  const words = query.replace(QUOTES, '"').replace(QUOTED, " ").split(/\s+/u);
  const hints = words.flatMap((word) => {
    if (Object.hasOwn(WORDS, word)) return [WORDS[word]];
    if (OPENS.test(word)) return [PARENTHESES];
    const [, field, sign] = NO_BOUND.exec(word) ?? [];
    if (field === undefined || !isField(field)) return [];
    const example = sign === ".." ? `${field}:1900..1950` : `${field}:${sign}1900`;
    return [`${word} has no value after it; write one, such as ${example}`];
  });
  return [...new Set(hints)];
}
