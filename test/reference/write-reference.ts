// Writes the generated parts of docs/reference: npm run docs:reference.

import { readFileSync, writeFileSync } from "node:fs";
import { REFERENCE_PAGES, withGenerated } from "./reference-pages.ts";

for (const [page, parts] of Object.entries(REFERENCE_PAGES)) {
  const before = readFileSync(page, "utf8");
  const after = withGenerated(before, parts);
  if (after !== before) writeFileSync(page, after);
  console.log(`${page}: ${after === before ? "as it was" : "written"}`);
}
