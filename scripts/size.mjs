// The package → its sizes. A size above its limit fails. First, what a program loads at once: each entry is bundled alone, for
// Node, without the packages that it imports and without the chunks that it asks for later. The size is given as it is, minified,
// and compressed by gzip. A bundler drops what is not reached, so `import { Sluice }` costs less than all of the public API. Then
// what npm downloads, and what it unpacks.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { isStale } from "./sources.mjs";
import { compileKernels } from "./wasm.mjs";

/** KB of an entry, minified and compressed, at most: about a tenth above what it was when the limit was set. Raise one on purpose. */
const MOST_GZIP_KB = {
  "import { Sluice }": 180,
  "import { english }": 3.6,
  sluice: 180,
  "sluice/search": 1,
  "sluice/read": 14,
  "sluice/analyze": 10,
  "sluice/encode": 37,
  "sluice/server": 225,
  "sluice/browser": 102,
  "sluice/browser/worker": 4,
  "sluice/browser/worker-entry": 103,
  "sluice/densify": 7,
  "sluice/lab": 220,
  "sluice/ai": 8.5,
  "sluice/langchain": 182,
  "sluice/mcp": 10,
};
/** KB of the package: as npm downloads it, unpacked, and unpacked without the models. */
const MOST_PACKAGE_KB = { packed: 41_000, unpacked: 50_500, code: 5_000 };

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const ENTRY = "virtual:entry";
await compileKernels();

const entries = [
  ["import { Sluice }", 'export { Sluice } from "/src/index.ts";'],
  ["import { english }", 'export { english } from "/src/analyze/index.ts";'],
  ...Object.keys(exports)
    .filter((name) => name !== "./package.json")
    .map((name) => [`sluice${name.slice(1)}`, undefined, sourceOf(name)]),
];

const tooLarge = [];
console.log("| entry                       |     KB | minified |  gzip | at most |");
console.log("| --------------------------- | ------ | -------- | ----- | ------- |");
for (const [name, code, file] of entries) {
  const plain = await bundle(code, file, false);
  const small = await bundle(code, file, true);
  const sizes = [plain, small, gzipSync(small)].map((bytes) => bytes.length / 1000);
  const cells = sizes.map((size, i) => size.toFixed(1).padStart([6, 8, 5][i]));
  console.log(`| ${[name.padEnd(27), ...cells, limited(name, sizes[2], MOST_GZIP_KB[name])].join(" | ")} |`);
}

console.log("\n| package                     |      KB | at most |");
console.log("| --------------------------- | ------- | ------- |");
for (const [name, size] of Object.entries(packageSizes())) {
  const cells = [name.padEnd(27), size.toFixed(0).padStart(7), limited(name, size, MOST_PACKAGE_KB[name])];
  console.log(`| ${cells.join(" | ")} |`);
}
for (const line of tooLarge) console.error(line);
if (tooLarge.length > 0) process.exitCode = 1;

/** The limit as a cell; a size above it, or one without a limit, is noted. */
function limited(name, size, most) {
  if (most === undefined) tooLarge.push(`${name}: has no limit; add one to scripts/size.mjs`);
  else if (size > most) tooLarge.push(`${name}: ${size.toFixed(1)} KB, at most ${most}`);
  return String(most ?? "none").padStart(7);
}

/** What `npm pack` would write, in KB. The code is all but the built-in model. */
function packageSizes() {
  if (isStale()) {
    const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(stderr);
  const [{ size, unpackedSize, files }] = JSON.parse(stdout);
  const model = files
    .filter(({ path }) => path.startsWith("models/"))
    .reduce((sum, one) => sum + one.size, 0);
  return { packed: size / 1000, unpacked: unpackedSize / 1000, code: (unpackedSize - model) / 1000 };
}

/** The source of an entry: dist/src/mcp/index.js comes from src/mcp/index.ts. */
function sourceOf(name) {
  return exports[name].default.replace(/^\.\/dist\//, root).replace(/\.js$/, ".ts");
}

/** The entry and what it imports. The rules of a language are chunks of their own, which a program loads if it asks for them. */
function loadedAtOnce(output) {
  const chunks = new Map(
    output.filter(({ code }) => code !== undefined).map((chunk) => [chunk.fileName, chunk]),
  );
  const loaded = new Set([...chunks.values()].filter(({ isEntry }) => isEntry));
  for (const chunk of loaded) {
    for (const name of chunk.imports) if (chunks.has(name)) loaded.add(chunks.get(name));
  }
  return [...loaded];
}

async function bundle(code, file, minify) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "entry",
        enforce: "pre",
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? code : undefined),
      },
    ],
    build: {
      ssr: true,
      write: false,
      minify,
      rolldownOptions: { input: file ?? ENTRY, external: (id) => !/^[./]/.test(id) && id !== ENTRY },
    },
  });
  return Buffer.from(
    loadedAtOnce(output)
      .map(({ code }) => code)
      .join(""),
  );
}
