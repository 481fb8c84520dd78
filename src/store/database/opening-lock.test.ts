import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockOpening } from "./opening-lock.ts";

describe("the lock for opening a database", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-opening-"));
    path = join(folder, "index.mdb");
    writeFileSync(path, "database");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("is held by one at a time", async () => {
    let holders = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const unlock = await lockOpening(path);
        most = Math.max(most, ++holders);
        await new Promise(setImmediate);
        holders--;
        unlock();
      }),
    );
    expect(most).toBe(1);
  });

  test("is that of the file that has the name now, not of one that was replaced", async () => {
    const unlockOld = await lockOpening(path);
    renameSync(path, join(folder, "old.mdb"));
    writeFileSync(path, "another database");
    const unlockNew = await lockOpening(path); // does not wait for the other file
    unlockNew();
    unlockOld();
  });

  test("is not needed where there is no file yet", async () => {
    const unlock = await lockOpening(join(folder, "missing.mdb"));
    unlock();
  });

  test.skipIf(process.getuid?.() === 0)("is not needed where LMDB may not write", async () => {
    chmodSync(path, 0o444);
    const [one, other] = [await lockOpening(path), await lockOpening(path)];
    one();
    other();
  });
});
