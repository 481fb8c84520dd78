// An index is dropped whole or not at all, and nothing else is touched.

import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-drop-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let run = 0;
beforeEach(() => {
  folder = join(root, String(++run), "index");
});

async function made(path = folder): Promise<void> {
  const index = await Sluice.open(path, { encoder: "none" });
  await index.add([{ id: "a", text: "water" }]);
  await index.commit();
  await index.close();
}

test("an index is gone with its folder, and another can be made there", async () => {
  await made();
  await Sluice.drop(folder);
  expect(readdirSync(join(folder, ".."))).toEqual([]);
  expect(await Sluice.exists(folder)).toBe(false);
  await made();
  expect(await Sluice.exists(folder)).toBe(true);
});

test("what is no index is refused with a code, and stays", async () => {
  const refused = { code: "ERR_SLUICE_NO_INDEX" };
  await expect(Sluice.drop(folder)).rejects.toMatchObject(refused);
  mkdirSync(folder, { recursive: true });
  await expect(Sluice.drop(folder)).rejects.toMatchObject(refused);
  writeFileSync(join(folder, "notes.txt"), "mine");
  await expect(Sluice.drop(folder)).rejects.toMatchObject(refused);
  await expect(Sluice.drop(join(folder, "notes.txt"))).rejects.toMatchObject(refused);
  expect(readdirSync(folder)).toEqual(["notes.txt"]);
  // @ts-expect-error a location is a text
  await expect(Sluice.drop(7)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID" });
});

test.each(["notes.txt", "segments/notes.txt"])("a folder that also holds %s stays as it is", async (name) => {
  await made();
  writeFileSync(join(folder, name), "mine");
  await expect(Sluice.drop(folder)).rejects.toMatchObject({
    code: "ERR_SLUICE_FILE",
    message: expect.stringContaining(`such as ${join(name)}`),
  });
  expect(await Sluice.verify(folder)).toMatchObject({ docs: 1, problems: [] });
  expect(existsSync(join(folder, "writer.lock"))).toBe(false);
});

test("an index that is written to is not dropped; one that is only read is, and its reader goes on", async () => {
  await made();
  const writer = await Sluice.open(folder);
  await writer.add([{ id: "b", text: "more water" }]);
  await expect(Sluice.drop(folder)).rejects.toMatchObject({ code: "ERR_SLUICE_LOCKED" });
  await writer.commit();
  await writer.close();
  const reader = await Sluice.open(folder, { readOnly: true });
  await Sluice.drop(folder);
  expect((await reader.search("water")).hits.map(({ document }) => document)).toHaveLength(2);
  await expect(reader.checkFiles()).rejects.toMatchObject({ code: "ERR_SLUICE_FILE" });
  await reader.close();
  expect(existsSync(folder)).toBe(false);
});

test("a damaged index can be dropped", async () => {
  await made();
  writeFileSync(join(folder, "index.mdb"), "x".repeat(20_000));
  await Sluice.drop(folder);
  expect(readdirSync(join(folder, ".."))).toEqual([]);
});

test("a link is dropped with the index that it leads to", async () => {
  await made();
  const link = join(folder, "..", "link");
  symlinkSync(folder, link);
  await Sluice.drop(link);
  expect(readdirSync(join(folder, ".."))).toEqual([]);
});

test("a location need not be in its shortest form", async () => {
  const parent = join(folder, "..");
  const [elsewhere, link] = [join(root, `parent-${run}`), join(root, `link-${run}`)];
  for (const location of [
    relative(process.cwd(), folder),
    `${folder}/`,
    `${parent}/./index`,
    join(elsewhere, "index"), // below a link
    `${elsewhere}/index/`,
    `${link}/`, // a link to the folder itself
  ]) {
    await made();
    symlinkSync(parent, elsewhere);
    symlinkSync(folder, link);
    await Sluice.drop(location);
    expect(readdirSync(parent), location).toEqual([]);
    expect(lstatSync(elsewhere).isSymbolicLink()).toBe(true);
    expect(lstatSync(link, { throwIfNoEntry: false }) === undefined, location).toBe(location === `${link}/`);
    rmSync(elsewhere);
    rmSync(link, { force: true });
  }
});

test("what a killed drop left is removed by the next one", async () => {
  await made();
  const dead = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => dead.on("exit", resolve));
  mkdirSync(`${folder}.${dead.pid}.dropped`);
  mkdirSync(`${folder}.${process.ppid}.dropped`); // of a process that runs
  await Sluice.drop(folder);
  expect(readdirSync(join(folder, ".."))).toEqual([`index.${process.ppid}.dropped`]);
});
