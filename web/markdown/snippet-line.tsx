// A snippet as one line, with dots where the text that it is from goes on.

import type { HitAnswer } from "../../src/schemas/index.ts";
import { MarkdownLine } from "./markdown.tsx";

interface SnippetLineProps {
  readonly snippet: NonNullable<HitAnswer["snippets"]>[number];
  /** The text that it is a part of. */
  readonly whole: unknown;
}

export function SnippetLine({ snippet: { text, from, marks }, whole }: SnippetLineProps) {
  const end = typeof whole === "string" ? whole.length : 0;
  return (
    <>
      {from > 0 && "… "}
      <MarkdownLine text={text} ranges={marks} />
      {from + text.length < end && " …"}
    </>
  );
}
