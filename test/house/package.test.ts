// The package that npm would publish: only the compiled program and its documents, complete, and with licenses that anyone can
// accept. scripts/size.mjs has the limits of its size.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "vite";
import { beforeAll, expect, test, vi } from "vitest";
import { builtCli, LONGEST_BUILD_MS, root } from "../helpers/built.ts";

vi.setConfig({ testTimeout: 300_000 }); // packs and installs the package

const FREE =
  /^(MIT|\(MIT OR CC0-1\.0\)|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|Unlicense)$/;

const folder = mkdtempSync(join(tmpdir(), "sluice-package-"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
let packed: {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string; mode: number; size: number }[];
};

beforeAll(async () => {
  await builtCli();
  const { stdout, stderr, status } = spawnSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  [packed] = JSON.parse(stdout);
}, LONGEST_BUILD_MS);

test("the package holds what is needed, and nothing else", () => {
  const paths = packed.files.map(({ path }) => path);
  const allowed =
    /^(dist\/src\/.*\.(js|d\.ts)|dist\/web\/(index\.html|assets\/[^/]+\.(js|css|svg))|configs\/.*\.(json|md)|deploy\/(Dockerfile|kubernetes\.yaml|sluice\.service)|models\/builtin\/(README\.md|NOTICE|model\.onnx|(tokenizer|sluice|vectors|words)\.json|queries\/(vectors\.table|pieces\.txt|sluice\.json))|models\/static\/(README\.md|NOTICE|vectors\.table|pieces\.txt|sluice\.json)|package\.json|docs\/(README|(guides|reference)\/[\w-]+)\.md|examples\/([\w-]+\.ts|README\.md)|bench\/README\.md|examples\/models\/[\w-]+\.json|bench\/runs\/[\w-]+\.md|(README|ARCHITECTURE|GLOSSARY|CHANGELOG|CONTRIBUTING|SECURITY|THIRD-PARTY)\.md|LICENSE)$/;
  expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  expect(paths.filter((path) => /\.test\.|\/bench\/|\/assembly\//.test(path))).toEqual([]);
  for (const entry of Object.values<string | Record<string, string>>(manifest.exports)) {
    for (const path of typeof entry === "string" ? [entry] : Object.values(entry))
      expect(paths).toContain(path.replace("./", ""));
  }
  expect(packed.files.find(({ path }) => path === manifest.bin.sluice)!.mode & 0o111).not.toBe(0);
});

test("links lead to files of the package; those to the code and raw results, to the repository", () => {
  const paths = new Set(packed.files.map(({ path }) => path));
  const elsewhere =
    /^(web|\.github|bench\/runs\/(train|experiments))(\/|$)|^bench\/runs\/[\w-]+\.svg$|^docs\/page\.png$/;
  const isThere = (path: string) => paths.has(path) || [...paths].some((file) => file.startsWith(`${path}/`));
  const lost: string[] = [];
  for (const file of [...paths].filter((path) => path.endsWith(".md"))) {
    for (const [, target] of readFileSync(join(root, file), "utf8").matchAll(
      /\]\(([^)#\s:]+)(?:#[^)]*)?\)/g,
    )) {
      const path = join(dirname(file), target).replace(/\/$/, "");
      const isCode = !file.startsWith("docs/") && /^src(\/|$)/.test(path);
      if (!isThere(path) && !isCode && !elsewhere.test(path)) lost.push(`${file}: ${target}`);
    }
  }
  expect(lost).toEqual([]);
});

test("types come first in every export", () => {
  for (const entry of Object.values(manifest.exports))
    if (typeof entry === "object") expect(Object.keys(entry as object)[0]).toBe("types");
});

test("what was packed runs where it is installed", () => {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "sluice"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
  const tar = ["-xzf", join(folder, packed.filename), "-C", join(modules, "sluice"), "--strip-components=1"];
  expect(spawnSync("tar", tar).status).toBe(0);
  const entries = Object.keys(manifest.exports).filter(
    // The worker runs only in a browser, and sluice/search has only types.
    (name) => !["./package.json", "./browser/worker-entry", "./search"].includes(name),
  );
  const program = `
    const entries = await Promise.all(${JSON.stringify(entries)}.map((name) => import("sluice" + name.slice(1))));
    const { Sluice } = entries[0];
    const index = await Sluice.build([{ id: "a", text: "water gate" }], { encoder: "none", threads: 2 });
    console.log((await index.search("gate")).hits[0].id, entries.every((entry) => Object.keys(entry).length > 0));
    await index.close();
    const meant = await Sluice.build([{ id: "b", text: "water gate" }], { encoder: "builtin:vectors" });
    console.log((await meant.search("gate")).hits[0].id);
    await meant.close();`;
  writeFileSync(join(folder, "program.mjs"), program);
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "a true\nb\n", stderr: "" });
});

test("a bundle without the models says which folder it misses, and what to do", async () => {
  const program = join(folder, "bundled.mjs");
  writeFileSync(
    program,
    `import { Sluice } from ${JSON.stringify(join(root, "dist/src/index.js"))};
    await Sluice.build([{ id: "a", text: "water gate" }]).catch(({ code, message, hint }) => console.log(code, message, hint));`,
  );
  const outDir = join(folder, "bundle/app");
  const external = (id: string) => !/^[./]/.test(id) && !id.startsWith("\0");
  await build({
    configFile: false,
    logLevel: "error",
    root: folder,
    build: { ssr: true, outDir, rolldownOptions: { input: program, external } },
  });
  symlinkSync(join(root, "node_modules"), join(folder, "bundle/node_modules"));
  const { stdout, stderr } = spawnSync(process.execPath, [join(outDir, "bundled.mjs")], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^ERR_SLUICE_FILE the files of the encoder "static" are missing/);
  expect(stdout).toContain(
    `copy the package's folder models/static to ${join(folder, "bundle/models/static")}`,
  );
});

test("the list of other people's work names every shipped model and every dependency", () => {
  const list = readFileSync(join(root, "THIRD-PARTY.md"), "utf8");
  const models = readdirSync(join(root, "models"));
  expect(models.length).toBeGreaterThan(1);
  for (const model of models) {
    expect(list).toContain(`[models/${model}](models/${model}/README.md)`);
    expect(readdirSync(join(root, "models", model))).toContain("NOTICE");
  }
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const row = list.split("\n").find((line) => line.startsWith(`| \`${name}\` `));
    const license = row?.split("|")[2].trim();
    expect({ name, license }).toEqual({ name, license: packages[`node_modules/${name}`].license });
  }
});

test("every dependency has a license that asks for nothing but its name", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  type Locked = { license?: string; dev?: boolean; devOptional?: boolean; link?: boolean };
  const installed = Object.entries<Locked>(packages).filter(
    ([path, { dev, devOptional, link }]) => path.startsWith("node_modules/") && !dev && !devOptional && !link,
  );
  expect(installed.length).toBeGreaterThan(3);
  expect(installed.filter(([, { license }]) => !FREE.test(license ?? "")).map(([path]) => path)).toEqual([]);
});
