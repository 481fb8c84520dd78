// Prints the bundle size of each entry of the package, for Node and without dependencies: plain, minified and gzip. A
// bundler drops unused code, so `import { Sluice }` is smaller than the whole public API.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { compileKernels } from "./wasm.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const ENTRY = "virtual:entry";
await compileKernels();

const entries = [
  ["import { Sluice }", 'export { Sluice } from "/src/index.ts";'],
  ["import { english }", 'export { english } from "/src/index.ts";'],
  ...Object.keys(exports)
    .filter((name) => name !== "./package.json")
    .map((name) => [`sluice${name.slice(1)}`, undefined, sourceOf(name)]),
];

console.log("| entry                       |     KB | minified |  gzip |");
console.log("| --------------------------- | ------ | -------- | ----- |");
for (const [name, code, file] of entries) {
  const plain = await bundle(code, file, false);
  const small = await bundle(code, file, true);
  const cells = [plain, small, gzipSync(small)].map((bytes) => (bytes.length / 1000).toFixed(1));
  console.log(
    `| ${name.padEnd(27)} | ${cells[0].padStart(6)} | ${cells[1].padStart(8)} | ${cells[2].padStart(5)} |`,
  );
}

/** The source of an entry: dist/src/mcp/index.js comes from src/mcp/index.ts. */
function sourceOf(name) {
  return exports[name].default.replace(/^\.\/dist\//, root).replace(/\.js$/, ".ts");
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
  return Buffer.from(output.map((chunk) => chunk.code ?? "").join(""));
}
