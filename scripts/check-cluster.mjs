// Runs some tests of an index on a cluster: three nodes are started, and the index does what one in a folder does, and survives a killed
// manager. Where no cluster can be started they are skipped, and the reason is printed. CONTRIBUTING.md says how to run them all.
//   node scripts/check-cluster.mjs
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Names of tests. Copies, collections and the other faults take five more minutes. */
const TESTED = "fulfills the contract|the manager is killed";

const started = performance.now();
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "test/opensearch", "-t", TESTED],
  {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, SLUICE_OPENSEARCH: process.env.SLUICE_OPENSEARCH ?? "auto" },
  },
);
const output = stdout + stderr;
const skipped = /the tests of a cluster are skipped: .*/.exec(output);
const passed = /(\d+) passed/.exec(output.slice(output.lastIndexOf("Tests ")));
if (status !== 0) {
  console.error(output);
  process.exitCode = 1;
} else if (skipped) {
  console.log(skipped[0]);
} else {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`a cluster of three nodes: ${passed?.[1] ?? "no"} tests passed in ${seconds} s`);
  if (!passed) process.exitCode = 1; // the names above are out of date
}
