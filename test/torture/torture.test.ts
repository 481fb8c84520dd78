// A short torture test: one round of each kind, with fixed seeds. `npm run torture` goes on for as long as you like.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundleTests } from "../../scripts/bundle-tests.mjs";
import { clearLeftovers } from "../../src/support/files/write-folder.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { TortureChild } from "./child.ts";
import { DiskModel } from "./disk-model.ts";
import { Rounds, whyNoTrace } from "./rounds.ts";
import { newTally } from "./tally.ts";
import type { DiskAction } from "./trace.ts";
import { readTrace, tracedCommand } from "./trace.ts";

vi.setConfig({ testTimeout: 300_000 }); // starts and kills processes

const SIZE = { commits: 15, losses: 60, kills: 6, errors: 8 };
/** Power losses after each call of a process that replaces a folder. */
const LOSSES_A_CALL = 12;
const tally = newTally();
let programs = "";
let rounds: Rounds;

beforeAll(async () => {
  programs = await bundleTests("test/torture", [
    ...["worker", "reader-worker", "power-worker", "fault-worker", "replace-worker"],
  ]);
  rounds = new Rounds(programs, SIZE, tally);
}, 120_000);
afterAll(() => rmSync(programs, { recursive: true, force: true }));

test("power losses lose no commit, and leave nothing to repair", async ({ skip }) => {
  skip(whyNoTrace() !== undefined, whyNoTrace());
  expect(await rounds.power(1)).toEqual([]);
  expect(tally["power losses"]).toBe(SIZE.losses);
  expect(tally.commits).toBe(SIZE.commits);
});

test("killed writers and failing calls of LMDB lose no commit; a reader sees no wrong answer", async () => {
  const before = tally.kills + tally["failed calls"];
  expect(await rounds.kill(1, whyNoTrace() === undefined)).toEqual([]);
  expect(tally.kills + tally["failed calls"]).toBeGreaterThan(before);
});

test("failing calls of the file layer lose no commit", async () => {
  expect(await rounds.errors(1)).toEqual([]);
  expect(tally["failed calls"]).toBeGreaterThan(SIZE.errors / 2);
});

/** What is wrong with a folder that replace-worker.ts wrote, after content `acknowledged`; undefined if nothing is. */
function faultOfContent(folder: string, acknowledged: number): string | undefined {
  const contentOf = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : "missing";
  const [a, b] = [contentOf("a"), contentOf("deeper/b")];
  if (a !== b || a === "missing") return `a is ${a}, and b is ${b}`;
  return Number(a) < acknowledged ? `content ${a} is back` : undefined;
}

test("a power loss while a folder is replaced leaves the old one or the new one, whole", async ({ skip }) => {
  skip(whyNoTrace() !== undefined, whyNoTrace());
  const scratch = mkdtempSync(join(tmpdir(), "sluice-replaced-"));
  const [record, root] = [join(scratch, "record"), join(scratch, "disk")];
  mkdirSync(root);
  const program = [process.execPath, join(programs, "replace-worker.mjs"), join(root, "new", "folder")];
  const worker = new TortureChild(tracedCommand(record, program));
  await worker.ended;
  expect(worker.lines.at(-1)).toBe("done");
  const model = new DiskModel(root);
  const random = mulberry32(1);
  const faults = new Set<string>();
  for (const [position, call] of readTrace(readFileSync(record, "latin1"), root).entries()) {
    model.apply(call);
    const acknowledged = model.said.filter((line) => line.startsWith("ack")).length;
    for (let loss = 0; loss < LOSSES_A_CALL; loss++) {
      const place = join(scratch, `${position}-${loss}`);
      model.writeAfterLoss(place, random);
      const folder = join(place, "new", "folder");
      const where = `after call ${position} (${call.action.kind}), acknowledged ${acknowledged}`;
      // Between two renames it has another name. The next call gives it its own back.
      const found = existsSync(folder) && faultOfContent(folder, acknowledged);
      if (found) faults.add(`${where}: ${found}`);
      await clearLeftovers(folder);
      const left = acknowledged > 0 && faultOfContent(folder, acknowledged);
      if (left) faults.add(`${where}, after leftovers were cleared: ${left}`);
      rmSync(place, { recursive: true });
    }
  }
  rmSync(scratch, { recursive: true });
  expect([...faults]).toEqual([]);
});

/** The states that a power loss may leave of one file and of one folder. */
function statesAfter(actions: readonly DiskAction[]): Set<string> {
  const scratch = mkdtempSync(join(tmpdir(), "sluice-disk-model-"));
  const model = new DiskModel("/disk");
  for (const [at, action] of actions.entries()) model.apply({ began: at, ended: at, action });
  const found = new Set<string>();
  const random = mulberry32(1);
  for (let i = 0; i < 200; i++) {
    const target = join(scratch, String(i));
    model.writeAfterLoss(target, random);
    const files = readdirSync(target).map((name) => `${name}=${readFileSync(join(target, name), "latin1")}`);
    found.add(files.join(" "));
  }
  rmSync(scratch, { recursive: true });
  return found;
}

test("the model of the disk keeps what was synced, and may lose anything else", () => {
  const create: DiskAction = { kind: "create", path: "/disk/a", truncated: false, exists: false };
  const write = (text: string): DiskAction => ({
    kind: "write",
    path: "/disk/a",
    at: 0,
    bytes: Buffer.from(text),
    isSynced: false,
  });
  const [file, folder]: DiskAction[] = [
    { kind: "sync", path: "/disk/a" },
    { kind: "sync", path: "/disk" },
  ];
  expect(statesAfter([create, write("1"), file, folder])).toEqual(new Set(["a=1"]));
  expect(statesAfter([create, write("1"), file])).toEqual(new Set(["", "a=1"]));
  expect(statesAfter([create, folder, write("1")])).toEqual(new Set(["a=", "a=1"]));
  expect(statesAfter([create, folder, write("1"), file, write("2")])).toEqual(new Set(["a=1", "a=2"]));
  const synced = { ...write("2"), isSynced: true } as DiskAction;
  expect(statesAfter([create, folder, write("1"), synced])).toEqual(new Set(["a=2"]));
  // A copy has the bytes that the process sees, and is no safer than a write.
  const other: DiskAction = { ...create, path: "/disk/b" };
  const copy: DiskAction = { kind: "copy", path: "/disk/b", at: 0, from: "/disk/a", start: 0, length: 1 };
  const copied = statesAfter([create, write("1"), file, other, folder, copy]);
  expect(copied).toEqual(new Set(["a=1 b=", "a=1 b=1"]));
});

test("a torn write leaves old and new sectors, each whole", () => {
  const [old, fresh] = ["o".repeat(2048), "n".repeat(2048)].map((text) => Buffer.from(text));
  const write = { kind: "write", path: "/disk/a", at: 0, isSynced: false } as const;
  const states = statesAfter([
    { kind: "create", path: "/disk/a", truncated: false, exists: false },
    { ...write, bytes: old },
    { kind: "sync", path: "/disk/a" },
    { kind: "sync", path: "/disk" },
    { ...write, bytes: fresh },
  ]);
  expect(states.size).toBeGreaterThan(8);
  for (const state of states) expect(state).toMatch(/^a=(o{512}|n{512}){4}$/);
});

test("a record of calls is read: threads that interleave, offsets, synced descriptors", () => {
  const hex = (text: string) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16)}`).join("");
  const [path, bytes] = [hex("/disk/a"), hex("xy")];
  const record = [
    `7 openat(AT_FDCWD<${hex("/")}>, "${path}", O_RDWR|O_CREAT, 0664) = 5<${path}>`,
    `7 openat(AT_FDCWD<${hex("/")}>, "${path}", O_WRONLY|O_DSYNC) = 6<${path}>`,
    `7 pwrite64(5<${path}>, "${bytes}", 2, 4096 <unfinished ...>`,
    `8 fdatasync(5<${path}>) = 0`,
    "7 <... pwrite64 resumed>) = 2",
    `7 lseek(5<${path}>, 100, SEEK_SET) = 100`,
    `7 writev(5<${path}>, [{iov_base="${bytes}", iov_len=2}, {iov_base="${bytes}", iov_len=2}], 2) = 4`,
    `7 pwrite64(6<${path}>, "${bytes}", 2, 0) = 2`,
    `7 ftruncate(5<${path}>, 0) = -1 EIO (Input/output error)`,
    `7 write(1<${hex("pipe")}>, "${hex("ack 1\n")}", 6) = 6`,
    `7 unlink("${hex("/elsewhere/a")}") = 0`,
    `7 copy_file_range(5<${path}>, [64], 9<${hex("/disk/b")}>, NULL, 5000, 0) = 40`,
    `7 copy_file_range(5<${path}>, [104], 9<${hex("/disk/b")}>, NULL, 4960, 0) = 10`,
  ].join("\n");
  const write = { kind: "write", path: "/disk/a", isSynced: false };
  const copy = { kind: "copy", path: "/disk/b", from: "/disk/a" };
  expect(readTrace(record, "/disk")).toEqual([
    { began: 0, ended: 0, action: { kind: "create", path: "/disk/a", truncated: false, exists: false } },
    { began: 3, ended: 3, action: { kind: "sync", path: "/disk/a" } },
    { began: 2, ended: 4, action: { ...write, at: 4096, bytes: Buffer.from("xy") } },
    { began: 6, ended: 6, action: { ...write, at: 100, bytes: Buffer.from("xyxy") } },
    { began: 7, ended: 7, action: { ...write, at: 0, bytes: Buffer.from("xy"), isSynced: true } },
    { began: 9, ended: 9, action: { kind: "said", line: "ack 1" } },
    { began: 11, ended: 11, action: { ...copy, at: 0, start: 64, length: 40 } },
    { began: 12, ended: 12, action: { ...copy, at: 40, start: 104, length: 10 } },
  ]);
});
