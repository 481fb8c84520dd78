// One API: docs/reference/api.md shows every option of every surface side by side. The tables must have the names and the
// defaults that the code has, and an option must have the same name everywhere.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BaseRetrieverInput } from "@langchain/core/retrievers";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import * as ai from "../../src/ai/index.ts";
import { READER_OPTIONS, SluiceReader } from "../../src/browser/reader.ts";
import { WORKER_OPTIONS, WorkerReader } from "../../src/browser/worker.ts";
import { COMMANDS } from "../../src/cli/commands/command-groups.ts";
import { ENCODER_FLAGS, JSON_FLAG, THREADS_AND_KERNEL_FLAGS } from "../../src/cli/flags/flags.ts";
import type { Flag } from "../../src/cli/terminal/command.ts";
import { type SearchOptions, Sluice } from "../../src/index.ts";
import { ADD_OPTIONS } from "../../src/ingest/options/add-options.ts";
import { type SluiceRetrieverOptions, SluiceVectorStore } from "../../src/langchain/index.ts";
import { BUILD_OPTIONS, OPEN_OPTIONS } from "../../src/open/open-options.ts";
import { DEFAULT_CANDIDATES, PLAN_OPTIONS } from "../../src/query/plan/plan.ts";
import { createIndexRequestSchema } from "../../src/schemas/indexes/index-settings-schema.ts";
import { listRequestSchema } from "../../src/schemas/requests/list-request.ts";
import { planSchema } from "../../src/schemas/requests/plan-schema.ts";
import { defaultsOf } from "../../src/schemas/requests/search-options-schema.ts";
import {
  explainQueryRequestSchema,
  explainRequestSchema,
  searchAllRequestSchema,
  searchRequestSchema,
} from "../../src/schemas/requests/search-requests.ts";
import { suggestRequestSchema } from "../../src/schemas/requests/suggest-request.ts";
import { EXPLAIN_OPTIONS, EXPLAIN_QUERY_OPTIONS } from "../../src/search/options/explain-options.ts";
import { LIST_OPTIONS } from "../../src/search/options/list-options.ts";
import { RERANK_OPTIONS } from "../../src/search/options/rerank-options.ts";
import { SEARCH_OPTIONS } from "../../src/search/options/search-options.ts";
import { SUGGEST_OPTIONS } from "../../src/search/options/suggest-options.ts";
import { createServer, ROUTES } from "../../src/server/index.ts";
import {
  documentsParameters,
  listParameters,
  searchParameters,
  suggestParameters,
} from "../../src/server/routes/url-parameters.ts";
import { SAVE_OPTIONS } from "../../src/support/options/save-options.ts";
import { WORK_OPTIONS } from "../../src/support/options/work-options.ts";
import { explainInput } from "../../src/tools/explain-tool.ts";
import { getInput } from "../../src/tools/get-tool.ts";
import { searchInput } from "../../src/tools/search-tool.ts";
import { BM25_DEFAULTS } from "../../src/weigh/bm25.ts";
import { folderFetch } from "../browser/folder-fetch.ts";
import { commandLine } from "../helpers/command-line.ts";

const HTTP = {
  search: searchRequestSchema,
  searchAll: searchAllRequestSchema,
  searchGet: searchParameters,
  explain: explainRequestSchema,
  explainQuery: explainQueryRequestSchema,
};
const MCP = { search: searchInput(), explain: explainInput, get: getInput };

/** Commands that are no call of an index, and why. */
const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  serve: "starts a surface",
  key: "is about the server's keys",
  mcp: "starts a surface",
  completion: "is about the command line itself",
  densify: "is research: rows without a search",
  revert: "is research: rows without a search",
  eval: "is research: sluice/lab",
  fuse: "is research: sluice/lab",
  experiment: "is research: sluice/lab",
  train: "makes a model: sluice/lab",
  "export-encoder": "makes a model: sluice/lab",
  distill: "makes a model: sluice/lab",
  mine: "makes a model: sluice/lab",
};

/** Routes that are about the server, not about an index, and why. */
const OTHER_ROUTES: Readonly<Record<string, string>> = {
  "GET /v1/indexes": "lists the indexes of a server",
  "GET /v1/server": "describes the process",
  "GET /v1/reports": "shows reports of experiments",
  "GET /v1/reports/{name}": "shows reports of experiments",
  "GET /health": "is for what watches the process",
};

/** The most names that `import … from "sluice"` offers, values and types together. */
const MOST_NAMES = 45;

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/reference/api.md"), "utf8");

interface PlanJson {
  readonly properties: { readonly kind: { readonly const: string } };
}

type Row = Readonly<Record<string, string>>;

/** The first table under a heading: its rows, by the names of its columns. */
function tableOf(heading: string): Row[] {
  const section = page.split(`\n## ${heading}\n`)[1].split("\n## ")[0];
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const [columns, , ...rows] = lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.map((cells) => Object.fromEntries(columns.map((name, i) => [name, cells[i]])));
}

/** The names in a cell: what stands between backticks. */
const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
const column = (rows: readonly Row[], name: string) => rows.flatMap((row) => namesIn(row[name])).sort();
const keys = (...objects: object[]) => [...new Set(objects.flatMap(Object.keys))].sort();
const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const last = (name: string) => name.split(".").at(-1)!;
const command = (name: string) => COMMANDS.find((one) => one.name === name)!;
const asFlags = (names: readonly string[]) => names.map((name) => `--${name}`).sort();

/** The default that a flag has, or that its help states at the end: "…; 10 by default". */
function defaultOf({ type, default: usual, help }: Flag): string | undefined {
  if (type === "boolean") return undefined;
  const [, before, after] = /; (?:([^;]*) by default|by default ([^;]*))$/.exec(help) ?? [];
  return usual ?? before ?? after;
}

function expectSameDefaults(rows: readonly Row[], usual: string): void {
  for (const row of rows) {
    for (const name of namesIn(row["command line"])) {
      const [flag, of = usual] = name.split(" ").reverse();
      const { flags } = command(of);
      expect(flags, name).toHaveProperty(flag.slice(2));
      expect(defaultOf(flags[flag.slice(2)]) ?? row.default, name).toBe(row.default);
    }
  }
}

const search = tableOf("Options of a search");
const explain = tableOf("Options of an explanation");
const suggest = tableOf("Options of suggestions");
const list = tableOf("Options of a list");
const index = tableOf("Options of an index");

test("import … from sluice offers few names", () => {
  const source = readFileSync(join(root, "src/index.ts"), "utf8");
  expect(source).not.toMatch(/export \*/);
  const names = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    list.split(",").filter((name) => name.trim() !== ""),
  );
  expect(names.length).toBeGreaterThan(30);
  expect(names.length).toBeLessThanOrEqual(MOST_NAMES);
});

test("only constants and schemas that types are made of are kept from users", () => {
  const { intentionallyNotExported } = JSON.parse(readFileSync(join(root, "docs/typedoc.json"), "utf8"));
  expect(intentionallyNotExported.length).toBeGreaterThan(10);
  // TypeDoc refuses every other name that a published type mentions and no entry exports. Types begin with a capital letter.
  for (const name of intentionallyNotExported) expect(name).toMatch(/^([a-z]|[A-Z0-9_]+$)/);
});

test("the options of a search are those of the library and of the browser", () => {
  const parts = keys(...Object.values(PLAN_OPTIONS)).filter((name) => name !== "kind");
  const expected = [...keys(SEARCH_OPTIONS), ...parts.map((name) => `plan.${name}`), "query"].sort();
  const reranking = keys(RERANK_OPTIONS).map((name) => `rerank.${name}`);
  expect(column(search, "library")).toEqual([...expected, ...reranking].sort());
  expect(column(search, "browser, LangChain")).toEqual([...expected, ...reranking].sort());
});

test("the options of a search are those of the command line", () => {
  const shared = keys(ENCODER_FLAGS, THREADS_AND_KERNEL_FLAGS, JSON_FLAG);
  const flags = keys(command("search").flags).filter((name) => !shared.includes(name));
  expect(column(search, "command line")).toEqual(asFlags(flags));
  expectSameDefaults(search, "search");
});

test("the options of a search are those of HTTP, and of assistants", () => {
  const { anyOf } = z.toJSONSchema(planSchema) as unknown as { anyOf: [object, { oneOf: PlanJson[] }] };
  const plans = anyOf[1].oneOf;
  const parts = keys(...plans.map(({ properties }) => properties)).filter((name) => name !== "kind");
  const reranking = keys(HTTP.search.shape.rerank.unwrap().shape).map((name) => `rerank.${name}`);
  const expected = [...keys(HTTP.search.shape), ...parts.map((name) => `plan.${name}`), ...reranking].sort();
  expect(column(search, "HTTP")).toEqual(expected);
  expect(column(search, "HTTP, `GET`")).toEqual(keys(HTTP.searchGet.shape));
  expect(column(search, "MCP, AI SDK")).toEqual(keys(MCP.search.shape));
  const { inputSchema } = ai.searchTool({} as Sluice) as unknown as { inputSchema: typeof MCP.search };
  expect(keys(inputSchema.shape)).toEqual(keys(MCP.search.shape));
  expectTypeOf<SearchOptions>().toEqualTypeOf<
    Omit<SluiceRetrieverOptions, keyof BaseRetrieverInput | "index" | "withScores">
  >();
  const { queries: _, ...forAll } = HTTP.searchAll.shape;
  expect(keys(forAll, { query: true })).toEqual(keys(HTTP.search.shape));
  const kinds = plans.map(({ properties }) => properties.kind.const);
  expect([...kinds].sort()).toEqual(keys(PLAN_OPTIONS));
  const defaults = defaultsOf(HTTP.search);
  for (const row of search) {
    const [name] = namesIn(row.HTTP);
    if (typeof defaults[name] === "number") expect(row.default, name).toBe(String(defaults[name]));
  }
  expect(Object.values(defaults).some((value) => typeof value === "number")).toBe(true);
});

test("the options of an explanation are those of every surface", () => {
  expect(column(explain, "library")).toEqual(keys(EXPLAIN_OPTIONS));
  expect(column(explain, "browser")).toEqual(keys(EXPLAIN_OPTIONS));
  const shared = keys(ENCODER_FLAGS, JSON_FLAG);
  const flags = keys(command("explain").flags).filter((name) => !shared.includes(name));
  expect(column(explain, "command line")).toEqual(asFlags(flags));
  expectSameDefaults(explain, "explain");
  expect([...column(explain, "HTTP"), "id", "query"].sort()).toEqual(keys(HTTP.explain.shape));
  expect(keys({ ...EXPLAIN_QUERY_OPTIONS, boosts: true, fieldWeights: true })).toEqual(
    keys(EXPLAIN_OPTIONS, { plan: true }),
  );
  expect(keys(HTTP.explainQuery.shape)).toEqual([
    "lambda",
    "plan",
    "prefix",
    "query",
    "synonyms",
    "syntax",
    "typos",
  ]);
});

test("the options of suggestions are those of every surface", () => {
  expect(column(suggest, "library")).toEqual(keys(SUGGEST_OPTIONS));
  expect(column(suggest, "browser")).toEqual(keys(SUGGEST_OPTIONS));
  const shared = keys(ENCODER_FLAGS, JSON_FLAG);
  const flags = keys(command("suggest").flags).filter((name) => !shared.includes(name));
  expect(column(suggest, "command line")).toEqual(asFlags(flags));
  expectSameDefaults(suggest, "suggest");
  expect(column(suggest, "HTTP")).toEqual(keys(suggestRequestSchema.shape));
  expect(column(suggest, "HTTP, `GET`")).toEqual(keys(suggestParameters.shape));
  const { k, typos, syntax } = defaultsOf(suggestRequestSchema);
  expect(suggest.map((row) => row.default).slice(1, 4)).toEqual([k, typos, syntax].map(String));
});

test("the options of a list are those of every surface", () => {
  expect(column(list, "library")).toEqual(keys(LIST_OPTIONS));
  expect(column(list, "browser")).toEqual(keys(LIST_OPTIONS));
  const flags = keys(command("list").flags).filter((name) => name !== "json");
  expect(column(list, "command line")).toEqual(asFlags(flags));
  expectSameDefaults(list, "list");
  expect(column(list, "HTTP")).toEqual(keys(listRequestSchema.shape));
  expect(column(list, "HTTP, `GET`")).toEqual(keys(listParameters.shape));
  const { default: limit } = list.find((row) => row.library === "`limit`")!;
  expect(defaultsOf(listRequestSchema).limit).toBe(Number(limit));
});

test("the options of an index are those of open, build and the browser", () => {
  const expected = keys(OPEN_OPTIONS, BUILD_OPTIONS).filter((name) => name !== "bm25");
  const bm25 = keys(BM25_DEFAULTS).map((name) => `bm25.${name}`);
  expect(column(index, "library")).toEqual([...expected, ...bm25].sort());
  expect(column(index, "browser")).toEqual(keys(READER_OPTIONS));
  const settings = keys(createIndexRequestSchema.shape).filter((name) => name !== "bm25");
  expect(column(index, "HTTP")).toEqual([...settings, ...bm25, "passages"].sort());
  expect(keys(documentsParameters.shape)).toContain("passages");
  expect(keys(WORKER_OPTIONS, { fetch: true })).toEqual(keys(READER_OPTIONS, { worker: true }));
  expectSameDefaults(index, "index");
  expect(keys(ADD_OPTIONS)).toEqual(["encodings", "onProgress", "passages", "signal"]);
  expect(keys(WORK_OPTIONS)).toEqual(["onProgress", "signal"]);
  expect(keys(SAVE_OPTIONS)).toEqual(["onProgress", "overwrite", "signal"]);
});

test("every flag of index and add is in a table", () => {
  const filling = column(tableOf("Flags that fill an index"), "flag");
  const ofIndex = column(index, "command line").filter((name) => !name.includes(" "));
  const flagsOf = (name: string) => asFlags(keys(command(name).flags));
  const listed = new Set([...filling.filter((name) => name !== "--upsert"), ...ofIndex, "--no-fold-accents"]);
  expect([...listed].sort()).toEqual(flagsOf("index"));
  expect(flagsOf("add").filter((name) => !filling.includes(name))).toEqual([]);
  expect(filling.filter((name) => !flagsOf("add").includes(name))).toEqual([]);
});

test("an option has the same name everywhere", () => {
  for (const row of [...search, ...explain, ...suggest, ...list, ...index]) {
    const [name] = namesIn(row.library);
    if (name === undefined) continue;
    for (const surface of ["HTTP", "MCP, AI SDK", "browser", "browser, LangChain"]) {
      for (const other of namesIn(row[surface] ?? "")) expect(other).toBe(name);
    }
    for (const other of namesIn(row["HTTP, `GET`"] ?? "")) expect(other).toBe(last(name));
    const own = name.startsWith("rerank.") ? name.replace(".", "-") : last(name);
    for (const flag of namesIn(row["command line"])) {
      const [typed, of = "search"] = flag.split(" ").reverse();
      // A flag that may be repeated gives one of a list.
      const isOneOfList = command(of).flags[typed.slice(2)]?.multiple && own.endsWith("s");
      expect(typed.replace(/^--no-/, "--")).toBe(`--${kebab(isOneOfList ? own.slice(0, -1) : own)}`);
    }
  }
});

test.each(["threads", "encoder-threads", "queries", "lexical", "kernel", "encoder", "description", "metric"])(
  "--%s means the same in every command",
  (name) => {
    const meanings = COMMANDS.map(({ flags }) => flags[name]).filter(Boolean);
    expect(meanings.length).toBeGreaterThan(0);
    for (const meaning of meanings) expect(meaning).toEqual(meanings[0]);
  },
);

describe("the table of calls has every call", () => {
  const calls = tableOf("Calls");
  /** Names of a class that a user can reach. */
  const publicNames = (type: { prototype: object }) =>
    [...Object.getOwnPropertyNames(type), ...Object.getOwnPropertyNames(type.prototype)]
      .filter((name) => !["constructor", "length", "name", "prototype"].includes(name))
      .sort();

  test("of the library and of the browser", () => {
    expect(column(calls, "library")).toEqual(publicNames(Sluice));
    expect(column(calls, "browser")).toEqual(publicNames(SluiceReader));
    expect(publicNames(SluiceReader)).toEqual([...publicNames(WorkerReader), "open"].sort());
  });

  test("of the command line", () => {
    const named = column(calls, "command line").map((cell) => cell.split(" ")[0]);
    const listed = [...new Set([...named, ...Object.keys(OTHER_COMMANDS)])].sort();
    expect(listed).toEqual(COMMANDS.map(({ name }) => name).sort());
    expect(named.filter((name) => Object.hasOwn(OTHER_COMMANDS, name))).toEqual([]);
  });

  test("of HTTP", () => {
    const routes = Object.values(ROUTES).map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace("/v1/indexes/{name}", "…")}`,
    );
    expect([...column(calls, "HTTP"), ...Object.keys(OTHER_ROUTES)].sort()).toEqual(routes.sort());
  });

  test("of assistants", () => {
    const source = readFileSync(join(root, "src/mcp/server.ts"), "utf8");
    const tools = [...source.matchAll(/registerTool\(\s*"(\w+)"/g)].map(([, name]) => name).sort();
    expect(column(calls, "MCP")).toEqual(tools);
    expect(keys(MCP)).toEqual(tools);
    expect(column(calls, "AI SDK")).toEqual(Object.keys(ai).sort());
    const offered = publicNames(SluiceVectorStore).filter((name) => !name.startsWith("_"));
    expect(column(calls, "LangChain")).toEqual(["SluiceRetriever", ...offered]);
  });
});

test("every surface returns as many hits, by the same plan, unless told otherwise", async () => {
  const { default: k } = search.find((row) => row.library === "`k`")!;
  const { default: plan } = search.find((row) => row.library === "`plan`")!;
  const { default: candidates } = search.find((row) => row.library === "`plan.candidates`")!;
  expect(Number(candidates)).toBe(DEFAULT_CANDIDATES);
  const documents = Array.from({ length: 30 }, (_, i) => ({ id: String(i), text: `gate ${i}` }));
  const built = await Sluice.build(documents);
  const folder = mkdtempSync(join(tmpdir(), "sluice-api-"));
  await built.save(join(folder, "index"));
  await built.exportWeb(join(folder, "web"));
  const server = createServer({ built });
  const ask = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const init = body && { method: "POST", headers, body: JSON.stringify(body) };
    return (await server.fetch(new Request(`http://localhost/v1/indexes/built/${path}`, init))).json();
  };
  const reader = await SluiceReader.open("http://localhost/", { fetch: folderFetch(join(folder, "web")) });
  const { out } = await commandLine(["search", join(folder, "index"), "gate", "--json"]);
  const answers = [
    await built.search("gate"),
    await reader.search("gate"),
    JSON.parse(out),
    await ask("search", { query: "gate" }),
    await ask("search?query=gate"),
  ];
  for (const { hits, stats } of answers) {
    expect(hits).toHaveLength(Number(k));
    expect(stats.plan).toBe(plan);
  }
  const tool = (await ai.searchTool(built).execute!(
    searchInput().parse({ query: "gate" }),
    {} as never,
  )) as ai.SearchOutput;
  expect(tool.hits).toHaveLength(Number(k));
  const { slicingSettings: slicing, bm25 } = built.info();
  const defaults = Object.fromEntries(index.map((row) => [namesIn(row.library)[0], row.default]));
  expect(defaults).toMatchObject({
    dims: slicing.strategy,
    lexical: "bm25",
    analyzer: built.info().analyzer,
  });
  expect([defaults["bm25.k1"], defaults["bm25.b"]].map(Number)).toEqual([bm25!.k1, bm25!.b]);
  expect(built.kernel.name).toBe(defaults.kernel);
});

test("messages of the library name no flags of the command line", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.ts$/.test(name) && !/\.test\.ts$|^cli\/|\.d\.ts$|\/assembly\/|report\/style\.ts$/.test(name),
  );
  for (const file of files) {
    const source = readFileSync(join(root, "src", file), "utf8").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    const texts = source.match(/(["`])(?:(?!\1)[^\\\n]|\\.)*\1/g) ?? [];
    const flags = texts.filter(
      (text) => /(^|[\s"`(])--[a-z]/.test(text) && !/npm install|--omit=/.test(text),
    );
    expect(flags, file).toEqual([]);
  }
});
