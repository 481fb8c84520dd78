// A line of Markdown → emphasis, code, links and text. HTML stays text, and a link leads to a web address or nowhere.

import { isWebAddress } from "../text/web-address.ts";
import { withoutMarks } from "./marks.ts";

export type Inline =
  | string
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly inside: readonly Inline[] }
  /** Without an address it is only its text. */
  | { readonly kind: "link"; readonly href: string | undefined; readonly inside: readonly Inline[] };

/** Characters between the two signs of an emphasis or a link, at most. More: hostile texts take longer. */
const LONGEST = 1000;
/** Signs that are looked at to find the end of an emphasis, at most. */
const MOST_TRIES = 16;
/** Emphasis within emphasis, at most. */
const DEEPEST = 6;

const EMPHASES = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
] as const;
const PLAIN = /[^\\`*_~[!<h]+/y;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const ADDRESS = /https?:\/\/[^\s<>"'`]+/iy;
const LINK_TARGET = /\]\(\s*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y;
const WORD = /[\p{L}\p{N}]/u;

/** What was read, and where the text goes on. */
type Read = { readonly inline: Inline; readonly end: number } | undefined;

export function parseInline(text: string, depth = 0): Inline[] {
  const parts: Inline[] = [];
  const push = (part: Inline) => {
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else if (part !== "") parts.push(part);
  };
  for (let at = 0; at < text.length; ) {
    const plain = matchAt(PLAIN, text, at);
    if (plain) {
      push(plain[0]);
      at += plain[0].length;
      continue;
    }
    const read = readAt(text, at, depth) ?? { inline: text[at], end: at + 1 };
    push(read.inline);
    at = read.end;
  }
  return parts;
}

function readAt(text: string, at: number, depth: number): Read {
  switch (text[at]) {
    case "\\": {
      const escaped = matchAt(ESCAPED, text, at);
      return escaped && { inline: escaped[1], end: at + 2 };
    }
    case "`":
      return readCode(text, at);
    case "!":
      return text[at + 1] === "[" ? readLink(text, at + 1, depth) : undefined;
    case "[":
      return readLink(text, at, depth);
    case "<":
      return readComment(text, at) ?? readAddress(text, at + 1, ">");
    case "h":
      return at > 0 && WORD.test(text[at - 1]) ? undefined : readAddress(text, at, "");
    default:
      return readEmphasis(text, at, depth);
  }
}

/** A comment is not for readers. */
function readComment(text: string, at: number): Read {
  const end = text.startsWith("<!--", at) ? text.indexOf("-->", at + 4) : -1;
  return end < 0 ? undefined : { inline: "", end: end + 3 };
}

/** Code ends at as many backticks as it began with. */
function readCode(text: string, at: number): Read {
  const [ticks] = /^`+/.exec(text.slice(at, at + 20))!;
  const end = text.indexOf(ticks, at + ticks.length);
  if (end < 0 || end - at > LONGEST || text[end + ticks.length] === "`")
    return { inline: ticks, end: at + ticks.length };
  return {
    inline: { kind: "code", text: text.slice(at + ticks.length, end).replace(/^ (.*) $/s, "$1") },
    end: end + ticks.length,
  };
}

/** [text](address). A link to a place that is no web address, such as another file, is only its text. */
function readLink(text: string, at: number, depth: number): Read {
  if (depth >= DEEPEST) return undefined;
  let close = at + 1;
  for (let open = 1; open > 0; close++) {
    if (close >= text.length || close - at > LONGEST) return undefined;
    if (text[close] === "[") open++;
    if (text[close] === "]") open--;
  }
  const target = matchAt(LINK_TARGET, text, close - 1);
  if (!target) return undefined;
  const inside = parseInline(text.slice(at + 1, close - 1), depth + 1);
  const end = close - 1 + target[0].length;
  const address = withoutMarks(target[1]);
  return { inline: { kind: "link", href: isWebAddress(address) ? address : undefined, inside }, end };
}

/** An address without brackets ends before punctuation. */
function readAddress(text: string, at: number, closing: string): Read {
  const address = matchAt(ADDRESS, text, at)?.[0];
  if (address === undefined) return undefined;
  const shown = closing === "" ? address.replace(/[.,;:!?)\]}*_~]+$/, "") : address;
  const href = withoutMarks(shown);
  const end = at + shown.length;
  if (!text.startsWith(closing, end) || !isWebAddress(href)) return undefined;
  return { inline: { kind: "link", href, inside: [shown] }, end: end + closing.length };
}

/** Emphasis begins before a letter and ends after one; an underscore within a word, or a sign between spaces, is itself. */
function readEmphasis(text: string, at: number, depth: number): Read {
  const sign = EMPHASES.find(([one]) => text.startsWith(one, at));
  if (!sign) return undefined;
  const [token, kind] = sign;
  const from = at + token.length;
  const isInWord = at > 0 && WORD.test(text[at - 1]);
  const asText = { inline: token, end: from };
  if (depth >= DEEPEST || isSpace(text, from) || (isInWord && token[0] !== "*")) return asText;
  let end = from;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    end = text.indexOf(token, end + 1);
    if (end < 0 || end - from > LONGEST) break;
    const after = end + token.length;
    const isLonger = text[after] === token[0] || (token.length === 1 && text[end - 1] === token[0]);
    const endsInWord = after < text.length && WORD.test(text[after]);
    if (isSpace(text, end - 1) || isLonger || endsInWord || text[end - 1] === "\\") continue;
    return { inline: { kind, inside: parseInline(text.slice(from, end), depth + 1) }, end: after };
  }
  return asText;
}

const isSpace = (text: string, at: number) => at >= text.length || /\s/.test(text[at]);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
