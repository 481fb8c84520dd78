// Lines of Markdown or plain text → blocks, for cut-blocks.ts. It understands as much Markdown as cutting needs: front matter,
// headings, fenced code, tables, and blank lines between everything else. The text itself is not changed.

import type { Line } from "../support/files/lines.ts";
import type { Block, Frame } from "./cut-blocks.ts";

/** The fields at the top of a Markdown file: `key: value`, and lists of values. Deeper nesting is left out. */
export type FrontMatter = Record<string, unknown>;

/** The most lines of front matter. If it has not ended by then, the `---` at the top was a horizontal rule. */
const MOST_FRONT_LINES = 500;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const LIST_OR_TABLE = /^\s*(?:[-*+]\s|\d+[.)]\s|\|)/;

/** The blocks of a plain text: the paragraphs between blank lines. */
export async function* readTextBlocks(lines: AsyncIterable<Line> | Iterable<Line>): AsyncGenerator<Block> {
  const paragraph = new Paragraph(() => undefined);
  for await (const line of lines) {
    const isBlank = line.text.trim() === "";
    if (isBlank || paragraph.isLong) yield* paragraph.takeBlock([], { goesOn: !isBlank });
    if (!isBlank) paragraph.add(line);
  }
  yield* paragraph.takeBlock([]);
}

/** The blocks of a Markdown text, each with the headings above it. */
export async function* readMarkdownBlocks(
  lines: AsyncIterable<Line> | Iterable<Line>,
  onFrontMatter: (fields: FrontMatter) => void = () => {},
): AsyncGenerator<Block> {
  const paragraph = new Paragraph(frameOf);
  let headings: readonly { readonly level: number; readonly text: string }[] = [];
  let fence: string | undefined;
  const titles = () => headings.map(({ text }) => text);
  const under = (level: number, text: string) => [
    ...headings.filter((heading) => heading.level < level),
    ...(text === "" ? [] : [{ level, text }]),
  ];
  for await (const line of skipFrontMatter(lines, onFrontMatter)) {
    const { text } = line;
    if (fence !== undefined) {
      paragraph.add(line);
      const mark = FENCE.exec(text)?.[1];
      const closes = mark?.startsWith(fence) && text.trim() === mark;
      if (closes) fence = undefined;
      if (closes || paragraph.isLong)
        yield* paragraph.takeBlock(titles(), { kind: "lines", goesOn: !closes });
      continue;
    }
    const heading = HEADING.exec(text);
    const underline = paragraph.isEmpty ? null : UNDERLINE.exec(text);
    const opens = FENCE.exec(text)?.[1];
    if (underline) {
      headings = under(underline[1].startsWith("=") ? 1 : 2, stripMarkup(paragraph.dropText()));
    } else if (heading) {
      yield* paragraph.takeBlock(titles());
      headings = under(heading[1].length, stripMarkup(heading[2] ?? ""));
    } else if (opens) {
      yield* paragraph.takeBlock(titles());
      fence = opens;
      paragraph.add(line);
    } else if (text.trim() === "" || RULE.test(text)) {
      yield* paragraph.takeBlock(titles());
    } else {
      if (paragraph.isLong) yield* paragraph.takeBlock(titles(), { goesOn: true });
      paragraph.add(line);
    }
  }
  yield* paragraph.takeBlock(titles(), { kind: fence === undefined ? undefined : "lines" });
}

/** What fenced code and tables need in every passage; undefined for other blocks. */
function frameOf([{ text: first }, second]: readonly Line[]): Frame | undefined {
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined) return { before: [first.trimEnd()], after: fence };
  const isTable = first.includes("|") && second?.text.includes("|") && TABLE_RULE.test(second.text);
  return isTable ? { before: [first.trimEnd(), second.text.trimEnd()] } : undefined;
}

interface BlockOptions {
  readonly kind?: Block["kind"] | undefined;
  /** Whether the block is passed on because it is long, and has more lines. */
  readonly goesOn?: boolean;
}

/** Collects the lines of a paragraph. */
class Paragraph {
  readonly #frameOf: (lines: readonly Line[]) => Frame | undefined;
  #lines: Line[] = [];
  #characters = 0;
  /** The block before, if the next one continues it. */
  #last: Block | undefined;

  constructor(findFrame: (lines: readonly Line[]) => Frame | undefined) {
    this.#frameOf = findFrame;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Whether it is long enough to be passed on: a text without blank lines is passed on in pieces of 64 K characters. */
  get isLong(): boolean {
    return this.#characters > 1 << 16;
  }

  add(line: Line): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
  }

  /** Empties the paragraph, and returns its text. */
  dropText(): string {
    const text = this.#lines.map((line) => line.text.trimEnd()).join("\n");
    [this.#lines, this.#characters] = [[], 0];
    return text;
  }

  /** Empties the paragraph, and yields it as a block unless it is blank. */
  *takeBlock(headings: readonly string[], { kind, goesOn = false }: BlockOptions = {}): Generator<Block> {
    const last = this.#last;
    if (!goesOn) this.#last = undefined;
    if (this.isEmpty) return;
    const lines = this.#lines;
    const frame = last ? last.frame : this.#frameOf(lines);
    const isLines = last?.kind === "lines" || frame || LIST_OR_TABLE.test(lines[0].text.trimEnd());
    const text = this.dropText();
    if (text.trim() === "") return;
    const isContinued = last !== undefined;
    const block = { text, lines, headings, kind: kind ?? (isLines ? "lines" : "prose") } as const;
    this.#last = goesOn ? { ...block, frame, isContinued, goesOn } : undefined;
    yield { ...block, frame, isContinued, goesOn };
  }
}

/** All lines without the front matter, which goes to `found`. */
async function* skipFrontMatter(
  lines: AsyncIterable<Line> | Iterable<Line>,
  found: (fields: FrontMatter) => void,
): AsyncGenerator<Line> {
  let held: Line[] | undefined; // lines that may be front matter; undefined once that is known
  let isFirst = true;
  for await (const line of lines) {
    if (isFirst && line.text.trimEnd() === "---") held = [];
    if (held === undefined) yield line;
    else if (!isFirst && /^(?:---|\.\.\.)\s*$/.test(line.text)) {
      found(parseFrontMatter(held.slice(1).map(({ text }) => text)));
      held = undefined;
    } else if (held.push(line) > MOST_FRONT_LINES) {
      yield* held;
      held = undefined;
    }
    isFirst = false;
  }
  if (held) yield* held;
}

/** Parses the part of YAML that most front matter uses. Exported for its test. */
export function parseFrontMatter(lines: readonly string[]): FrontMatter {
  const fields = new Map<string, unknown>();
  let key: string | undefined; // whose value may follow as a list
  for (const line of lines) {
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
    const [, name, value] = /^([\w][\w .-]*?):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      const text = stripComment(value ?? "");
      key = text === "" ? name : undefined;
      if (text !== "" && !/^[|>&*{]/.test(text)) fields.set(name, parseValue(text));
    } else if (item !== undefined && key !== undefined && !/^[\w-]+:\s/.test(item)) {
      const list = (fields.get(key) as unknown[] | undefined) ?? [];
      fields.set(key, [...list, parseScalar(stripComment(item))]);
    } else if (line.trim() !== "" && !line.trimStart().startsWith("#")) key = undefined;
  }
  return Object.fromEntries(fields);
}

function parseValue(text: string): unknown {
  if (!text.startsWith("[") || !text.endsWith("]")) return parseScalar(text);
  const items = text.slice(1, -1).match(/\s*(?:"[^"]*"|'[^']*'|[^,]+)/g) ?? [];
  return items.map((item) => parseScalar(item.trim())).filter((item) => item !== "");
}

function parseScalar(text: string): string | number | boolean {
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(text);
  if (quoted) return (quoted[1] ?? quoted[2]).replaceAll('\\"', '"').replaceAll("''", "'");
  if (text === "true" || text === "false") return text === "true";
  return text !== "" && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

function stripComment(text: string): string {
  return (/^["'[]/.test(text) ? text : text.replace(/\s+#.*$/, "")).trim();
}

/** A heading as plain text: links become their text; stars, backticks and anchors are removed. */
function stripMarkup(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\{#[^}]*\}\s*$/, "")
    .replace(/[`*]|<[^>]+>/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
