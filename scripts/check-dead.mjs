// Finds exports of src that no other file mentions. What the package offers to users counts as mentioned.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const READ = ["src", "test", "bench", "demo", "examples", "web", "docs/.vitepress", "scripts"];

const sources = new Map();
for (const folder of READ) {
  for (const name of readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })) {
    if (!/\.(ts|tsx|mjs|vue)$/.test(name) || /node_modules|\/assembly\/|binary\.ts$/.test(name)) continue;
    sources.set(`${folder}/${name}`, readFileSync(`${root}${folder}/${name}`, "utf8"));
  }
}
const words = new Map([...sources].map(([file, text]) => [file, new Set(text.match(/[A-Za-z_$][\w$]*/g))]));

const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
/** Files that users import: all they export is used. */
const entries = new Set(
  Object.values(exports)
    .map((entry) => entry.default?.replace(/^\.\/dist\//, "").replace(/\.js$/, ".ts"))
    .filter(Boolean),
);

const dead = [];
for (const [file, text] of sources) {
  if (!file.startsWith("src/") || entries.has(file) || file.endsWith(".test.ts") || file.endsWith(".d.ts"))
    continue;
  const found = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm,
  );
  for (const [, name] of found) {
    if (![...words].some(([other, all]) => other !== file && all.has(name))) dead.push(`${file}: ${name}`);
  }
}
for (const line of dead) console.error(line);
console.log(`${dead.length} exports that nothing else uses`);
if (dead.length > 0) process.exitCode = 1;
