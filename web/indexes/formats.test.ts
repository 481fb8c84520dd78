import { expect, test } from "vitest";
import { acceptedEndings, formatsText } from "./formats.ts";

test("a page offers what the server reads, and nothing else", () => {
  const formats = [
    { format: "json", endings: [".json"] },
    { format: "markdown", endings: [".md", ".markdown"] },
    { format: "text", endings: [".txt"] },
  ];
  expect(acceptedEndings(formats)).toBe(".json,.md,.markdown,.txt,.gz");
  expect(formatsText(formats)).toBe("JSON, Markdown or text");
  expect(formatsText([...formats, { format: "parquet", endings: [".parquet"] }])).toBe(
    "JSON, Markdown, text or Parquet",
  );
});
