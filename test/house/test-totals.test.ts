// A run of all tests: what scripts/test-totals.mjs says of it, when it fails, and the files that vitest.config.ts runs first.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/test-totals.mjs", import.meta.url));
const ALL = { CI: "true", SLUICE_DATA: "/data" };

function totals(skipped: number, env: Record<string, string>) {
  const file = join(mkdtempSync(join(tmpdir(), "sluice-totals-")), "tests.json");
  const counts = { numPassedTests: 5, numFailedTests: 0, numPendingTests: skipped, numTodoTests: 0 };
  writeFileSync(file, JSON.stringify({ ...counts, success: true }));
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, file], { env, encoding: "utf8" });
  return [status, stdout];
}

test.each([
  ["as many as usual", 30, ALL, 0],
  ["too many", 100, ALL, 1],
  ["too many, on the machine of a contributor", 100, { SLUICE_DATA: "/data" }, 0],
  ["more, without the data", 70, { CI: "true" }, 0],
  ["as many, with the data", 70, ALL, 1],
  ["too many, without the data", 100, { CI: "true" }, 1],
])("%s", (_, skipped, env, status) => {
  expect(totals(skipped, env)).toEqual([status, `5 passed, 0 failed, ${skipped} skipped\n`]);
});

test("the files that begin first are there", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const config = readFileSync(join(root, "vitest.config.ts"), "utf8");
  const [list] = /(?<=const LONGEST = )\[.*?\n\];/s.exec(config)!;
  const names = [...list.matchAll(/"([\w/-]+)"/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  const tracked = execFileSync("git", ["ls-files", "*.test.ts"], { cwd: root, encoding: "utf8" }).split("\n");
  expect(names.filter((name) => !tracked.some((file) => file.endsWith(`/${name}.test.ts`)))).toEqual([]);
});
