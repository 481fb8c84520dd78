// Finds exports that no other file imports, types included. What the package offers to users counts as imported, and so does
// what a tool takes by its name. In a re-export, `export { a } from`, the name is used as much as the new export is.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const READ = ["src", "test", "bench", "demo", "examples", "web", "docs", "scripts"];

/** Files, or folders of files, whose exports are used in a way that no import shows. */
const USED_OTHERWISE = [
  "bench/lexical/peers/", // child.ts loads the engine that it was started for
  "docs/typedoc-names.mjs", // a plugin of TypeDoc
  "scripts/wasm.mjs", // Vitest calls `setup`
  "test/consumer/", // users' programs, which are only compiled
];

const sources = new Map();
for (const folder of READ) {
  for (const name of readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })) {
    if (!/\.(ts|tsx|mjs|vue)$/.test(name) || /node_modules|\/assembly\/|binary\.ts$/.test(name)) continue;
    sources.set(`${folder}/${name}`, readFileSync(`${root}${folder}/${name}`, "utf8"));
  }
}

const { exports, bin } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const sourceOf = (built) => built.replace(/^(\.\/)?dist\//, "").replace(/\.js$/, ".ts");
/** Files that users import, by what they write: all they export is used. */
const entries = new Map(
  Object.entries(exports)
    .filter(([, entry]) => entry.default)
    .map(([path, entry]) => [path.replace(/^\./, "sluice"), sourceOf(entry.default)]),
);
const public_ = new Set([...entries.values(), ...Object.values(bin).map(sourceOf)]);

/** By file: the names that other files import from it. "*" is all of them. */
const imported = new Map();
const use = (from, specifier, names) => {
  const path = specifier.startsWith(".") ? normalize(join(dirname(from), specifier)) : entries.get(specifier);
  if (!path) return;
  const target = sources.has(path) ? path : path.replace(/\.js$/, ".ts");
  if (!imported.has(target)) imported.set(target, new Set());
  for (const name of names) imported.get(target).add(name);
};
/** The names of a list in braces, as the exporting file calls them. */
const namesOf = (list) => list.split(",").flatMap((item) => /^\s*(?:type\s+)?([\w$]+)/.exec(item)?.[1] ?? []);

for (const [file, text] of sources) {
  const statements =
    /\b(?:import|export)\s+(?:type\s+)?(?:(\*)[^"{;]*?|(?:[\w$]+\s*,\s*)?\{([^}]*)\})\s*from\s*"([^"]+)"/g;
  for (const [, all, list, specifier] of text.matchAll(statements))
    use(file, specifier, all ? ["*"] : namesOf(list));
  // What `await import("…")` gives may go by several ways, so every word of the file counts.
  for (const [, specifier] of text.matchAll(/\bimport\(\s*"([^"]+)"/g))
    use(file, specifier, text.match(/[A-Za-z_$][\w$]*/g));
}

const dead = [];
for (const [file, text] of sources) {
  if (public_.has(file) || USED_OTHERWISE.some((path) => file.startsWith(path))) continue;
  if (/\.(test|d)\.m?ts$/.test(file)) continue;
  const used = imported.get(file) ?? new Set();
  if (used.has("*")) continue;
  const declared = [
    ...text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm,
    ),
  ].map(([, name]) => name);
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    list.split(",").flatMap((item) => /([\w$]+)\s*$/.exec(item)?.[1] ?? []),
  );
  for (const name of [...declared, ...passedOn]) if (!used.has(name)) dead.push(`${file}: ${name}`);
}
for (const line of dead) console.error(line);
console.log(`${dead.length} exports that no other file imports`);
if (dead.length > 0) process.exitCode = 1;
