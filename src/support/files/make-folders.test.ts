// Folders are made where they can be, and where they cannot, it is an error at once.

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolders } from "./make-folders.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-folders-"));
afterAll(() => rmSync(root, { recursive: true }));

test("what is missing is made, and the first new folder is returned", async () => {
  const folder = join(root, "a", "b", "c");
  expect(await makeFolders(folder)).toBe(join(root, "a"));
  expect(statSync(folder).isDirectory()).toBe(true);
  expect(await makeFolders(join(root, "a", "d"))).toBe(join(root, "a", "d"));
  expect(await makeFolders(folder)).toBeUndefined();
  expect(await makeFolders("/")).toBeUndefined();
  expect(await makeFolders(relative(process.cwd(), join(root, "e")))).toBe(join(root, "e"));
});

test("many calls at once make the same folders", async () => {
  const folder = join(root, "once", "more");
  await Promise.all(Array.from({ length: 20 }, () => makeFolders(folder)));
  expect(existsSync(folder)).toBe(true);
});

test("a file in the way is an error", async () => {
  writeFileSync(join(root, "file"), "");
  await expect(makeFolders(join(root, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolders(join(root, "file", "inside"))).rejects.toMatchObject({ code: "ENOTDIR" });
  mkdirSync(join(root, "folder"));
  expect(await makeFolders(join(root, "folder"))).toBeUndefined();
});

test.skipIf(!existsSync("/proc/self"))("a folder that takes no others is an error at once", async () => {
  for (const path of ["/proc/none", "/proc/none/deeper"])
    await expect(makeFolders(path)).rejects.toMatchObject({ code: "ENOENT" });
});
