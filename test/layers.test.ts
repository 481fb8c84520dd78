// The folders of src follow the data: a folder imports only from folders before it in this list. The test walks all imports,
// those of types, dynamic ones and threads included.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** The engine, from a document to a hit. */
const ENGINE = [
  ...["support", "documents", "read", "analyze", "weigh", "encode", "densify", "wasm", "segment", "store"],
  ...["query", "scan", "rank", "open"],
];
/** Research. It uses the engine; the engine never imports it. */
const LAB = ["lab"];
/** Ways to use the engine from outside. */
const ADAPTERS = ["schemas", "tools", "ai", "mcp", "langchain", "browser", "server", "cli"];
const FOLDERS = [...ENGINE, ...LAB, ...ADAPTERS];

/** All folders may import the errors. The two files that put the engine together may import everything. */
const ERRORS = "errors.ts";
const WHOLE = ["sluice.ts", "index.ts"];

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  // AssemblyScript is another language, with imports of its own.
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("/assembly/"),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const folderOf = (file: string) => file.split("/")[0];

function importsOf(file: string): string[] {
  return targetsOf(file, /\b(?:from |import |import\()\s*"(\.[^"]+)"/g);
}

/** Threads that a file starts, by their built names. */
function threadsOf(file: string): string[] {
  return targetsOf(file, /\bnew URL\("(\.[^"]+\.js)"/g).map((target) => target.replace(/\.js$/, ".ts"));
}

function targetsOf(file: string, statements: RegExp): string[] {
  const targets = [...readFileSync(join(SRC, file), "utf8").matchAll(statements)].map(([, target]) => target);
  return targets.map((target) => relative(SRC, join(SRC, file, "..", target)));
}

/** Whether a file may import a file of another folder. */
function isAllowed(from: string, to: string): boolean {
  if (to === ERRORS) return true;
  const [a, b] = [folderOf(from), folderOf(to)];
  if (a === b || WHOLE.includes(from)) return a === b || !ADAPTERS.includes(b);
  if (WHOLE.includes(to)) return !ENGINE.includes(a);
  return FOLDERS.indexOf(b) < FOLDERS.indexOf(a);
}

test("every folder of src is in the list, and nothing but three files stands outside of one", () => {
  const found = new Set(files.map(folderOf));
  expect([...found].sort()).toEqual([...FOLDERS, ERRORS, ...WHOLE].sort());
});

test("a folder imports only from those above it", () => {
  const wrong = [...imports].flatMap(([file, targets]) =>
    [...targets, ...threadsOf(file)]
      .filter((target) => !isAllowed(file, target))
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no file imports itself by a detour", () => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    expect(path, `a cycle: ${[...path, file].join(" → ")}`).not.toContain(file);
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test("every import leads to a file", () => {
  expect(files.length).toBeGreaterThan(30);
  for (const [file, targets] of imports) {
    for (const target of [...targets, ...threadsOf(file)])
      expect(files, `${file} imports ${target}`).toContain(target);
  }
});

test("the page takes its types from the schemas, its addresses from the server, and rulers and colors from reports", () => {
  const web = join(SRC, "../web");
  const pages = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"),
  );
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    const source = readFileSync(join(web, page), "utf8");
    for (const [line] of source.matchAll(/^import [^;]*?from "(?:\.\.\/)+src\/[^;]*;/gms)) {
      expect(line, page).toMatch(
        /^import type .*schemas\/index\.ts"|server\/page-address\.ts"|lab\/report\/(axis|palette|report)\.ts"/s,
      );
    }
  }
});
