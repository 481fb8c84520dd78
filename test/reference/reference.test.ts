// The generated parts of docs/reference are what the source says now.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { REFERENCE_PAGES, withGenerated } from "./reference-pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test.each(Object.entries(REFERENCE_PAGES))("%s is what npm run docs:reference writes", (page, parts) => {
  const text = readFileSync(join(root, page), "utf8");
  expect(text).toBe(withGenerated(text, parts));
});

test("a part without a marker, and a marker without a part, are errors", () => {
  const parts = { flags: () => "| --k |" };
  const marked = "a\n<!-- generated: flags -->\nold\n<!-- end of flags -->\nb\n";
  expect(withGenerated(marked, parts)).toBe(
    "a\n<!-- generated: flags -->\n\n| --k |\n\n<!-- end of flags -->\nb\n",
  );
  expect(() => withGenerated("a\n", parts)).toThrow("no marker for: flags");
  expect(() => withGenerated(marked, {})).toThrow('no part "flags"');
});
