// Folders follow the data, and dependencies point one way. This walks the imports of src.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** What each stage may reach down to. A file that stands directly in src is a stage of its own name. */
const BELOW: Record<string, readonly string[]> = {
  errors: [],
  packages: ["errors"],
  bits: [],
  turns: [],
  options: ["errors"],
  filter: ["errors"],
  document: ["errors", "options", "kernel"],
  kernel: [],
  // Needs a device, which a caller may have to install: the one kernel that can be a user's mistake.
  "kernel/webgpu": ["errors", "packages", "kernel"],
  text: ["errors"],
  files: ["errors", "packages", "document", "kernel"],
  encode: ["errors", "packages", "document", "files", "densify", "lexical"],
  densify: ["errors", "kernel", "text"],
  lexical: ["errors", "document", "kernel", "files", "densify", "text"],
  layout: ["errors", "kernel", "densify", "quantize"],
  store: [
    ...["errors", "bits", "filter", "document", "kernel", "files", "densify", "lexical", "text", "encode"],
    ...["layout", "packages"],
  ],
  scan: ["bits", "turns", "kernel", "layout"],
  search: [
    ...[
      "errors",
      "bits",
      "turns",
      "options",
      "filter",
      "kernel",
      "kernel/webgpu",
      "densify",
      "layout",
      "scan",
    ],
    ...["store"],
  ],
  quantize: ["errors", "densify"],
  report: ["errors", "packages", "eval", "query", "search", "answer"],
  eval: ["errors", "document", "files", "text", "query", "search", "sluice"],
  build: ["errors", "options", "document", "kernel", "text", "densify", "lexical", "store", "encode"],
  query: ["errors", "options", "document", "kernel", "densify", "lexical"],
  ask: ["errors", "turns", "densify", "store", "query", "encode"],
  fields: ["store"],
  info: ["densify", "store"],
  selected: ["kernel", "densify", "query", "search"],
  "made-up": ["ask", "query", "search", "store"],
  answer: [
    ...[
      "errors",
      "turns",
      "options",
      "document",
      "filter",
      "densify",
      "store",
      "search",
      "query",
      "ask",
      "made-up",
    ],
  ],
  hits: ["answer", "search", "store"],
  sluice: [
    ...["info", "errors", "document", "kernel", "densify", "store", "scan", "search", "build", "query"],
    ...["ask", "answer", "hits", "encode", "fields", "selected", "text", "turns", "options"],
  ],
  // For pages: whatever it reaches must do without Node.
  browser: [
    ...["errors", "filter", "text", "densify", "layout", "store", "search", "query", "ask", "answer", "info"],
    ...["turns", "options"],
  ],
  "eval/experiments": [
    ...["errors", "document", "kernel", "text", "files", "densify", "lexical", "store", "search", "quantize"],
    ...["build", "query", "answer", "sluice", "eval", "report"],
  ],
  train: [
    ...["errors", "document", "kernel", "files", "text", "densify", "lexical", "encode", "store", "query"],
    ...["sluice", "eval", "report"],
  ],
  version: [],
  server: ["index", "version"],
  // What other programs plug into: each sees the public API, and what a language model may ask.
  tools: ["errors", "filter", "answer", "sluice"],
  mcp: ["index", "tools"],
  langchain: ["index"],
  ai: ["index", "tools"],
  cli: ["index", "packages", "server", "mcp", "version"],
};

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  // AssemblyScript is another language, with imports of its own.
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("/assembly/"),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const source = readFileSync(join(SRC, file), "utf8");
  const targets = [...source.matchAll(/^(?:import|export)\s[^;]*?from "(\.[^"]+)";/gms)].map(
    ([, target]) => target,
  );
  return targets.map((target) => relative(SRC, join(SRC, file, "..", target)));
}

function stageOf(file: string): string {
  for (const folder of ["eval/experiments", "kernel/webgpu"])
    if (file.startsWith(`${folder}/`)) return folder;
  return file.includes("/") ? file.split("/")[0] : file.replace(/\.ts$/, "");
}

test("every stage reaches only what is below it", () => {
  for (const [file, targets] of imports) {
    const stage = stageOf(file);
    if (stage === "index") continue; // the public API gathers everything
    expect(BELOW, `${file}: its stage is not in the list`).toHaveProperty(stage);
    for (const target of targets) {
      if (stageOf(target) === stage) continue;
      expect(BELOW[stage], `${file} imports ${target}`).toContain(stageOf(target));
    }
  }
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
    for (const target of targets) expect(files, `${file} imports ${target}`).toContain(target);
  }
});

test("the page takes its types and addresses from the server, and rulers and colours from reports", () => {
  const web = join(SRC, "../web");
  const pages = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"),
  );
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    const source = readFileSync(join(web, page), "utf8");
    for (const [line] of source.matchAll(/^import [^;]*?from "(?:\.\.\/)+src\/[^;]*;/gms)) {
      expect(line, page).toMatch(
        /^import type .*server\/schemas\.ts"|server\/page-address\.ts"|report\/(axis|palette|report)\.ts"/s,
      );
    }
  }
});
