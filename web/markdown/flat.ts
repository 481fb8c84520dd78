// A part of a Markdown text, cut anywhere → one line of Markdown for a list of results. Signs of headings, lists, quotes, tables
// and code go; emphasis, links and the words stay.

const LINE_SIGNS = /^(?:\s*(?:#{1,6}\s|>|[-*+]\s|\d{1,9}[.)]\s))+/;
const NO_WORDS = /^[\s`~|:=*_-]*$/;
const FENCE = /^\s*(?:`{3,}|~{3,})\w*\s*$/;
/** A link whose end was cut off. */
const CUT_LINK = /!?\[([^\]]*)(?:\]\([^)\s]*)?$/;
const ROW_END = /^\||\|$/;

export function flatten(text: string): string {
  const lines = text
    .split(/\r\n?|\n/)
    .filter((line) => !NO_WORDS.test(line) && !FENCE.test(line))
    .map((line) => line.replace(LINE_SIGNS, "").trim())
    .map((line) => (ROW_END.test(line) ? line.replace(/^\||\|$/g, "").replaceAll("|", " · ") : line));
  const flat = lines.join(" ").replace(/\s+/g, " ").replace(CUT_LINK, "$1").trim();
  const isCodeCut = flat.split("`").length % 2 === 0;
  return isCodeCut ? flat.replace(/`(?=[^`]*$)/, "") : flat;
}
