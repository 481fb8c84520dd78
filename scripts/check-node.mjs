// Runs the library's own tests on the other major versions of Node that the package is for. npm's packages node-PLATFORM-ARCH bring
// each as a file, without an install script. A version that cannot be had is skipped, and the reason is printed. With `this`, it runs
// the same tests on the Node that runs it: CI does so on other operating systems.
//   node scripts/check-node.mjs [this | MAJOR...]
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const running = process.versions.node.split(".")[0];
const asked = process.argv.slice(2);
const MAJORS = asked.length > 0 ? asked : ["20", "22", "24"].filter((major) => major !== running);

/**
 * What a version of Node may break: files, threads, locks, streams, WebAssembly, the index whole. Models, training, servers and pages
 * are tested on one version.
 */
const TESTED = [
  ...["src/sluice.test.ts", "src/store/", "src/support/", "src/documents/", "src/read/", "src/analyze/"],
  ...["src/weigh/", "src/densify/", "src/segment/", "src/query/", "src/wasm/"],
  ...["test/store/", "test/support/", "test/passages/", "test/query/", "test/search/hits.test.ts"],
];
/** Long tests of our own arithmetic and checks, which no version of Node changes. */
const LEFT_OUT = [
  ...["test/store/damage.test.ts", "src/store/packed/groups.test.ts"],
  ...["src/segment/codes/product-codes.test.ts", "src/segment/columns/columns.test.ts"],
];
const files = testFiles();

for (const major of MAJORS) {
  const { node, missing } = nodeOf(major);
  if (missing) {
    console.log(`Node ${major} is not tested: ${missing}`);
    continue;
  }
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(
    node,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=default", ...files],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (status !== 0) console.error(stdout + stderr);
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`Node ${version}: ${status === 0 ? "passed" : "failed"} in ${seconds} s`);
  if (status !== 0) process.exitCode = 1;
}

/** The tests to run. Throws if the lists above name one that is not there. */
function testFiles() {
  const all = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((name) => name.endsWith(".test.ts")),
  );
  for (const name of [...TESTED, ...LEFT_OUT])
    if (!all.some((file) => file.startsWith(name))) throw new Error(`${name}: there is no such test`);
  return all.filter((file) => TESTED.some((name) => file.startsWith(name)) && !LEFT_OUT.includes(file));
}

/** The program, kept in a folder that git ignores; or why there is none. */
function nodeOf(major) {
  if (major === "this") return { node: process.execPath };
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, "test-artifacts", `node-${major}`);
  const node = join(folder, "node_modules", name, "bin/node");
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const { status, stderr } = spawnSync(
      "npm",
      ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", `${name}@${major}`],
      { cwd: folder, encoding: "utf8", shell: process.platform === "win32" },
    );
    const error = /npm error (?!code)(.*)/.exec(stderr ?? "")?.[1] ?? "npm cannot be run";
    if (status !== 0) return { missing: `${name}@${major} cannot be installed (${error})` };
  }
  const { stdout, error } = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (stdout?.startsWith(`v${major}.`)) return { node };
  return { missing: `${name}@${major} does not run here (${error?.message ?? stdout})` };
}
