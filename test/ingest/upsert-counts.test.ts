// What an upsert says it did, and files that became empty.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FileDocument } from "../../src/documents/document.ts";
import { type EmptiedFile, hideEmptied } from "../../src/documents/emptied-file.ts";
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
  expect(await index.add(readFiles(join(folder, "a.md")))).toEqual({ added: 0 });
  await index.commit();
  expect(index.docs).toBe(4);
  expect(await index.upsert(readFiles(folder))).toEqual({ added: 1, replaced: 1, deleted: 3 });
  await index.commit();
  expect(await index.listIds()).toEqual(["docs/b.md#1"]);
  expect(await index.upsert(readFiles(folder))).toEqual({ added: 1, replaced: 1, deleted: 0 });
});

test("a generator around a file without words gives no document for it, and its passages stay", async () => {
  const folder = folderOf({ "a.md": PARTS.join("\n\n"), "b.md": PARTS[0] });
  async function* inEnglish() {
    for await (const one of readFiles(folder)) yield { ...one, lang: "en" } as FileDocument;
  }
  await using index = await Sluice.build(inEnglish(), { encoder: "none" });
  writeFileSync(join(folder, "a.md"), "\n \n");
  expect(await index.upsert(inEnglish(), { passages: true })).toEqual({ added: 1, replaced: 1, deleted: 0 });
  expect(await index.upsert(readFiles(folder), { passages: true })).toEqual({
    ...{ added: 1, replaced: 1, deleted: 3 },
  });
  await index.commit();
  expect(await index.listIds()).toEqual(["docs/b.md#1"]);
});

test("a file that was emptied, and has words when it is read again, keeps the new ones", async () => {
  const folder = folderOf({ "a.md": PARTS.join("\n\n") });
  await using index = await Sluice.build(readFiles(folder), { encoder: "none" });
  const again: FileDocument[] = [];
  for await (const one of readFiles(folder)) again.push(one);
  const stream = (...all: (FileDocument | EmptiedFile)[]) =>
    hideEmptied(
      (async function* () {
        yield* all;
      })(),
    );
  const emptied = { emptied: "docs/a.md" };
  expect(await index.upsert(stream(emptied, ...again.slice(0, 2)))).toEqual({
    ...{ added: 2, replaced: 3, deleted: 0 },
  });
  expect(await index.upsert(stream(...again, emptied))).toEqual({ ...{ added: 3, replaced: 2, deleted: 3 } });
  await index.commit();
  expect(index.docs).toBe(0);
});

test("a document may have a field emptied, and without an id it is refused", async () => {
  await using index = await Sluice.build([{ id: "a", emptied: "in 1919" }], { encoder: "none" });
  expect((await index.document("a")).emptied).toBe("in 1919");
  await expect(index.upsert([{ emptied: "a.md" } as never])).rejects.toMatchObject({
    problem: "document 1: no id; it must be a text",
  });
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
