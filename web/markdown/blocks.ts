// Markdown → blocks: headings, paragraphs, lists, quotes, code, tables and rules. Text that is no Markdown becomes paragraphs.

import { type Inline, parseInline } from "./inline.ts";
import { withoutMarks } from "./marks.ts";

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inside: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly inside: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      readonly first: number | undefined;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: "rule" };

/** Lists and quotes within each other, at most. Deeper ones are text. */
const DEEPEST = 8;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const COMMENT = /^ {0,3}<!--/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])( +|$)/;
/** An item that may begin within a paragraph: another number may be the end of a sentence. */
const CLEAR_ITEM = /^ *(?:[-*+]|1[.)]) +\S/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

export function parseBlocks(text: string): Block[] {
  return blocksOf(text.split(/\r\n?|\n/), 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    const inside = parseInline(paragraph.join("\n"));
    if (inside.length > 0) blocks.push({ kind: "paragraph", inside });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const underline = paragraph.length === 1 && UNDERLINE.exec(line);
    if (underline) {
      const inside = parseInline(paragraph[0]);
      paragraph = [];
      blocks.push({ kind: "heading", level: underline[1][0] === "=" ? 1 : 2, inside });
      at++;
      continue;
    }
    const afterComment = endOfComment(lines, at);
    if (afterComment !== undefined) {
      endParagraph();
      at = afterComment;
      continue;
    }
    const block = line.trim() === "" ? undefined : blockAt(lines, at, depth, paragraph.length > 0);
    if (block) {
      endParagraph();
      blocks.push(block.block);
      at = block.end;
    } else {
      if (line.trim() === "") endParagraph();
      else paragraph.push(line.trim());
      at++;
    }
  }
  endParagraph();
  return blocks;
}

/** Where the text goes on after a comment of several lines that begins here; undefined if there is none. */
function endOfComment(lines: readonly string[], at: number): number | undefined {
  if (!COMMENT.test(lines[at]) || lines[at].includes("-->")) return undefined;
  const end = lines.findIndex((line, i) => i > at && line.includes("-->"));
  return end < 0 ? undefined : end + 1;
}

/** The block that begins at a line, unless it is a paragraph. */
function blockAt(
  lines: readonly string[],
  at: number,
  depth: number,
  isInParagraph: boolean,
): { readonly block: Block; readonly end: number } | undefined {
  const line = lines[at];
  const fence = FENCE.exec(withoutMarks(line));
  if (fence) {
    const end = endOf(lines, at + 1, (one) => !withoutMarks(one).trim().startsWith(fence[1]));
    return { block: { kind: "code", text: lines.slice(at + 1, end).join("\n") }, end: end + 1 };
  }
  const heading = HEADING.exec(line);
  if (heading) {
    const [, signs, text] = heading;
    const inside = parseInline(text.trimEnd().replace(/\s#+$/, ""));
    return { block: { kind: "heading", level: signs.length, inside }, end: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, end: at + 1 };
  if (isTable(lines, at)) {
    const end = endOf(lines, at + 2, (one) => one.includes("|"));
    const rows = [line, ...lines.slice(at + 2, end)].map((row) =>
      cellsOf(row).map((cell) => parseInline(cell)),
    );
    return { block: { kind: "table", rows }, end };
  }
  if (depth >= DEEPEST) return undefined;
  if (QUOTE.test(line)) {
    const end = endOf(lines, at, (one) => QUOTE.test(one));
    const inside = lines.slice(at, end).map((one) => one.replace(QUOTE, ""));
    return { block: { kind: "quote", blocks: blocksOf(inside, depth + 1) }, end };
  }
  return (isInParagraph ? CLEAR_ITEM : ITEM).test(line) ? listAt(lines, at, depth) : undefined;
}

/** A list goes on as long as its lines begin an item, or are indented below one. */
function listAt(lines: readonly string[], at: number, depth: number): { block: Block; end: number } {
  const [, , sign] = ITEM.exec(lines[at])!;
  const isNumbered = /\d/.test(sign);
  const items: string[][] = [];
  let [indent, end] = [0, at];
  for (; end < lines.length; end++) {
    const line = lines[end];
    const item = ITEM.exec(line);
    const spaces = /^ */.exec(line)![0].length;
    if (item && (items.length === 0 || spaces < indent)) {
      if (/\d/.test(item[2]) !== isNumbered) break;
      indent = item[0].length;
      items.push([line.slice(indent)]);
    } else if (line.trim() === "" ? isIndented(lines[end + 1], indent) : spaces >= Math.min(indent, 2)) {
      items.at(-1)!.push(line.slice(Math.min(spaces, indent)));
    } else if (line.trim() !== "" && lines[end - 1].trim() !== "" && !item && !startsBlock(line)) {
      items.at(-1)!.push(line); // the paragraph of an item goes on without indentation
    } else if (line.trim() !== "" || !ITEM.test(lines[end + 1] ?? "")) break;
  }
  const blocks = items.map((item) => blocksOf(item, depth + 1));
  return {
    block: { kind: "list", first: isNumbered ? Number.parseInt(sign, 10) : undefined, items: blocks },
    end,
  };
}

const startsBlock = (line: string) => [FENCE, HEADING, RULE, QUOTE].some((pattern) => pattern.test(line));
const isIndented = (line: string | undefined, indent: number) =>
  line !== undefined && line.trim() !== "" && line.startsWith(" ".repeat(Math.min(indent, 2)));

function isTable(lines: readonly string[], at: number): boolean {
  const rule = lines[at + 1] ?? "";
  return lines[at].includes("|") && rule.includes("|") && TABLE_RULE.test(rule);
}

/** A pipe after a backslash belongs to its cell. */
function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** The first line from `at` on that does not go on. */
function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  let end = at;
  while (end < lines.length && goesOn(lines[end])) end++;
  return end;
}
