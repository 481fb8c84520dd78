// SECURITY.md names the test of each promise. This checks that those tests exist.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (name: string) => readFileSync(join(root, name), "utf8");

/** The rows of all tables whose last column is "test". */
function promises(): { promise: string; proof: string }[] {
  const rows: { promise: string; proof: string }[] = [];
  let isProved = false;
  for (const line of read("SECURITY.md").split("\n")) {
    if (!line.startsWith("|")) {
      isProved = false;
      continue;
    }
    const cells = line.split("|").map((cell) => cell.trim());
    const [, promise, proof] = cells;
    if (proof === "test") isProved = true;
    else if (isProved && !/^-+$/.test(proof)) rows.push({ promise, proof });
  }
  return rows;
}

test("there are promises about clients, pages, documents, folders, models and logs", () => {
  expect(promises().length).toBeGreaterThan(35);
  const headings = [...read("SECURITY.md").matchAll(/^###? (.+)$/gm)].map(([, heading]) => heading);
  for (const about of [/without a key/, /with a key/, /another site/, /document/, /folder/, /model/, /logs/])
    expect(headings.some((heading) => about.test(heading))).toBe(true);
});

test.each(promises())("a test shows: $promise", ({ proof }) => {
  const [, file = "", name = ""] = /^`([\w./-]+\.test\.ts)` "(.+)"$/.exec(proof) ?? [];
  expect(file, `expected \`FILE\` "NAME", found ${proof}`).not.toBe("");
  // The name is the first argument of a test, as it is written.
  const calls = [
    ...read(file).matchAll(/\btest(?:\.each\([\s\S]*?\)|\.skipIf\([^)]*\))?\(\s*"((?:[^"\\]|\\.)*)"/g),
  ];
  expect(calls.map(([, title]) => title)).toContain(name);
});
