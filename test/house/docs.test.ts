// The documentation keeps its promises: every complete program in it runs and prints what the page says, every fragment
// compiles, and every link leads to a file and a heading.
//
// How blocks are marked:
//   ```ts                   a complete program; a plain ``` block right behind it is what it prints. It finds the files that its
//                           page writes by `cat > FILE <<'END'`
//   ```ts fragment          a part of a program: its types are checked, with what is around it given, and it is not run

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { afterEach, expect, test, vi } from "vitest";

vi.setConfig({ testTimeout: 300_000 }); // compiles and runs programs

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

const inRoot = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "GLOSSARY.md",
  "SECURITY.md",
];
const inDocs = ["docs", "docs/guides", "docs/reference"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`),
);
const inFolders = [
  ...readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => basename(name) === "README.md")
    .map((name) => `src/${name.replaceAll("\\", "/")}`),
  "web/README.md",
];
const PAGES = [...inRoot, ...inDocs, ...inFolders];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly kind: "program" | "fragment";
  readonly needs: readonly string[];
  readonly code: string;
  /** What the page says it prints, where it says so. */
  readonly printed?: string;
}

const BLOCKS = PAGES.flatMap(blocksOf);

function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const text = read(page);
  for (const match of text.matchAll(/^```ts( [^\n]*)?\n([\s\S]*?)^```\n(?:\n```\n([\s\S]*?)^```)?/gm)) {
    const [, marks = "", code, printed] = match;
    const line = text.slice(0, match.index).split("\n").length;
    const mark = marks.trim();
    expect(["fragment", ""], `${page}:${line}: how the block is marked`).toContain(mark);
    blocks.push({
      ...{ page, line, code, needs: needsOf(code) },
      kind: mark === "fragment" ? "fragment" : "program",
      ...(printed !== undefined && { printed }),
    });
  }
  return blocks;
}

/** Optional packages that a program cannot do without. */
function needsOf(code: string): string[] {
  return code.includes('encoder: "builtin') ? ["onnxruntime-node"] : [];
}

const folder = mkdtempSync(join(tmpdir(), "sluice-docs-"));
const home = process.cwd();
afterEach(() => {
  process.chdir(home);
  vi.restoreAllMocks();
});

/** Runs a program in a folder of its own; what it prints. vitest.config.ts leads "sluice" to this checkout's sources. */
async function run({ page, line, code }: Block): Promise<string> {
  const place = join(folder, `${page.replaceAll(/\W/g, "-")}-${line}`);
  mkdirSync(place);
  for (const [, name, text] of read(page).matchAll(/^cat > (\S+) <<'END'\n([\s\S]*?)^END$/gm))
    writeFileSync(join(place, name), text);
  const file = join(place, "program.ts");
  writeFileSync(file, code);
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...words) => void printed.push(`${format(...words)}\n`));
  process.chdir(place);
  await import(file);
  return printed.join("");
}

test("the pages have programs to run", () => {
  expect(BLOCKS.filter(({ kind }) => kind === "program").length).toBeGreaterThan(5);
});

for (const block of BLOCKS.filter(({ kind }) => kind === "program")) {
  const { page, line, printed, needs } = block;
  const absent = needs.filter((name) => !existsSync(join(root, "node_modules", name)));
  const skipped = absent.length > 0 ? ` (skipped: not installed: ${absent.join(", ")})` : "";
  test(`${page}:${line} runs and prints what it says${skipped}`, { skip: skipped !== "" }, async () => {
    const stdout = await run(block);
    if (printed !== undefined) expect(stdout).toBe(printed);
  });
}

/** Modules that fragments import: other packages, and a module that a page describes. */
const MODULES = `
declare module "express" {
  interface App {
    get(path: string, handler: (request: { query: Record<string, unknown> }, response: any) => unknown): void;
    listen(port: number): import("node:http").Server;
  }
  export default function express(): App;
}
declare module "*/articles.js" {
  export function searchArticles(query: string, signal?: AbortSignal): Promise<object[]>;
  export function closeArticles(): Promise<void>;
}
`;

/** What stands around fragments, in a user's program. */
const AROUND = ["bar", "signal", "documents", "embeddings", "openai", "generateText", "stepCountIs"]
  .map((name) => `declare const ${name}: any;`)
  .join(" ");

test("programs and fragments have the right types", () => {
  const place = join(folder, "types");
  mkdirSync(place);
  const names = BLOCKS.map(({ page, line, code, kind }) => {
    const name = `${page.replaceAll(/\W/g, "-")}-${line}.ts`;
    writeFileSync(join(place, name), kind === "fragment" ? `${code}${AROUND}` : code);
    return name;
  });
  writeFileSync(join(place, "modules.d.ts"), MODULES);
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  writeFileSync(join(place, "package.json"), '{ "type": "module" }');
  const paths = {
    sluice: [join(root, "src/index.ts")],
    "sluice/*": [join(root, "src/*/index.ts"), join(root, "src/*.ts")],
  };
  const compilerOptions = {
    rootDir: "/",
    noEmit: true,
    noUnusedLocals: false,
    paths,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    include: [...names, "modules.d.ts", join(root, "src/**/*.d.ts")],
    exclude: [],
  };
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", place], { encoding: "utf8" });
  expect(stdout).toBe("");
});

/** A heading as GitHub names it in an address. */
function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\p{M}\-_ ]/gu, "").replaceAll(" ", "-");
}

function anchorsOf(page: string): Set<string> {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, "");
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading)));
}

test.each(PAGES)("every link of %s leads to a file and a heading", (page) => {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, "");
  for (const [, target] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
    const [path, anchor] = target.split("#");
    const file = path === "" ? page : relative(root, join(root, dirname(page), path));
    expect(existsSync(join(root, file)), `${page} links to ${target}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(file), `${page} links to ${target}`).toContain(anchor);
  }
});
