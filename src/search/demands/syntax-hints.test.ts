import { expect, test } from "vitest";
import { findSyntaxHints } from "./syntax-hints.ts";

test.each<readonly [string, readonly RegExp[]]>([
  ["canal lock", []],
  ['"this AND that" and or not And f(x)', []],
  ["canal AND lock AND boat", [/^AND is a word.*\+canal \+lock/]],
  ["canal OR NOT lock", [/^OR is a word.*leave it out/, /^NOT is a word.*-lock/]],
  ["(canal lock) -(boat)", [/^parentheses group nothing/]],
  ["year:> canal", [/^year:> has no value.*year:>1900/]],
  ["-year:<=", [/^-year:<= has no value.*year:<=1900/]],
  ["year:..", [/year:1900\.\.1950/]],
  ["canal && lock || boat", [/^&& means nothing/, /^\|\| means nothing/]],
  ["!canal lock^2 boats~ boat~1", [/^! means nothing.*-lock/, /^\^ means nothing/, /^~ means nothing/]],
  ['"new york"~2 wow! 2^3 title:"new york"~10 -"a b"', []],
  ['"new york"^2', [/^\^ means nothing/]],
  ['"new york"~-1', [/^~ after a phrase takes a whole number/]],
  ["“new york”~1.5 canal", [/^~ after a phrase takes a whole number/]],
  ['"new yor*"', [/^\* means nothing in quotes/]],
  ['can* "5 * 3"', []],
  ["kind:(city)", [/^parentheses group nothing/]],
  ["canal | hotel", [/^\| means nothing.*leave it out/]],
  ["c* -c* canal", [/^c\* has one letter/, /^-c\* has one letter.*two, as in ca\*/]],
  ["year:19* -year:19*", [/^year:19\* asks for a value that ends with \*/, /^-year:19\* asks/]],
  ["title:can* other:can* ca*", []],
  ["other:> year:>1900 year:1900..", []],
])("%s", (query, expected) => {
  const hints = findSyntaxHints(query, {
    isField: (name) => ["year", "title"].includes(name),
    isTextField: (name) => name === "title",
  });
  expect(hints).toHaveLength(expected.length);
  for (const [i, pattern] of expected.entries()) expect(hints[i]).toMatch(pattern);
});
