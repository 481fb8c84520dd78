// The modules that a page loads. None of the whole graph is a module of Node, even one that a bundler would remove. Nothing
// heavy is loaded unless the page asks for it.

import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";

const file = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** The chunks of an entry, and all imports that are not our own files. */
async function bundled(entry: string) {
  const packages = new Map<string, string>();
  const plugin = {
    name: "see-imports",
    enforce: "pre" as const,
    resolveId(source: string, importer: string | undefined) {
      if (importer?.includes("/src/") && !source.startsWith(".")) packages.set(source, importer);
      return null;
    },
  };
  const result = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [plugin],
    worker: { format: "es", plugins: () => [plugin] },
    build: {
      write: false,
      target: "es2023",
      rollupOptions: { input: file(entry), preserveEntrySignatures: "strict" },
    },
  });
  const [{ output }] = (Array.isArray(result) ? result : [result]) as Rolldown.RolldownOutput[];
  return { packages, output };
}

describe.each(["browser/index.ts", "browser/worker.ts"])("%s", (entry) => {
  test("needs nothing of Node", async () => {
    const { packages, output } = await bundled(entry);
    for (const [name, importer] of packages) {
      expect(isBuiltin(name), `${importer} imports ${name}`).toBe(false);
    }
    // Stemmers are chunks of their own, loaded for an index of their language.
    const named = [...packages.keys()].filter((name) => !name.startsWith("\0"));
    const others = named.filter((name) => !/^(?:@orama\/stemmers\/|multilingual-stemmer$)/.test(name));
    expect(others).toEqual(["@huggingface/tokenizers"]);
    for (const part of output) {
      const code = part.type === "chunk" ? part.code : String(part.source);
      expect(code, part.fileName).not.toMatch(
        /\b(Buffer\.(from|alloc|concat)|(?<!globalThis\.)setImmediate|__dirname)\b/,
      );
    }
  });
});

test("a GPU's shaders and word pieces come with those who use them", async () => {
  const { output } = await bundled("browser/index.ts");
  const chunks = output.filter((part) => part.type === "chunk");
  const at = (module: string) =>
    chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module)))?.fileName;
  const entry = chunks.find(({ isEntry }) => isEntry)!;
  const first = new Set([entry.fileName]);
  for (const name of first) {
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) first.add(next);
  }
  expect(first).toContain(at("src/browser/reader.ts"));
  expect(first).toContain(at("src/rank/engine.ts"));
  for (const module of [
    "src/scan/webgpu/device.ts",
    "src/analyze/analyzers/wordpiece.ts",
    "src/scan/webgpu/gpu-first-stage.ts",
  ]) {
    expect(chunks.map(({ fileName }) => fileName)).toContain(at(module)); // it is in a chunk, but in a later one
    expect(first, module).not.toContain(at(module));
  }
});
