// Prints the totals of a run of vitest as one line, `N passed, N failed, N skipped`. It reads what vitest's JSON reporter wrote.
// Fails if there is no such file, if no test ran, or if one failed; and with CI set, if too many were skipped.
//   node scripts/test-totals.mjs FILE
import { existsSync, readFileSync } from "node:fs";

/** About 35 tests are skipped on a machine with Chromium, strace and the data, but without a cluster. More is a prerequisite lost. */
const MOST_SKIPPED = 50;
/** Tests that read the data which SLUICE_DATA names. They are skipped without it, as on GitHub. */
const TESTS_OF_DATA = 27;

const [file] = process.argv.slice(2);
if (!file || !existsSync(file)) fail(`${file ?? "no file"}: expected what vitest --reporter=json writes`);
const report = JSON.parse(readFileSync(file, "utf8"));
const passed = report.numPassedTests;
const failed = report.numFailedTests;
const skipped = report.numPendingTests + report.numTodoTests;
if (!(passed + failed > 0)) fail(`${file}: no test ran`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
// A file that cannot be loaded has no failed test, and makes `success` false.
if (!report.success) process.exitCode = 1;
const { CI, SLUICE_DATA } = process.env;
const most = MOST_SKIPPED + (SLUICE_DATA ? 0 : TESTS_OF_DATA);
if (CI && skipped > most)
  fail(`${skipped} tests were skipped, expected at most ${most}: look above for what is missing`);

function fail(message) {
  console.error(message);
  process.exit(1);
}
