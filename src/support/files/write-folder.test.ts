// A folder is replaced as a whole, whatever earlier calls left beside it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFolder } from "./write-folder.ts";

test("an old folder that an earlier call of this process could not remove is removed by the next one", async () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-write-folder-"));
  const folder = join(root, "folder");
  const write = (content: string) =>
    writeFolder(
      folder,
      async () => true,
      async (inside) => {
        mkdirSync(inside);
        writeFileSync(join(inside, "a"), content);
      },
    );
  await write("1");
  const before = join(root, `folder.${process.pid}.tmp.before`);
  mkdirSync(before);
  writeFileSync(join(before, "a"), "0");
  await write("2");
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("2");
  expect(readdirSync(root)).toEqual(["folder"]);
});
