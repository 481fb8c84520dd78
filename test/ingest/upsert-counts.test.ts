// What an upsert says it did, and files that became empty.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFiles } from "../../src/read/formats.ts";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

const PARTS = ["one", "two", "three"].map((word) => `# ${word}\n\nriver ${word}`);

function folderOf(files: Record<string, string>): string {
  const folder = join(mkdtempSync(join(tmpdir(), "sluice-upsert-")), "docs");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test("an upsert of files deletes the passages of those that became empty", async () => {
  const folder = folderOf({ "a.md": PARTS.join("\n\n"), "b.md": PARTS[0] });
  await using index = await Sluice.build(readFiles(folder), { encoder: "none" });
  writeFileSync(join(folder, "a.md"), "\n \n");
  expect(await index.add(readFiles(join(folder, "a.md")))).toBe(0);
  await index.commit();
  expect(index.docs).toBe(4);
  expect(await index.upsert(readFiles(folder))).toEqual({ added: 1, replaced: 1, deleted: 3 });
  await index.commit();
  expect(await index.listIds()).toEqual(["docs/b.md#1"]);
  expect(await index.upsert(readFiles(folder))).toEqual({ added: 1, replaced: 1, deleted: 0 });
});

test("a call that fails deletes nothing of a file that became empty", async () => {
  const folder = folderOf({ "a.md": PARTS[0], "b.jsonl": "" });
  await using index = await Sluice.build(readFiles(folder), { encoder: "none" });
  writeFileSync(join(folder, "a.md"), "");
  writeFileSync(join(folder, "z.md"), PARTS[1]);
  const files = readFiles(folder, {
    onRead: (name) => {
      if (name.endsWith("z.md")) throw new Error("no more");
    },
  });
  await expect(index.upsert(files)).rejects.toThrow("no more");
  await index.commit();
  expect(await index.listIds()).toEqual(["docs/a.md#1"]);
});

test("docs grows by what was added, less what was replaced and deleted", async () => {
  const random = mulberry32(5);
  const below = (most: number) => Math.floor(random() * most);
  const folder = mkdtempSync(join(tmpdir(), "sluice-upsert-counts-"));
  await using index = await Sluice.open(folder, { encoder: "none", bufferBytes: 3000 });
  for (let step = 0; step < 30; step++) {
    const before = index.docs;
    const documents = Array.from({ length: 1 + below(8) }, () => ({
      id: `d${below(6)}`,
      text: PARTS.slice(0, 1 + below(3)).join("\n\n"),
    }));
    const first = await index.upsert(documents, { passages: below(2) === 0 });
    const second = await index.upsert(documents.slice(1), { passages: below(2) === 0 });
    await index.commit();
    const grown = (counts: typeof first) => counts.added - counts.replaced - counts.deleted;
    expect(index.docs - before).toBe(grown(first) + grown(second));
  }
});
