// The folders of src follow the data: a folder imports only from folders before it in this list, and so do the rooms within a
// folder. The test walks all imports, those of types, dynamic ones and threads included.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DOORS, DOORS_FOR_LAB, DOORS_FOR_WEB } from "./doors.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SRC = join(ROOT, "src");

/** The engine, from a document to a hit. */
const ENGINE = [
  ...["support", "documents", "passages", "read", "analyze", "weigh", "wasm", "encode", "densify", "segment"],
  ...["store", "ingest", "query", "scan", "rank", "search", "open", "repair", "cluster"],
];
/** Pictures and pages of results, and research. They use the engine; the engine never imports them. */
const LAB = ["report", "lab"];
/** Ways to use the engine from outside. */
const ADAPTERS = ["schemas", "tools", "ai", "mcp", "langchain", "browser", "server", "cli"];
const FOLDERS = [...ENGINE, ...LAB, ...ADAPTERS];

/**
 * What each adapter imports of other folders, besides the errors. `sluice` is the class Sluice or the public API. ARCHITECTURE.md
 * says the same.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schemas: ["analyze", "densify", "documents", "encode", "query", "search", "support"],
  tools: ["documents", "schemas", "search"],
  ai: ["sluice", "tools"],
  mcp: ["sluice", "support", "tools"],
  langchain: ["sluice", "support"],
  browser: [
    ...["analyze", "densify", "documents", "encode", "open", "query", "rank", "scan", "search", "segment"],
    ...["store", "support"],
  ],
  server: ["documents", "open", "read", "schemas", "sluice", "store", "support"],
  cli: [
    ...[
      "analyze",
      "densify",
      "documents",
      "encode",
      "lab",
      "mcp",
      "open",
      "passages",
      "query",
      "read",
      "report",
      "scan",
      "search",
      "server",
    ],
    ...["sluice", "store", "support", "tools", "weigh"],
  ],
};

/**
 * The rooms within a folder, in order. The files beside them put rooms together: they import from all rooms, and no room
 * imports them.
 */
const ROOMS: Record<string, readonly string[]> = {
  "src/support": ["errors", "numbers", "bytes", "options", "work", "environment", "files"],
  "src/read": ["stream", "records", "weights"],
  "src/analyze": ["contract", "letters", "words", "languages", "analyzers"],
  "src/encode": ["contract", "folder", "tokenize", "static", "onnx", "rerank"],
  "src/segment": ["container", "rows", "columns", "lexical", "codes", "semantic"],
  "src/store": ["database", "packed", "record", "commit", "snapshot", "medium", "verify", "backup", "web"],
  "src/ingest": ["options", "collect", "build", "write", "merge"],
  "src/query": ["ask", "words", "prepare", "plan"],
  "src/search": [
    ...["options", "demands", "match", "additions", "count", "ranking", "hits", "suggest", "list", "explain"],
  ],
  "src/scan": ["contract", "wasm", "webgpu"],
  "src/cluster": ["connect", "rows", "commit", "search", "write", "transfer"],
  "src/schemas": ["shared", "indexes", "requests", "answers"],
  "src/lab": ["eval", "quantize", "experiments", "train"],
  "src/lab/train": [
    ...["data", "graph", "model", "loss", "step", "run", "teacher", "measure", "export", "static"],
  ],
  "src/server": ["wire", "routes", "access", "page", "indexes", "traffic"],
  "src/cli": ["terminal", "flags", "sources", "tasks", "commands"],
  "src/cli/commands": ["documents", "search", "serving", "copies", "upkeep", "research"],
  web: [
    ...[
      "api",
      "address",
      "text",
      "markdown",
      "shell",
      "jobs",
      "chart",
      "explain",
      "document",
      "suggest",
      "search",
      "playground",
      "reports",
      "indexes",
      "docs",
    ],
  ],
};

/** Files beside the rooms that put nothing together: several folders import them, or several files beside the rooms. */
const FOR_THEMSELVES = [
  ...["src/read/folder.ts", "src/analyze/likeliest-word.ts", "src/analyze/text-pieces.ts"],
  ...["src/cluster/cluster-limits.ts", "src/server/server-defaults.ts"],
];

/** A folder that is loaded when it is first asked for, by one file, because an index in a folder does without it. */
const LOADED_LATER = { folder: "cluster", file: "cluster/open-cluster.ts", by: "index-locations.ts" };

/** Files that a document names, and that are no source: builds make them, a reader saves them, or they stand for any name. */
const GENERATED = ["src/wasm/binary.ts", "x.test.ts", "quickstart.mjs"];

/** All folders may import the errors. The files that put the engine together may import everything. */
const ERRORS = "support/errors/sluice-error.ts";
const WHOLE = ["internals.ts", "index-locations.ts", "sluice.ts", "index.ts"];

/**
 * What tests of src import from below their folder: plain definitions that faster code is compared with, and a reader of real
 * texts. A test that needs more of what is below is in the folder of `test` with the same name.
 */
const FOR_TESTS = [
  ...["rank/definition.ts", "rank/dot.ts", "rank/lexical-scorer.ts"],
  "lab/eval/beir-files.ts",
];

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  // AssemblyScript is another language, with imports of its own.
  (name) => name.endsWith(".ts") && !name.includes("/assembly/"),
);
const files = sources.filter((name) => !name.endsWith(".test.ts"));
const tests = sources.filter((name) => name.endsWith(".test.ts"));
const imports = new Map(files.map((file) => [file, importsOf(file)] as const));
const folderOf = (file: string) => file.split("/")[0];

function importsOf(file: string, root = SRC): string[] {
  return targetsOf(file, /\b(?:from |import |import\()\s*"(\.[^"]+)"/g, root);
}

/** Threads that a file starts, by their built names. */
function threadsOf(file: string, root = SRC): string[] {
  return targetsOf(file, /\bnew URL\("(\.[^"]+\.js)"/g, root).map((target) => target.replace(/\.js$/, ".ts"));
}

function targetsOf(file: string, statements: RegExp, root: string): string[] {
  const targets = [...readFileSync(join(root, file), "utf8").matchAll(statements)].map(
    ([, target]) => target,
  );
  return targets.map((target) => relative(root, join(root, file, "..", target)));
}

/** Whether a file may import a file of another folder. */
function isAllowed(from: string, to: string): boolean {
  if (to === ERRORS) return true;
  const [a, b] = [folderOf(from), folderOf(to)];
  if (a === b || WHOLE.includes(from)) return a === b || !ADAPTERS.includes(b);
  if (WHOLE.includes(to)) return !ENGINE.includes(a);
  return FOLDERS.indexOf(b) < FOLDERS.indexOf(a);
}

test("every folder of src is in the list, and nothing but four files stands outside of one", () => {
  const found = new Set(files.map(folderOf));
  expect([...found].sort()).toEqual([...FOLDERS, ...WHOLE].sort());
});

test("a folder imports only from those above it", () => {
  const wrong = [...imports].flatMap(([file, targets]) =>
    [...targets, ...threadsOf(file)]
      .filter((target) => !isAllowed(file, target))
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test.each(ENGINE.filter((folder) => folder !== "support"))("others enter %s by its doors", (folder) => {
  /** The files of the folder that files of other folders import, without the ending. */
  const enteredBy = (isFrom: (folder: string) => boolean) => {
    const targets = [...imports].flatMap(([file, found]) =>
      isFrom(folderOf(file)) ? [...found, ...threadsOf(file)] : [],
    );
    const entered = targets.filter((target) => folderOf(target) === folder);
    return [...new Set(entered)].map((target) => relative(folder, target).replace(/\.ts$/, "")).sort();
  };
  const [doors, forLab] = [DOORS[folder] ?? [], DOORS_FOR_LAB[folder] ?? []];
  expect(enteredBy((from) => from !== folder && from !== "lab")).toEqual(doors);
  expect(enteredBy((from) => from === "lab").filter((file) => !doors.includes(file))).toEqual(forLab);
});

test("so does a test beside the code, but for definitions to compare with", () => {
  expect(tests.length).toBeGreaterThan(100);
  const found = tests.flatMap((file) =>
    importsOf(file)
      // Helpers of tests are outside of src.
      .filter((target) => !target.startsWith("..") && !isAllowed(file.replace(".test.ts", ".ts"), target))
      .map((target) => ({ target, arrow: `${file} → ${target}` })),
  );
  expect(found.filter(({ target }) => !FOR_TESTS.includes(target)).map(({ arrow }) => arrow)).toEqual([]);
  expect([...new Set(found.map(({ target }) => target))].sort()).toEqual([...FOR_TESTS].sort());
});

test("a cluster's code is loaded when an address asks for it, and not before", () => {
  const { folder, file, by } = LOADED_LATER;
  const entries = [...imports].flatMap(([from, targets]) =>
    targets
      .filter((target) => folderOf(target) === folder && folderOf(from) !== folder)
      .map((target) => `${from} → ${target}`),
  );
  expect(entries).toEqual([`${by} → ${file}`]);
  expect(readFileSync(join(SRC, by), "utf8")).toContain(`=> import("./${file}")`);
});

test.each(ADAPTERS)("%s imports what the table says, and nothing else", (adapter) => {
  const targets = [...imports].flatMap(([file, found]) => (folderOf(file) === adapter ? found : []));
  const folders = targets
    .filter((target) => target !== ERRORS)
    .map((target) => (WHOLE.includes(target) ? "sluice" : folderOf(target)));
  const others = folders.filter((folder) => folder !== adapter);
  expect([...new Set(others)].sort()).toEqual([...MAY_IMPORT[adapter]].sort());
});

test("the ranking knows the contract of first stages, and none of them", () => {
  const scanned = [...imports].flatMap(([file, targets]) =>
    folderOf(file) === "rank" ? targets.filter((target) => folderOf(target) === "scan") : [],
  );
  expect(scanned.length).toBeGreaterThan(0);
  expect(scanned.filter((target) => !target.startsWith("scan/contract/"))).toEqual([]);
});

test("every folder within a folder is a room in the list", () => {
  const found = new Set(files.map(dirname).filter((folder) => folder.includes("/")));
  const rooms = Object.entries(ROOMS).flatMap(([folder, names]) => names.map((name) => join(folder, name)));
  const ofSrc = rooms.filter((room) => room.startsWith("src")).map((room) => relative("src", room));
  expect([...found].sort()).toEqual(ofSrc.sort());
});

test.each(Object.entries(ROOMS))("a room of %s imports only from rooms above it", (folder, rooms) => {
  const root = join(ROOT, folder);
  const inside = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"),
  );
  expect(inside.length).toBeGreaterThan(rooms.length);
  /** The files beside the rooms come last. */
  const orderOf = (file: string) => {
    if (!file.includes("/")) return rooms.length;
    expect(rooms, `${folder}/${file} is in no room`).toContain(folderOf(file));
    return rooms.indexOf(folderOf(file));
  };
  const wrong = inside.flatMap((file) =>
    [...importsOf(file, root), ...threadsOf(file, root)]
      .filter((target) => !target.startsWith("..") && !target.endsWith(".css"))
      .filter((target) => orderOf(target) > orderOf(file))
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("a file beside the rooms puts them together", () => {
  const alone = Object.entries(ROOMS).flatMap(([folder, rooms]) => {
    const beside = readdirSync(join(ROOT, folder)).filter(
      (name) => /\.tsx?$/.test(name) && !/\.(?:test|d)\.tsx?$/.test(name),
    );
    return beside
      .filter((file) => {
        const targets = [...importsOf(file, join(ROOT, folder)), ...threadsOf(file, join(ROOT, folder))];
        return !targets.some((target) => rooms.includes(folderOf(target)) || beside.includes(target));
      })
      .map((file) => `${folder}/${file}`);
  });
  expect(alone.sort()).toEqual([...FOR_THEMSELVES].sort());
});

test.each(["src", "web", "bench"])("no file of %s imports or starts itself by a detour", (folder) => {
  const root = join(ROOT, folder);
  const inside = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts") && !name.includes("/assembly/"),
  );
  expect(inside.length).toBeGreaterThan(30);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    expect(path, `a cycle: ${[...path, file].join(" → ")}`).not.toContain(file);
    if (done.has(file) || !inside.includes(file)) return;
    for (const target of [...importsOf(file, root), ...threadsOf(file, root)]) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of inside) visit(file, []);
});

test("ARCHITECTURE.md says what adapters import", () => {
  const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const said = [...text.matchAll(/`(\w+)` ← ([\w,\s]+)\./g)];
  expect(Object.fromEntries(said.map(([, adapter, names]) => [adapter, names.split(/,\s+/)]))).toEqual(
    MAY_IMPORT,
  );
});

/** A step of a search: what it does, where it is, and the file that calls it. */
type SearchStep = readonly [step: string, where: string, caller: string];

/** The steps that the head of search.ts lists. */
function stepsOfSearch(): SearchStep[] {
  const head = readFileSync(join(SRC, "search/search.ts"), "utf8");
  const lines = [...head.matchAll(/^\/\/ {3}(\S.*?) {2,}(\S.*?) {2,}(\S.*)$/gm)];
  return lines.map(([, step, where, caller]) => [step, where, caller]);
}

/** The files and folders that a step names, from `src`. What stands behind a semicolon depends on the index. */
function placesOf(where: string): string[] {
  const [always] = where.split(";");
  return always.split(", ").map((place) => {
    const isOfSrc = ENGINE.some((folder) => folder !== "search" && place.startsWith(`${folder}/`));
    return isOfSrc ? place : `search/${place}`;
  });
}

test("the rooms of a search are in the order of its steps, and other calls come after them", () => {
  const steps = stepsOfSearch();
  expect(steps.length).toBeGreaterThan(10);
  const passed = steps.flatMap(([, where]) =>
    placesOf(where).flatMap((place) =>
      ROOMS["src/search"].filter((room) => place.startsWith(`search/${room}/`)),
    ),
  );
  const rooms = ROOMS["src/search"];
  // `ranking` calls the three rooms before it.
  const inOrder = passed.filter((room) => room !== "ranking");
  inOrder.splice(inOrder.indexOf("count") + 1, 0, "ranking");
  expect([...new Set(inOrder), "suggest", "list", "explain"]).toEqual(rooms);
});

test("a step of a search is imported by the file that calls it, or comes with the context", () => {
  const importedBy = (file: string) => imports.get(file)!;
  const begins = (targets: readonly string[], place: string) =>
    targets.some((target) => target === place || (place.endsWith("/") && target.startsWith(place)));
  const callers = ["search/search.ts"];
  for (const [step, where, name] of stepsOfSearch()) {
    const caller = `search/${name}`;
    if (!callers.includes(caller)) {
      expect(callers.flatMap(importedBy), `nobody calls ${caller}`).toContain(caller);
      callers.push(caller);
    }
    let known = [...importedBy(caller)];
    if (known.includes("search/ranking/search-context.ts"))
      known.push(...importedBy("search/ranking/search-context.ts"));
    for (const place of placesOf(where)) {
      expect(begins(known, place), `${step}: ${caller} → ${place}`).toBe(true);
      if (imports.has(place)) known = [...known, ...importedBy(place)];
    }
  }
  expect(callers).toEqual([
    ...["search/search.ts", "search/ranking/rank-queries.ts", "search/ranking/ranking-input.ts"],
  ]);
});

const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");

/** Whether a file ends like this name, or a build makes it. */
const isThere = (name: string) =>
  GENERATED.includes(name) || tracked.some((path) => `/${path}`.endsWith(`/${name}`));

test("every file that a document of the tree names is there", () => {
  const documents = tracked.filter((name) =>
    /^(?:README|ARCHITECTURE|CONTRIBUTING)\.md$|^src\/.*README\.md$/.test(name),
  );
  const named = documents.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8").replace(/^```.*?^```/gms, "");
    const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs))`/g)].map(([, name]) => name);
    return names.map((name) => ({ document, name }));
  });
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
});

test("every file that a comment of src names is there", () => {
  const named = sources.flatMap((file) => {
    const lines = readFileSync(join(SRC, file), "utf8").split("\n");
    const comments = lines.map((line) => line.match(/(?:^|\s)(?:\/\/|\/\*\*|\*)\s(.*)$/)?.[1] ?? "");
    const names = comments.flatMap(
      (comment) => comment.match(/(?<![\w./-])[\w-]+(?:\/[\w.-]+)*\.(?:tsx?|mjs)\b/g) ?? [],
    );
    return names.map((name) => ({ file, name }));
  });
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
});

test("every import leads to a file", () => {
  expect(files.length).toBeGreaterThan(30);
  for (const [file, targets] of imports) {
    for (const target of [...targets, ...threadsOf(file)])
      expect(files, `${file} imports ${target}`).toContain(target);
  }
});

test("the page imports of src what the table says", () => {
  const web = join(ROOT, "web");
  const pages = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"),
  );
  expect(pages.length).toBeGreaterThan(30);
  const targets = pages
    .flatMap((page) => importsOf(page, web))
    .filter((target) => target.startsWith("../src/"));
  const entered = [...new Set(targets)].map((target) => target.replace(/^\.\.\/src\/|\.ts$/g, "")).sort();
  const doors = Object.entries(DOORS_FOR_WEB).flatMap(([folder, names]) =>
    names.map((name) => `${folder}/${name}`),
  );
  expect(entered).toEqual(doors.sort());
  for (const page of pages) {
    const statements =
      readFileSync(join(web, page), "utf8").match(/^import [^;]*src\/schemas\/[^;]*;/gms) ?? [];
    expect(
      statements.filter((statement) => !statement.startsWith("import type ")),
      page,
    ).toEqual([]);
  }
});
