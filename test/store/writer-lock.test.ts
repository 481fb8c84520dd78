// The lock of the one writer, taken without a change.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { IndexEncoder } from "../../src/open/index-encoder.ts";
import { Sluice } from "../../src/sluice.ts";

const fresh = () => join(mkdtempSync(join(tmpdir(), "sluice-writer-lock-")), "index");

test("lock keeps other writers out until close, and changes nothing", async () => {
  const folder = fresh();
  await (await Sluice.build([], { encoder: "none" })).save(folder);
  const first = await Sluice.open(folder, { encoder: "none" });
  const second = await Sluice.open(folder, { encoder: "none" });
  expect(first.hasLock).toBe(false);
  await first.lock();
  await first.lock();
  expect([first.hasLock, first.docs]).toEqual([true, 0]);
  await expect(second.lock()).rejects.toMatchObject({ code: "ERR_SLUICE_LOCKED" });
  await expect(second.add([{ id: "a" }])).rejects.toMatchObject({ code: "ERR_SLUICE_LOCKED" });
  expect(second.hasLock).toBe(false);
  await first.rollback();
  expect(first.hasLock).toBe(true);
  await first.close();
  expect(first.hasLock).toBe(false);
  await second.lock();
  await second.add([{ id: "a", text: "water" }]);
  await second.commit();
  expect(second.hasLock).toBe(true);
  await second.close();
  await expect(second.lock()).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
  await using reader = await Sluice.open(folder, { readOnly: true });
  await expect(reader.lock()).rejects.toMatchObject({ code: "ERR_SLUICE_READ_ONLY" });
  expect(reader.hasLock).toBe(false);
});

test("the lock is given back even if the encoder cannot be closed", async () => {
  const folder = fresh();
  const first = await Sluice.open(folder, { encoder: "none" });
  await first.add([{ id: "a", text: "water" }]);
  await first.commit();
  const failure = vi.spyOn(IndexEncoder.prototype, "close").mockRejectedValueOnce(new Error("no"));
  await expect(first.close()).rejects.toThrow("no");
  failure.mockRestore();
  await using second = await Sluice.open(folder, { encoder: "none" });
  await second.lock();
  expect(second.hasLock).toBe(true);
});

test("an index in memory takes the lock, too", async () => {
  await using index = await Sluice.build([], { encoder: "none" });
  await index.lock();
  expect(index.hasLock).toBe(true);
});

test("with create: false, a location without an index is refused, and left as it is", async () => {
  const folder = fresh();
  const refused = { code: "ERR_SLUICE_NO_INDEX" };
  await expect(Sluice.open(folder, { create: false })).rejects.toMatchObject(refused);
  const blank = await Sluice.open(folder, { encoder: "none" });
  await blank.lock(); // the files of an index without a commit are there
  await expect(Sluice.open(folder, { create: false })).rejects.toMatchObject(refused);
  await blank.add([{ id: "a", text: "water" }]);
  await blank.commit();
  await blank.close();
  await using index = await Sluice.open(folder, { create: false });
  expect(index.docs).toBe(1);
  await expect(Sluice.open(folder, { create: 1 as never })).rejects.toThrow("create must be");
});
