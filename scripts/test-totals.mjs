// Prints the totals of a run of vitest as one line, `N passed, N failed, N skipped`. It reads what vitest's JSON reporter wrote.
// Fails if there is no such file, if no test ran, or if one failed.
//   node scripts/test-totals.mjs FILE
import { existsSync, readFileSync } from "node:fs";

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

function fail(message) {
  console.error(message);
  process.exit(1);
}
