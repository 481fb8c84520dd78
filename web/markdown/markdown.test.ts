import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, parseBlocks } from "./blocks.ts";
import { flatten } from "./flat.ts";
import { type Inline, parseInline } from "./inline.ts";
import { withMarks, withoutMarks } from "./marks.ts";

/** All text of inlines or blocks, in order. */
const textOf = (part: Inline | Block): string => {
  if (typeof part === "string") return part;
  switch (part.kind) {
    case "code":
      return part.text;
    case "quote":
      return part.blocks.map(textOf).join(" ");
    case "list":
      return part.items.flat().map(textOf).join(" ");
    case "table":
      return part.rows.flat(2).map(textOf).join(" ");
    case "rule":
      return "";
    default:
      return part.inside.map(textOf).join("");
  }
};

describe("a line", () => {
  test("has emphasis, code and links", () => {
    expect(parseInline("a **b *c* d** `*e*` ~~f~~ __g__")).toEqual([
      "a ",
      { kind: "strong", inside: ["b ", { kind: "em", inside: ["c"] }, " d"] },
      " ",
      { kind: "code", text: "*e*" },
      " ",
      { kind: "del", inside: ["f"] },
      " ",
      { kind: "strong", inside: ["g"] },
    ]);
    expect(parseInline('[a `b`](https://x.org/y_(z) "t") <https://x.org/> https://x.org/a.')).toEqual([
      { kind: "link", href: "https://x.org/y_(z)", inside: ["a ", { kind: "code", text: "b" }] },
      " ",
      { kind: "link", href: "https://x.org/", inside: ["https://x.org/"] },
      " ",
      { kind: "link", href: "https://x.org/a", inside: ["https://x.org/a"] },
      ".",
    ]);
    expect(parseInline("![a gate](gate.png)")).toEqual([
      { kind: "link", href: undefined, inside: ["a gate"] },
    ]);
  });

  test("leaves alone what is no Markdown", () => {
    for (const text of [
      "p_i and p_j, snake_case_name",
      "2 * 3 * 4",
      "*p < 0.05, ** p < 0.01",
      "<b onclick=alert(1)>bold</b> &lt;",
      "a[0](x y z)",
      "[not closed](",
      "**",
      "`",
      "what http is",
    ])
      expect(parseInline(text), text).toEqual([text]);
    expect(parseInline("\\*a\\* \\q")).toEqual(["*a* \\q"]);
  });

  test("links lead to the web only", () => {
    for (const target of [
      "javascript:alert(1)",
      "data:text/html,x",
      "../x",
      "//x.org",
      "file:///etc",
      "JaVaScript:x",
    ])
      expect(parseInline(`[a](${target})`)).toEqual([{ kind: "link", href: undefined, inside: ["a"] }]);
    expect(JSON.stringify(parseInline("<javascript:alert(1)>"))).not.toContain("link");
  });
});

describe("a text", () => {
  test("has headings, paragraphs, lists, quotes, code, tables and rules", () => {
    const text = [
      "# One",
      "two",
      "lines",
      "",
      "Under",
      "-----",
      "- a",
      "  more",
      "  1. b",
      "  2. c",
      "",
      "- d",
      "",
      "> q",
      "> - r",
      "",
      "```ts",
      "# code",
      "```",
      "| x | y\\|z |",
      "|---|:-:|",
      "| 1 | *2* |",
      "***",
    ].join("\n");
    expect(parseBlocks(text)).toEqual([
      { kind: "heading", level: 1, inside: ["One"] },
      { kind: "paragraph", inside: ["two\nlines"] },
      { kind: "heading", level: 2, inside: ["Under"] },
      {
        kind: "list",
        first: undefined,
        items: [
          [
            { kind: "paragraph", inside: ["a\nmore"] },
            {
              kind: "list",
              first: 1,
              items: [[{ kind: "paragraph", inside: ["b"] }], [{ kind: "paragraph", inside: ["c"] }]],
            },
          ],
          [{ kind: "paragraph", inside: ["d"] }],
        ],
      },
      {
        kind: "quote",
        blocks: [
          { kind: "paragraph", inside: ["q"] },
          { kind: "list", first: undefined, items: [[{ kind: "paragraph", inside: ["r"] }]] },
        ],
      },
      { kind: "code", text: "# code" },
      {
        kind: "table",
        rows: [
          [["x"], ["y|z"]],
          [["1"], [{ kind: "em", inside: ["2"] }]],
        ],
      },
      { kind: "rule" },
    ]);
  });

  const piece = fc.constantFrom(
    ...[
      "# ",
      "- ",
      "1. ",
      "> ",
      "```",
      "|",
      "---",
      "*",
      "**",
      "_",
      "`",
      "[",
      "](",
      ")",
      "!",
      "<",
      "\\",
      "\n",
      "  ",
    ],
    ...["word", "other", "https://x.org/", "\u{1f600}", "مرحبا"],
  );
  const words = (text: string) => text.match(/word|other|مرحبا/g) ?? [];

  test("keeps every word, in order, whatever surrounds it", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        // The target of a link, a table's rule and the language of code are not shown.
        const text = pieces
          .join("")
          .replaceAll("](", "] (")
          .replace(/(```+).*/g, "$1");
        const shown = parseBlocks(text).map(textOf).join("\n");
        expect(words(shown)).toEqual(words(text));
        expect(words(parseInline(flatten(text)).map(textOf).join(""))).toEqual(words(text));
      }),
    );
  });

  test("marks the words that it was told to mark", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const ranges = [...text.matchAll(/word/g)].map(({ index }) => [index, index + 4] as const);
        const marked = withMarks(text, ranges);
        expect(withoutMarks(marked)).toBe(text);
        expect(marked.match(/\ufdd0[^\ufdd1]*\ufdd1/g) ?? []).toEqual(ranges.map(() => "\ufdd0word\ufdd1"));
      }),
    );
    expect(
      withMarks("a\ufdd0b", [
        [2, 9],
        [0, 1],
        [0, 1],
      ]),
    ).toBe("\ufdd0a\ufdd1b");
  });

  test("hostile texts end", () => {
    for (const sign of ["*", "_", "[", "`", "> ", "- ", "![", "**a", "[](", "|\n|-|\n", "  - a\n"])
      expect(parseBlocks(sign.repeat(5000)).length).toBeGreaterThan(0);
  });
});

test("a part of a text becomes one line", () => {
  expect(flatten("cell |\n| `a` | `b\n[cut of")).toBe("cell `a` · b cut of");
  expect(
    flatten("## Gates\n\n- **a** gate\n> said\n```ts\ncode\n```\n| a | b |\n|---|---|\n[cut](https://x"),
  ).toBe("Gates **a** gate said code a · b cut");
});

describe("comments and what a snippet cuts off", () => {
  test("a comment is not shown, in a document or a line", () => {
    const text =
      "Before <!-- x --> it.\n\n<!-- generated -->\n\n<!-- of\n\nlines -->\nAfter.\n\n`<!-- code -->`\n\n<!-- open";
    expect(parseBlocks(text).map(textOf)).toEqual(["Before  it.", "After.", "<!-- code -->", "<!-- open"]);
    expect(flatten("Before <!-- of\nlines --> it `<!-- code -->` <!-- cut")).toBe(
      "Before it `<!-- code -->`",
    );
  });

  test.each([
    ["the best **one hit of each", "the best one hit of each"],
    ["of each** author and **more** here", "of each author and **more** here"],
    ["a **b** c", "a **b** c"],
    ["2 ** 3 is 8", "2 ** 3 is 8"],
    ["~~gone and __far", "gone and far"],
    ["tps://github.com/huggingface/safetensors) file", "file"],
    ["the file](https://x.org/a) of it", "the file of it"],
    ["gates) open", "gates) open"],
    ["see [the file](https://x.o", "see the file"],
  ])("%j becomes %j", (cut, whole) => {
    expect(flatten(cut)).toBe(whole);
  });
});
