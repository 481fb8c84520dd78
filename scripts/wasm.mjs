// Compiles src/wasm/assembly into src/wasm/binary.ts: the module as text, so that tests, a build and a
// bundler find it like any other source. Twice, because whether a memory is shared is part of a module.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}src/wasm/`;
const output = `${folder}binary.ts`;
const MOST_PAGES = 65_536; // 4 GiB

/** Compiles when a source is newer than the last output; `setup` is what the test runner calls before all tests. */
export async function compileKernels() {
  const inputs = [
    fileURLToPath(import.meta.url),
    ...readdirSync(`${folder}assembly`).map((name) => `${folder}assembly/${name}`),
  ];
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (inputs.every((file) => statSync(file).mtimeMs < built)) return;
  if (!existsSync(`${root}node_modules/assemblyscript`)) {
    console.error("the dependencies are not installed; run: npm ci");
    process.exit(2);
  }
  const plain = await compile([]);
  const shared = await compile(["--sharedMemory", "--enable", "threads"]);
  const lines = [
    "// Made by scripts/wasm.mjs from assembly/. Not to be changed by hand.",
    `export const PLAIN = "${plain}";`,
    `export const SHARED = "${shared}";`,
  ];
  writeFileSync(output, `${lines.join("\n")}\n`);
}

export { compileKernels as setup };

async function compile(flags) {
  const { default: asc } = await import("assemblyscript/asc");
  const options = [
    ...["--outFile", "kernel.wasm", "-O3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
    ...["--importMemory", "--noExportMemory", "--initialMemory", "1", "--maximumMemory", String(MOST_PAGES)],
    ...flags,
  ];
  let binary;
  const { error, stderr } = await asc.main(["assembly/index.ts", ...options], {
    readFile: (name, base) => {
      const path = `${folder}${base === "." ? "" : `${base}/`}${name}`;
      return existsSync(path) ? readFileSync(path, "utf8") : null;
    },
    writeFile: (_name, bytes) => {
      binary = bytes;
    },
    listFiles: () => [],
  });
  if (error) {
    console.error(stderr.toString());
    throw error;
  }
  return Buffer.from(binary).toString("base64");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileKernels();
