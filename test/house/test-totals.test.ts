// What scripts/test-totals.mjs says of a run of all tests, and when it fails.

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
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
  ["too many, without the data", 100, { CI: "true" }, 0],
])("%s", (_, skipped, env, status) => {
  expect(totals(skipped, env)).toEqual([status, `5 passed, 0 failed, ${skipped} skipped\n`]);
});
