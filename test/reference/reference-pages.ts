// The pages of docs/reference that are partly written by a program. A page has markers, and what stands between two of them
// is replaced:
//
//   <!-- generated: NAME -->
//   …
//   <!-- end of NAME -->

import { CLI_TABLES } from "./cli-tables.ts";
import { HTTP_TABLES } from "./http-tables.ts";

/** By page: what its markers may name. */
export const REFERENCE_PAGES = {
  "docs/reference/cli.md": CLI_TABLES,
  "docs/reference/http.md": HTTP_TABLES,
};

/** A page with all generated parts written again. Every part must have its marker, and every marker its part. */
export function withGenerated(page: string, parts: Readonly<Record<string, () => string>>): string {
  const missing = new Set(Object.keys(parts));
  const text = page.replaceAll(
    /<!-- generated: (.+) -->\n[\s\S]*?<!-- end of (.+) -->/g,
    (_, name: string, end: string) => {
      if (name !== end || !parts[name]) throw new Error(`no part "${name}", which ends as "${end}"`);
      missing.delete(name);
      return `<!-- generated: ${name} -->\n\n${parts[name]()}\n\n<!-- end of ${name} -->`;
    },
  );
  if (missing.size > 0) throw new Error(`the page has no marker for: ${[...missing].join(", ")}`);
  return text;
}
