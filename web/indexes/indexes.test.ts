import fc from "fast-check";
import { expect, test } from "vitest";
import { NAME_PATTERN } from "../../src/schemas/indexes/index-schema.ts";
import { nameOfFile } from "./name-of-file.ts";

test("a file gives its name to an index", () => {
  expect(nameOfFile("books.csv")).toBe("books");
  expect(nameOfFile("My Books (2024).jsonl.gz")).toBe("My-Books-2024");
  expect(nameOfFile("Bücher.md")).toBe("Bu-cher");
  expect(nameOfFile("本.json")).toBe("documents");
});

test("every file gives a name that the server accepts", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (file) => {
      expect(nameOfFile(file)).toMatch(NAME_PATTERN);
    }),
  );
});
