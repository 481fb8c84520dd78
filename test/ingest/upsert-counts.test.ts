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

test("a generator that passes items on keeps what an upsert deletes", async () => {
  const folder = folderOf({ "a.md": PARTS.join("\n\n"), "b.md": PARTS[0] });
  async function* inEnglish() {
    for await (const one of readFiles(folder)) yield one.id === undefined ? one : { ...one, lang: "en" };
  }
  await using index = await Sluice.build(inEnglish(), { encoder: "none" });
  writeFileSync(join(folder, "a.md"), "\n \n");
  expect(await index.add([{ emptied: "docs/a.md" }])).toBe(0);
  expect(await index.upsert(inEnglish(), { passages: true })).toEqual({ added: 1, replaced: 1, deleted: 3 });
  await index.commit();
  expect(await index.listIds()).toEqual(["docs/b.md#1"]);
});

test("a file that was emptied, and has words when it is read again, keeps the new ones", async () => {
  const folder = folderOf({ "a.md": PARTS.join("\n\n") });
  await using index = await Sluice.build(readFiles(folder), { encoder: "none" });
  const again = [];
  for await (const one of readFiles(folder)) again.push(one);
  expect(await index.upsert([{ emptied: "docs/a.md" }, ...again.slice(0, 2)])).toEqual({
    ...{ added: 2, replaced: 3, deleted: 0 },
  });
  expect(await index.upsert([...again, { emptied: "docs/a.md" }])).toEqual({
    ...{ added: 3, replaced: 2, deleted: 3 },
  });
  await index.commit();
  expect(index.docs).toBe(0);
});

test("what says that a file was emptied has this one field", async () => {
  await using index = await Sluice.build([{ id: "a", emptied: "in 1919" }], { encoder: "none" });
  expect((await index.document("a")).emptied).toBe("in 1919");
  for (const wrong of [{ emptied: "a.md", lang: "en" }, { emptied: 5 }, { emptied: "" }])
    await expect(index.upsert([wrong as never])).rejects.toMatchObject({
      problem: "document 1: no id; it must be a text",
      hint: expect.stringContaining("is passed on without other fields"),
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
