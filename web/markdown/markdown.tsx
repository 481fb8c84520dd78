// Markdown → elements. Every text of a document is a text node: nothing in it is read as HTML. Words to mark come as ranges of the
// text.

import type { ComponentChildren } from "preact";
import type { Range } from "../text/range.ts";
import { visible } from "../text/visible.ts";
import { type Block, parseBlocks } from "./blocks.ts";
import { flatten } from "./flat.ts";
import { type Inline, parseInline } from "./inline.ts";
import { MARK_BEGINS, MARK_ENDS, withMarks } from "./marks.ts";

interface MarkdownProps {
  readonly text: string;
  readonly ranges?: readonly Range[] | undefined;
}

/** A whole text. The headings of the page around it are of level 2 and above. */
export function Markdown({ text, ranges }: MarkdownProps) {
  return <div class="markdown">{new Renderer().blocks(parseBlocks(withMarks(text, ranges)))}</div>;
}

/** A part of a text as one line. The element around it has `dir="auto"`. */
export function MarkdownLine({ text, ranges }: MarkdownProps) {
  return <span>{new Renderer().inlines(parseInline(flatten(withMarks(text, ranges))))}</span>;
}

/** Knows whether the text is within a mark: a mark may begin before emphasis and end within it. */
class Renderer {
  #isMarked = false;

  blocks(blocks: readonly Block[]): ComponentChildren[] {
    return blocks.map((block) => this.#block(block));
  }

  inlines(inlines: readonly Inline[]): ComponentChildren[] {
    return inlines.map((inline) => this.#inline(inline));
  }

  #block(block: Block): ComponentChildren {
    switch (block.kind) {
      case "heading": {
        const Heading = `h${Math.min(6, block.level + 2)}` as "h3";
        return <Heading dir="auto">{this.inlines(block.inside)}</Heading>;
      }
      case "paragraph":
        return <p dir="auto">{this.inlines(block.inside)}</p>;
      case "code":
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the arrow keys
          <pre tabIndex={0}>
            <code>{this.#marked(block.text)}</code>
          </pre>
        );
      case "quote":
        return <blockquote>{this.blocks(block.blocks)}</blockquote>;
      case "list": {
        const items = block.items.map((item) => <li dir="auto">{this.#item(item)}</li>);
        return block.first === undefined ? <ul>{items}</ul> : <ol start={block.first}>{items}</ol>;
      }
      case "table":
        return this.#table(block.rows);
      case "rule":
        return <hr />;
    }
  }

  /** The first paragraph of an item stands beside its sign. */
  #item([first, ...others]: readonly Block[]): ComponentChildren[] {
    if (!first) return [];
    const begin = first.kind === "paragraph" ? this.inlines(first.inside) : [this.#block(first)];
    return [...begin, ...this.blocks(others)];
  }

  #table([header, ...rows]: readonly (readonly (readonly Inline[])[])[]): ComponentChildren {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the arrow keys
      <section class="scroll" aria-label="Table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {header.map((cell) => (
                <td>{this.inlines(cell)}</td>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                {row.map((cell) => (
                  <td dir="auto">{this.inlines(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    );
  }

  #inline(inline: Inline): ComponentChildren {
    if (typeof inline === "string") return this.#marked(inline);
    if (inline.kind === "code") return <code>{this.#marked(inline.text)}</code>;
    const inside = this.inlines(inline.inside);
    switch (inline.kind) {
      case "strong":
        return <strong>{inside}</strong>;
      case "em":
        return <em>{inside}</em>;
      case "del":
        return <del>{inside}</del>;
      case "link":
        return inline.href === undefined ? (
          inside
        ) : (
          <a href={inline.href} rel="noopener noreferrer nofollow">
            {inside}
          </a>
        );
    }
  }

  #marked(text: string): ComponentChildren[] {
    return text.split(/([\ufdd0\ufdd1])/).map((part) => {
      if (part === MARK_BEGINS || part === MARK_ENDS) {
        this.#isMarked = part === MARK_BEGINS;
        return null;
      }
      return this.#isMarked && part !== "" ? <mark>{visible(part)}</mark> : visible(part);
    });
  }
}
