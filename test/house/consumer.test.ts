// The types that users get. Small projects (test/consumer) are compiled against the built package, by the newest TypeScript and
// by 5.9, with both kinds of module resolution, one of them with exact optional properties. Our declarations are checked as
// strictly as the projects.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { builtCli, LONGEST_BUILD_MS, root } from "../helpers/built.ts";

vi.setConfig({ testTimeout: 300_000 }); // compiles whole projects

const COMPILERS = {
  "TypeScript 5.9": join(root, "test/consumer/node_modules/typescript"),
  "TypeScript 7": join(root, "node_modules/typescript"),
};
const MODULES = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler", exactOptionalPropertyTypes: true },
};
const OF_ANOTHER_PACKAGE = /^\S*node_modules\/(?!sluice\/)\S+\(\d/;
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const INSTALLED = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });

/** The projects, each with the packages that its user has installed, and the globals of its platform. */
const PROJECTS = {
  node: { also: ["@types/node"], lib: ["es2023"], types: ["node"] },
  plugins: {
    also: [
      "@types/node",
      "ai",
      "@langchain/core",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/node",
    ],
    lib: ["es2023"],
    types: ["node"],
  },
  page: { also: [], lib: ["es2023", "dom", "dom.iterable"], types: [] }, // a page has no types of Node
} as const;
type Project = keyof typeof PROJECTS;

const folder = mkdtempSync(join(tmpdir(), "sluice-consumer-"));

beforeAll(async () => {
  await builtCli();
  for (const [project, { also }] of Object.entries(PROJECTS)) {
    const modules = join(folder, project, "node_modules");
    mkdirSync(join(modules, "sluice"), { recursive: true });
    // Copied, not linked: through a link it would find everything that is installed here.
    cpSync(join(root, "package.json"), join(modules, "sluice/package.json"));
    cpSync(join(root, "dist/src"), join(modules, "sluice/dist/src"), {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || path.endsWith(".d.ts"),
    });
    for (const name of [...INSTALLED, ...also]) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    cpSync(join(root, `test/consumer/${project}.ts`), join(folder, project, `${project}.ts`));
    writeFileSync(join(folder, project, "package.json"), '{ "type": "module" }');
  }
}, LONGEST_BUILD_MS);

async function compile(compiler: keyof typeof COMPILERS, modules: keyof typeof MODULES, project: Project) {
  const config = join(folder, project, `${modules}.json`);
  const compilerOptions = {
    ...MODULES[modules],
    ...{ target: "es2023", lib: PROJECTS[project].lib, types: PROJECTS[project].types },
    ...{ strict: true, skipLibCheck: false, noEmit: true, resolveJsonModule: true },
    skipDefaultLibCheck: true, // TypeScript's own declarations: checking the DOM takes longer than all the rest
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [`${project}.ts`] }));
  const tsc = spawn(
    process.execPath,
    [join(COMPILERS[compiler], "bin/tsc"), "-p", config, "--pretty", "false"],
    {
      cwd: join(folder, project),
    },
  );
  const ended = new Promise<number | null>((resolve) => tsc.once("close", resolve));
  const chunks: string[] = [];
  for await (const chunk of tsc.stdout.setEncoding("utf8")) chunks.push(chunk);
  // 2: there are errors. Anything else is no compiler, or one that was ended.
  expect(chunks.length > 0 ? [1, 2] : [0]).toContain(await ended);
  const errors = chunks
    .join("")
    .split(/\n(?! )/)
    .filter(Boolean);
  // Packages that use us have errors in their own declarations, which we cannot fix.
  return project === "plugins" ? errors.filter((error) => !OF_ANOTHER_PACKAGE.test(error)) : errors;
}

test("the compilers are of these versions", () => {
  const versions = Object.values(COMPILERS).map(
    (path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).version,
  );
  expect(versions).toEqual([expect.stringMatching(/^5\.9\./), expect.stringMatching(/^7\./)]);
});

test("the projects import every entry of the package", () => {
  const sources = Object.keys(PROJECTS).map((name) =>
    readFileSync(join(root, `test/consumer/${name}.ts`), "utf8"),
  );
  for (const entry of Object.keys(manifest.exports))
    expect(sources.join("\n")).toContain(`"sluice${entry.slice(1)}"`);
});

for (const project of Object.keys(PROJECTS) as Project[])
  for (const compiler of Object.keys(COMPILERS) as (keyof typeof COMPILERS)[])
    for (const modules of Object.keys(MODULES) as (keyof typeof MODULES)[]) {
      // The types of the AI SDK take long, so each compiler checks them once. check:package resolves every entry both ways.
      if (project === "plugins" && (modules === "bundler") === (compiler === "TypeScript 7")) continue;
      test(`${compiler}, ${modules}: ${project}.ts and our declarations have no errors`, async () => {
        expect(await compile(compiler, modules, project)).toEqual([]);
      });
    }
