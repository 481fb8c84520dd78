// Builds the documentation site into docs/build/site: TypeDoc writes the API pages, Sluice indexes all pages for the search
// box, VitePress makes HTML of them. A warning of TypeDoc and a link that leads nowhere are errors.
//   node scripts/docs.mjs [--if-stale]   with the flag, only when a source has changed since the last build
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStale, sources } from "./sources.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const docs = `${root}docs`;
const stamp = `${docs}/build/.built`;
const seconds = new Map();

if (process.argv.includes("--if-stale") && !isSiteStale()) process.exit(0);
rmSync(stamp, { force: true });
await step("build", () => {
  if (isStale()) run(root, "scripts/build.mjs");
});
await step("API pages", () => {
  rmSync(`${docs}/api`, { recursive: true, force: true });
  run(docs, "node_modules/typedoc/bin/typedoc", "--logLevel", "Warn");
});
const { buildFolder, pages } = await import("../docs/.vitepress/pages.mjs");
const exported = await step("search index", async () => {
  const { writeSearchIndex } = await import("../docs/.vitepress/search-index.mjs");
  rmSync(join(buildFolder, "public"), { recursive: true, force: true });
  mkdirSync(join(buildFolder, "public"), { recursive: true });
  return writeSearchIndex(join(buildFolder, "public/search-index"));
});
await step("site", async () => {
  const { build } = await import("vitepress");
  await build(docs);
});
writeFileSync(stamp, siteSources().join("\n"));

const times = [...seconds].map(([name, time]) => `${name} ${time.toFixed(1)} s`).join(", ");
console.log(
  `docs/build/site: ${pages().length} pages, ${exported.docs} passages in ${exported.bytes} bytes; ${times}`,
);

/** What the site is made from: the sources that TypeDoc and the page's search read, and every page. */
function siteSources() {
  const inDocs = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => !/(^|[\\/])(node_modules|build|api)[\\/]/.test(name) && statSync(join(docs, name)).isFile(),
    )
    .map((name) => `docs/${name}`);
  const atRoot = readdirSync(root).filter((name) => name.endsWith(".md"));
  return [...sources(), ...inDocs, ...atRoot].sort();
}

function isSiteStale() {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built === 0 || readFileSync(stamp, "utf8") !== siteSources().join("\n")) return true;
  return siteSources().some((file) => statSync(root + file).mtimeMs > built);
}

async function step(name, work) {
  const started = performance.now();
  const result = await work();
  seconds.set(name, (performance.now() - started) / 1000);
  return result;
}

function run(cwd, ...args) {
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
