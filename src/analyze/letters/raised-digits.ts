// Text → the same text with digits that are written below or above the line as plain digits: H₂O → H2O, x² → x2. Every character
// stays where it is, so words can be marked. It comes before a text is cut: Unicode's word boundaries end a word at such a digit.
//
// A digit above the line belongs to a word of at most three letters, such as a unit or a variable. After a longer word it is
// the mark of a footnote, and after a number it is an exponent: 10² is not 102.

const RAISED_OR_LOWERED = /[\xb2\xb3\xb9\u2070-\u2089]/;
const LOWERED = /(?<=[\p{L}\p{N}])[\u2080-\u2089]+/gu;
const RAISED = /(?<![\p{L}\p{N}])(\p{L}{1,3})([\xb2\xb3\xb9\u2070\u2074-\u2079]+)/gu;

/** The text with plain digits. */
export function lowerRaisedDigits(text: string): string {
  if (!RAISED_OR_LOWERED.test(text)) return text;
  return text
    .replace(LOWERED, (digits) => digits.normalize("NFKC"))
    .replace(RAISED, (_, word: string, digits: string) => word + digits.normalize("NFKC"));
}
