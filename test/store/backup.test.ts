// Backups: consistent while the index changes, incremental, checked, and restored as they were.

import { spawnSync } from "node:child_process";
import {
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";
import { createTar } from "../../src/store/backup/tar.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-backup-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let at: (name: string) => string;
let run = 0;
beforeEach(() => {
  folder = join(root, String(++run));
  at = (name) => join(folder, name);
});

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `d${from + i}`,
    text: `gate number ${from + i}`,
    number: from + i,
  }));

async function made(docs: number, commits = 1): Promise<Sluice> {
  const index = await Sluice.open(at("index"), { encoder: "none" });
  for (let i = 0; i < commits; i++) {
    await index.add(numbered(i * docs, docs));
    await index.commit();
  }
  return index;
}

/** All documents of an index. */
async function contentOf(path: string) {
  const index = await Sluice.open(path, { readOnly: true });
  const ids = await index.listIds();
  const content = { ids, documents: await index.documents(ids), lambda: index.info().lambda };
  await index.close();
  return content;
}

async function tarFile(name: string): Promise<string> {
  const { content, bytes } = await createTar(at("copy"));
  await pipeline(content, createWriteStream(at(name)));
  expect(readFileSync(at(name)).length).toBe(bytes);
  return at(name);
}

test("a backup is an index with the same documents, and leaves uncommitted changes out", async () => {
  const index = await made(50, 3);
  await index.delete(["d1", "d77"]);
  await index.setLambda(0.25);
  await index.commit();
  await index.add([{ id: "pending", text: "x" }]);
  const backup = await index.backup(at("copy"));
  expect(backup).toMatchObject({ docs: 148, generation: index.info().generation });
  expect(await contentOf(at("copy"))).toEqual(await contentOf(at("index")));
  expect(await Sluice.verify(at("copy"))).toMatchObject({ problems: [] });
  await index.close();
});

test("only new segments are copied into an older backup", async () => {
  const index = await made(10, 1);
  expect(await index.backup(at("copy"))).toMatchObject({ segments: 1, copied: 1 });
  expect(await index.backup(at("copy"))).toMatchObject({ segments: 1, copied: 0 });
  await index.add(numbered(1000, 5));
  await index.commit();
  await index.idle();
  const { segments, copied } = await index.backup(at("copy"));
  expect([segments, copied]).toEqual([index.info().segments.length, index.info().segments.length - 1]);
  await index.optimize();
  expect(await index.backup(at("copy"))).toMatchObject({ segments: 1, copied: 1, docs: 15 });
  expect(readdirSync(at("copy/segments"))).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(["copy", "index"]);
  await index.close();
});

test("backups made while documents are added, merged and optimized are each one commit", async () => {
  const index = await made(20, 1);
  let isWriting = true;
  const write = async () => {
    for (let commit = 1; commit < 14; commit++) {
      await index.add(numbered(commit * 20, 20));
      await index.commit();
      if (commit % 5 === 0) await index.optimize();
    }
    isWriting = false;
  };
  const writing = write();
  const sizes: number[] = [];
  while (isWriting) {
    await index.backup(at("copy"));
    const { ids } = await contentOf(at("copy"));
    expect(ids.length % 20).toBe(0);
    expect(ids).toEqual(numbered(0, ids.length).map(({ id }) => id));
    sizes.push(ids.length);
  }
  await writing;
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  await index.close();
});

test("a backup that was copied in part is named, with what it lacks", async () => {
  const index = await made(30, 1);
  await index.backup(at("copy"));
  const [{ name }] = index.info().segments;
  rmSync(at(`copy/segments/${name}.sluice`));
  const missing = {
    code: "ERR_SLUICE_DAMAGED",
    problem: `${at(`copy/segments/${name}.sluice`)}: the file is missing, but the last commit names it`,
  };
  await expect(Sluice.restore(at("copy"), at("restored"))).rejects.toMatchObject(missing);
  expect(readdirSync(folder).sort()).toEqual(["copy", "index"]);
  await index.close();
});

test("a damaged index gives no backup, and the older one stays", async () => {
  const index = await made(30, 1);
  await index.backup(at("copy"));
  const before = await contentOf(at("copy"));
  await index.add(numbered(500, 30));
  await index.commit();
  await index.idle();
  const newest = index.info().segments.at(-1)!.name;
  await index.close();
  const path = at(`index/segments/${newest}.sluice`);
  const bytes = readFileSync(path);
  bytes[bytes.length - 9] ^= 1;
  writeFileSync(path, bytes);
  const damaged = await Sluice.open(at("index"), { readOnly: true });
  await expect(damaged.backup(at("copy"))).rejects.toMatchObject({ code: "ERR_SLUICE_DAMAGED" });
  await damaged.close();
  expect(await contentOf(at("copy"))).toEqual(before);
  expect(readdirSync(folder).sort()).toEqual(["copy", "index"]);
});

test("a backup is restored neither onto itself nor into itself", async () => {
  const index = await made(5);
  await index.backup(at("copy"));
  await index.close();
  const restore = (folder: string) => Sluice.restore(at("copy"), at(folder), { overwrite: true });
  await expect(restore("copy")).rejects.toThrow("is the backup itself");
  await expect(restore("copy/x")).rejects.toThrow("is inside the backup");
  expect(readdirSync(at("copy"))).toContain("backup.json");
});

test("a restore replaces the folder that a link leads to, and keeps the link", async () => {
  const index = await made(5);
  await index.backup(at("copy"));
  await index.add([{ id: "later", text: "x" }]);
  await index.commit();
  await index.close();
  symlinkSync(at("index"), at("link"));
  await Sluice.restore(at("copy"), at("link"), { overwrite: true });
  expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
  expect(await contentOf(at("index"))).toEqual(await contentOf(at("copy")));
});

test("a backup replaces older backups only, and needs files", async () => {
  const index = await made(5);
  const other = await Sluice.open(at("other"), { encoder: "none" });
  await other.commit();
  await expect(index.backup(at("other"))).rejects.toThrow("holds something else");
  await expect(index.backup(at("index"))).rejects.toThrow("is the index itself");
  await expect(index.backup(at("index/sub"))).rejects.toThrow("is inside the index");
  symlinkSync(at("index"), at("link"));
  await expect(index.backup(at("link/a/b"))).rejects.toThrow("is inside the index");
  await index.backup(at("index-2"));
  await expect(index.backup("")).rejects.toThrow("the folder of a backup");
  const memory = await Sluice.build(numbered(0, 3), { encoder: "none" });
  await expect(memory.backup(at("memory"))).rejects.toThrow("only an index in a folder");
  await other.close();
  await index.close();
  await expect(index.backup(at("copy"))).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
  expect(existsSync(at("copy"))).toBe(false);
});

test.skipIf(!existsSync("/proc/self"))(
  "where no folder can be made, every copy is an error at once",
  async () => {
    const index = await made(5);
    const memory = await Sluice.build(numbered(0, 3), { encoder: "none" });
    const refused = { code: "ERR_SLUICE_FILE", message: expect.stringContaining("/proc/sluice") };
    await index.backup(at("copy"));
    for (const write of [
      () => index.backup("/proc/sluice"),
      () => index.backup("/proc/sluice/deeper"),
      () => memory.save("/proc/sluice"),
      () => index.exportWeb("/proc/sluice"),
      () => Sluice.restore(at("copy"), "/proc/sluice"),
    ])
      await expect(write()).rejects.toMatchObject(refused);
    await index.close();
  },
);

test("a folder and a tar file are restored to the same index, which can be changed", async () => {
  const index = await made(40, 2);
  await index.backup(at("copy"));
  const before = await contentOf(at("index"));
  await index.close();
  const tar = await tarFile("copy.tar");
  for (const [source, target] of [
    [at("copy"), at("from-folder")],
    [tar, at("from-tar")],
  ]) {
    expect(await Sluice.restore(source, target)).toMatchObject({
      docs: 80,
      generation: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(await contentOf(target)).toEqual(before);
    await expect(Sluice.restore(source, target)).rejects.toMatchObject({ code: "ERR_SLUICE_INDEX_EXISTS" });
    const restored = await Sluice.open(target);
    await restored.add([{ id: "more", text: "gate" }]);
    await restored.commit();
    expect(restored.docs).toBe(81);
    await restored.close();
    await Sluice.restore(source, target, { overwrite: true });
    expect(await contentOf(target)).toEqual(before);
    expect(readdirSync(target).sort()).toEqual(expect.arrayContaining(["index.mdb", "segments"]));
    expect(existsSync(join(target, "backup.json"))).toBe(false);
  }
});

test("an index that is written to is not replaced by a backup, and its writer goes on", async () => {
  const writer = await made(5);
  await writer.backup(at("copy"));
  await writer.add(numbered(5, 1));
  const overwrite = () => Sluice.restore(at("copy"), at("index"), { overwrite: true });
  await expect(overwrite()).rejects.toMatchObject({ code: "ERR_SLUICE_LOCKED" });
  await writer.commit();
  expect(writer.docs).toBe(6);
  await writer.close();
  let tried: Promise<unknown> | undefined;
  const onProgress = () => {
    tried ??= made(1).catch((error) => error);
  };
  await Sluice.restore(at("copy"), at("index"), { overwrite: true, onProgress });
  expect(await tried).toMatchObject({ code: expect.stringMatching(/^ERR_SLUICE_(LOCKED|FILE)$/) });
  expect((await contentOf(at("index"))).ids).toHaveLength(5);
  expect(existsSync(at("index/writer.lock"))).toBe(false);
});

test("copies into one folder at the same time are made one after another", async () => {
  const index = await made(5);
  const four = <T>(copy: () => Promise<T>) => Promise.all([copy(), copy(), copy(), copy()]);
  mkdirSync(at("real"));
  symlinkSync(at("real"), at("linked"));
  const backups = await four(() => index.backup(at("copy")));
  expect(backups.map(({ docs }) => docs)).toEqual([5, 5, 5, 5]);
  // The one that comes first copies the segment, whichever it is.
  expect(backups.map(({ copied }) => copied).sort()).toEqual([0, 0, 0, 1]);
  await Promise.all([index.backup(at("real/copy")), index.backup(at("linked/copy"))]);
  for (const { docs } of await four(() => index.exportWeb(at("export")))) expect(docs).toBe(5);
  await four(() => Sluice.restore(at("copy"), at("restored"), { overwrite: true }));
  await index.close();
  for (const name of ["copy", "real/copy", "restored"])
    expect(await Sluice.verify(at(name))).toMatchObject({ docs: 5, problems: [] });
  expect(readdirSync(folder).sort()).toEqual(["copy", "export", "index", "linked", "real", "restored"]);
  expect(readdirSync(at("real"))).toEqual(["copy"]);
});

test("of copies into one new folder at the same time, one is kept and the others are refused", async () => {
  const index = await made(5);
  await index.backup(at("copy"));
  await index.close();
  const memory = await Sluice.build(numbered(0, 5), { encoder: "none" });
  for (const copy of [
    () => Sluice.restore(at("copy"), at("new")),
    () => memory.save(at("new")),
    () => Sluice.repair(at("copy"), at("new")),
  ]) {
    const results = await Promise.allSettled([copy(), copy(), copy()]);
    const codes = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(codes).toHaveLength(2);
    for (const code of codes) expect(code).toMatch(/^ERR_SLUICE_(LOCKED|INDEX_EXISTS)$/);
    expect(await Sluice.verify(at("new"))).toMatchObject({ docs: 5, problems: [] });
    rmSync(at("new"), { recursive: true });
  }
});

test("a path can be opened again although handles of an index that was there before are open", async () => {
  const index = await made(5);
  await index.backup(at("copy"));
  await index.close();
  const old = await Sluice.open(at("index"));
  await Sluice.restore(at("copy"), at("index"), { overwrite: true });
  const restored = await Sluice.open(at("index"));
  await restored.add(numbered(5, 1));
  await restored.commit();
  expect(old.docs).toBe(5);
  expect((await old.search("gate")).hits).toHaveLength(5);
  const replaced = { code: "ERR_SLUICE_FILE", message: expect.stringContaining("open the index again") };
  await expect(old.refresh()).rejects.toMatchObject(replaced);
  await expect(old.checkFiles()).rejects.toMatchObject(replaced);
  await restored.close();
  await expect(old.add(numbered(9, 1))).rejects.toMatchObject(replaced);
  await Sluice.drop(at("index"));
  await expect(old.refresh()).rejects.toMatchObject(replaced);
  await expect(Sluice.open(at("index"), { readOnly: true })).rejects.toMatchObject({
    code: "ERR_SLUICE_NO_INDEX",
  });
  const again = await made(3);
  await old.close();
  const shared = await Sluice.open(at("index"));
  expect(shared.docs).toBe(3);
  await again.add(numbered(3, 1));
  await again.commit();
  expect(await shared.refresh()).toBe(true);
  await Promise.all([shared.close(), again.close()]);
});

test("what a killed backup or restore left goes with the next one", async () => {
  const index = await made(5);
  const gone = 2 ** 22 + 1; // no process has so large an id
  const leave = (name: string) => {
    mkdirSync(at(`${name}.${gone}.tmp`));
    writeFileSync(at(`${name}.${gone}.tmp/index.mdb`), "half");
  };
  leave("copy");
  await index.backup(at("copy"));
  await index.close();
  leave("restored");
  await Sluice.restore(at("copy"), at("restored"));
  leave("restored");
  await expect(Sluice.restore(at("copy"), at("restored"))).rejects.toThrow("already holds an index");
  // Killed while it replaced the older index: that comes back first, and is not replaced without a word.
  renameSync(at("restored"), at(`restored.${gone}.tmp.before`));
  await expect(Sluice.restore(at("copy"), at("restored"))).rejects.toThrow("already holds an index");
  leave("restored");
  await Sluice.restore(at("copy"), at("restored"), { overwrite: true });
  expect(readdirSync(folder).sort()).toEqual(["copy", "index", "restored"]);
});

test("the system's tar lists the same files", async (context) => {
  const index = await made(5);
  await index.backup(at("copy"));
  await index.close();
  const { status, stdout, error } = spawnSync("tar", ["-tf", await tarFile("copy.tar")], {
    encoding: "utf8",
  });
  if (error) return context.skip("there is no tar");
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "index.mdb",
    expect.stringMatching(/^segments\/[\w-]+\.sluice$/),
  ]);
});

test("a tar file that is cut, changed or made of other names is refused, and leaves nothing", async () => {
  const index = await made(20);
  await index.backup(at("copy"));
  await index.close();
  const whole = readFileSync(await tarFile("whole.tar"));
  const before = await contentOf(at("copy"));
  const random = mulberry32(7);
  const refused = async (bytes: Uint8Array) => {
    writeFileSync(at("bad.tar"), bytes);
    const error = await Sluice.restore(at("bad.tar"), at("restored")).catch((error) => error);
    if (error instanceof Error) {
      expect(error).toMatchObject({ name: "SluiceError", code: "ERR_SLUICE_DAMAGED" });
      expect(existsSync(at("restored"))).toBe(false);
      return true;
    }
    // Bytes that nothing reads may differ: padding, free space of a page.
    expect(await contentOf(at("restored"))).toEqual(before);
    rmSync(at("restored"), { recursive: true });
    return false;
  };
  for (let i = 0; i < 8; i++) {
    expect(await refused(whole.subarray(0, Math.floor(random() * (whole.length - 1024))))).toBe(true);
  }
  let found = 0;
  for (let i = 0; i < 12; i++) {
    const flipped = Uint8Array.from(whole);
    // Every other time in the segment: most of a small database is free space.
    const start = i % 2 === 0 ? 0 : whole.indexOf("segments/");
    flipped[start + Math.floor(random() * (whole.length - start))] ^= 1 << Math.floor(random() * 8);
    found += Number(await refused(flipped));
  }
  expect(found).toBeGreaterThan(0);
  for (const name of ["../escaped", "/etc/x", "segments/../../x.sluice", "lock"]) {
    const renamed = Buffer.from(whole);
    renamed.fill(0, 0, 100);
    renamed.write(name, 0);
    const sum = renamed.subarray(0, 512).reduce((a, byte, i) => a + (i >= 148 && i < 156 ? 32 : byte), 0);
    renamed.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    expect([name, await refused(renamed)]).toEqual([name, true]);
  }
  expect(await refused(Buffer.from("not a tar file"))).toBe(true);
  expect(existsSync(join(folder, "..", "escaped"))).toBe(false);
});
