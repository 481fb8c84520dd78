// sluice key: a key that is printed once, and a line that lets it in.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLine } from "../../../../test/helpers/command-line.ts";
import { keysOfFile } from "../../../server/access/key-file.ts";
import { Keys } from "../../../server/access/keys.ts";

test("a key and its line go into a file of keys that the server reads", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-key-"));
  const file = join(folder, "keys");
  const printed = await commandLine(["key"]);
  const [key, line] = printed.out.trim().split("\n");
  expect([printed.status, line]).toEqual([0, expect.stringMatching(/^read sha256:[0-9a-f]{64}$/)]);
  writeFileSync(file, line, { mode: 0o600 }); // without an end of the line
  const bounds = ["--access", "write", "--index", "notes", "--index", "papers", "--expires", "2099-01-01"];
  const added = await commandLine(["key", ...bounds, "--name", "ci", "--file", file]);
  expect(added.out.trim()).not.toContain("\n");
  expect(readFileSync(file, "utf8")).not.toContain(added.out.trim());
  expect(readFileSync(file, "utf8")).toMatch(/ index=notes,papers expires=2099-01-01 name=ci\n$/);
  const keys = new Keys(await keysOfFile(file));
  expect(keys.identifyCaller(`Bearer ${key}`, "read").seesAll).toBe(true);
  const caller = keys.identifyCaller(`Bearer ${added.out.trim()}`, "write");
  expect([caller.key, caller.sees("papers"), caller.sees("other")]).toEqual(["ci", true, false]);
  const fresh = join(folder, "fresh");
  await commandLine(["key", "--file", fresh]);
  expect(statSync(fresh).mode & 0o077).toBe(0);
  rmSync(folder, { recursive: true });
});

test("mistakes are one line", async () => {
  const cases: [string[], RegExp][] = [
    [["--access", "owner"], /--access is one of read, write, admin/],
    [["--expires", "soon"], /"soon" is not a day/],
    [["--name", "a b"], /cannot name a key/],
    [["--index", "../up"], /cannot name an index/],
    [["more"], /expected/],
  ];
  for (const [flags, message] of cases) {
    const { status, out, err } = await commandLine(["key", ...flags]);
    expect([flags, status, out]).toEqual([flags, 2, ""]);
    expect(err).toMatch(message);
  }
});
