// A part of a Markdown text, cut anywhere → one line of Markdown for a list of results. Signs of headings, lists, quotes, tables
// and code go; emphasis, links and the words stay.

const LINE_SIGNS = /^(?:\s*(?:#{1,6}\s|>|[-*+]\s|\d{1,9}[.)]\s))+/;
const NO_WORDS = /^[\s`~|:=*_-]*$/;
const FENCE = /^\s*(?:`{3,}|~{3,})\w*\s*$/;
/** A link whose end was cut off. */
const CUT_LINK = /!?\[([^\]]*)(?:\]\([^)\s]*)?$/;
/** The end of the target of a link whose beginning was cut off, and the end of a whole link. */
const CUT_TARGET = /^[^\s()[\]]*\/[^\s()[\]]*\)\s*/;
const CUT_TEXT = /^([^[\]]*)\]\([^)\s]*\)/;
/** A comment, which may be cut off. In code it is an example. */
const COMMENT = /(?<!`)<!--.*?(?:-->|$)/gs;
/** Signs of emphasis that come in pairs. One alone lost the other where the text was cut. */
const EMPHASES = ["**", "__", "~~"];
const ROW_END = /^\||\|$/;

export function flatten(text: string): string {
  const lines = text
    .replace(COMMENT, " ")
    .split(/\r\n?|\n/)
    .filter((line) => !NO_WORDS.test(line) && !FENCE.test(line))
    .map((line) => line.replace(LINE_SIGNS, "").trim())
    .map((line) => (ROW_END.test(line) ? line.replace(/^\||\|$/g, "").replaceAll("|", " · ") : line));
  const joined = lines.join(" ").replace(/\s+/g, " ").trim();
  const flat = EMPHASES.reduce(
    withoutLone,
    joined.replace(CUT_TARGET, "").replace(CUT_TEXT, "$1").replace(CUT_LINK, "$1").trim(),
  );
  const isCodeCut = flat.split("`").length % 2 === 0;
  return isCodeCut ? flat.replace(/`(?=[^`]*$)/, "") : flat;
}

/** The text without a sign of emphasis that has no partner: the first, if it ends an emphasis, or else the last. */
function withoutLone(text: string, sign: string): string {
  const parts = text.split(sign);
  if (parts.length % 2 === 1) return text;
  const endsFirst = /\S$/.test(parts[0]) && !/^\w/.test(parts[1]);
  const at = endsFirst ? 1 : parts.length - 1;
  const isEmphasis = endsFirst || /^\S/.test(parts[at]);
  if (!isEmphasis) return text;
  return parts.slice(0, at).join(sign) + parts.slice(at).join(sign);
}
