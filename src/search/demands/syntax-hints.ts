// The text of a query with operators → what other search engines would read in it and this one does not, and what to write instead.

import { QUOTES, type SyntaxFields } from "./syntax.ts";

const WORDS: Readonly<Record<string, string>> = {
  AND: "AND is a word like others; write +canal +lock to find documents that have both",
  OR: "OR is a word like others; leave it out, because a document needs only one of the words without operators",
  NOT: "NOT is a word like others; write -lock to find documents that do not have lock",
};
const SIGNS: Readonly<Record<string, string>> = {
  "&&": "&& means nothing; write +canal +lock to find documents that have both",
  "||": "|| means nothing; leave it out, because a document needs only one of the words without operators",
  "|": "| means nothing; leave it out, because a document needs only one of the words without operators",
};
const EXCLAMATION = "! means nothing; write -lock to find documents that do not have lock";
const WEIGHT = "^ means nothing; neither a word nor a phrase can be given a weight";
const TILDE = '~ means nothing after a word; set typos to correct words, or write "new york"~2';
const SLOP =
  '~ after a phrase takes a whole number: how far its words may be from their places, as in "new york"~2';
const STAR = "* means nothing in quotes; write can* without quotes to find words that begin with can";
const PARENTHESES = "parentheses group nothing; write + or - before each word";

/** What stands for a phrase while words are looked at. */
const PHRASE = '""';
const QUOTED = /"[^"]*(?:"|$)/gu;
const OPENS = /^[+-]?(?:[\p{L}_][\p{L}\p{N}_.-]*:)?\(/u;
const EXCLUDES = /^!\p{L}/u;
/** After `PHRASE`, which stands for a phrase. */
const WEIGHED = /(?:\p{L}|"")\^\d+(?:\.\d+)?$/u;
const FUZZY = /\p{L}~\d*$/u;
const NO_SLOP = /""~(?!\d+$)/u;
const STARRED = /\p{L}\*[\s"]/u;
const NO_BOUND = /^[+-]?([\p{L}_][\p{L}\p{N}_.-]*):((?:[<>]=?)|\.\.)$/u;

const ONE_LETTER = /^[+-]?(?:[\p{L}_][\p{L}\p{N}_.-]*:)?[\p{L}\p{N}]\*$/u;
const STARRED_VALUE = /^[+-]?([\p{L}_][\p{L}\p{N}_.-]*):[^\s"]+\*$/u;

/** What to write instead of operators that mean nothing here, each once. */
export function findSyntaxHints(query: string, { isField, isTextField }: SyntaxFields): string[] {
  const quoted = query.replace(QUOTES, '"');
  const isStarred = (quoted.match(QUOTED) ?? []).some((phrase) => STARRED.test(phrase));
  const words = quoted.replace(QUOTED, PHRASE).split(/\s+/u);
  const hints = words.flatMap((word) => {
    if (Object.hasOwn(WORDS, word)) return [WORDS[word]];
    if (Object.hasOwn(SIGNS, word)) return [SIGNS[word]];
    if (OPENS.test(word)) return [PARENTHESES];
    if (EXCLUDES.test(word)) return [EXCLAMATION];
    if (WEIGHED.test(word)) return [WEIGHT];
    if (FUZZY.test(word)) return [TILDE];
    if (NO_SLOP.test(word)) return [SLOP];
    const [, starred] = STARRED_VALUE.exec(word) ?? [];
    if (starred !== undefined && isField(starred) && !isTextField(starred))
      return [
        `${word} asks for a value that ends with *; ${starred}: takes whole values, not their beginnings`,
      ];
    if (ONE_LETTER.test(word)) return [`${word} has one letter before *; write at least two, as in ca*`];
    const [, field, sign] = NO_BOUND.exec(word) ?? [];
    if (field === undefined || !isField(field)) return [];
    const example = sign === ".." ? `${field}:1900..1950` : `${field}:${sign}1900`;
    return [`${word} has no value after it; write one, such as ${example}`];
  });
  return [...new Set(isStarred ? [...hints, STAR] : hints)];
}
