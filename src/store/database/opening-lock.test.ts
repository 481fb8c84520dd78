import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadTryLock } from "./file-lock.ts";
import { lockOpening } from "./opening-lock.ts";

/** Whether somebody has a lock on a part of the file. */
async function isHeld(path: string): Promise<boolean> {
  const tryLock = await loadTryLock();
  const fd = openSync(path, "r+");
  try {
    return !tryLock(fd);
  } finally {
    closeSync(fd);
  }
}

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
    const old = join(folder, "old.mdb");
    const unlockOld = await lockOpening(path);
    renameSync(path, old);
    writeFileSync(path, "another database");
    const unlockNew = await lockOpening(path); // does not wait for the other file
    expect([await isHeld(old), await isHeld(path)]).toEqual([true, true]);
    unlockNew();
    expect([await isHeld(old), await isHeld(path)]).toEqual([true, false]);
    unlockOld();
    expect(await isHeld(old)).toBe(false);
  });

  test("is not needed where there is no file yet", async () => {
    const missing = join(folder, "missing.mdb");
    const both = await Promise.all([lockOpening(missing), lockOpening(missing)]); // neither waits for the other
    expect(existsSync(missing)).toBe(false);
    for (const unlock of both) unlock();
  });

  test.skipIf(process.getuid?.() === 0)("is not needed where LMDB may not write", async () => {
    chmodSync(path, 0o444);
    const both = await Promise.all([lockOpening(path), lockOpening(path)]); // neither waits for the other
    expect(readFileSync(path, "utf8")).toBe("database");
    for (const unlock of both) unlock();
  });
});
