// Bundles web/ into dist/web, the page that the server sends to browsers, and prints its size.
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function bundlePage(outDir = `${root}dist/web`) {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: `${root}web`,
    publicDir: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      // The content security policy forbids inline code, and a single file needs no preloading.
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  printSizes(outDir);
}

/** Prints the size of the page's script and style, plain and compressed. */
function printSizes(outDir) {
  for (const name of readdirSync(`${outDir}/assets`)) {
    const bytes = readFileSync(`${outDir}/assets/${name}`);
    const [whole, packed] = [bytes.length, gzipSync(bytes).length].map((size) => (size / 1000).toFixed(1));
    console.error(`page: ${extname(name).slice(1)} ${whole} kB, compressed ${packed} kB`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePage(process.argv[2]);
