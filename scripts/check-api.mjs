// Tests the built server against its OpenAPI document. Schemathesis sends valid and invalid requests, and fails when the
// server and the document disagree. It needs Python and PyPI; without them the check is skipped and the reason printed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isStale } from "./sources.mjs";

/** The pinned version. Other versions send other requests, so raise it on purpose. */
const SCHEMATHESIS = "schemathesis==4.32.5";
/** Random requests per route, besides those for every bound and example. More take longer. */
const EXAMPLES = Number(process.env.EXAMPLES ?? 10);
/**
 * Options that depend on the fields of the documents, on the server's limits, on words, on a model to rerank with, or on each other:
 * passages overlap by less than their length.
 */
const BY_INDEX = [
  "passages",
  "rerank",
  "boosts",
  "fieldWeights",
  "facets",
  "among",
  "sort",
  "groupBy",
  "syntax",
  "synonyms",
];

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "test-artifacts", "schemathesis", process.platform === "win32" ? "Scripts" : "bin");

if (isStale()) {
  const { status } = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
const missing = install();
if (missing) console.log(`the API is not checked by schemathesis: ${missing}`);
else process.exitCode = await check();

/** Installs schemathesis into a folder that git ignores. Returns the reason if that fails. */
function install() {
  const st = join(bin, "st");
  const has = existsSync(st) && run(st, ["--version"]).stdout.includes(SCHEMATHESIS.split("==")[1]);
  if (has) return undefined;
  const python = run("python3", ["-m", "venv", "--clear", join(bin, "..")]);
  if (python.error) return "there is no python3";
  if (python.status !== 0) return `python3 cannot make a virtual environment: ${lastLine(python)}`;
  const pip = run(join(bin, "python"), ["-m", "pip", "install", "--quiet", SCHEMATHESIS]);
  return pip.status === 0 ? undefined : `pip cannot install ${SCHEMATHESIS}: ${lastLine(pip)}`;
}

/** Runs schemathesis against a server with a small index. Returns its exit code. */
async function check() {
  const { Sluice } = await import("../dist/src/index.js");
  const { serve } = await import("../dist/src/server/index.js");
  const folder = mkdtempSync(join(tmpdir(), "sluice-api-"));
  const index = await Sluice.open(join(folder, "index"), { encoder: "none", positions: true });
  await index.add([
    { id: "noun.01234567", title: "Sluice", text: "a gate that controls the flow of water", year: 1340 },
    { id: "noun.07654321", title: "Arachnophobia", text: "a morbid fear of spiders", kind: "noun" },
  ]);
  await index.commit();
  const log = { info() {}, warn() {}, error: (entry, message) => console.error(message, entry) };
  // The examples in the document use this name.
  const server = await serve({ dictionary: index }, { port: 0, page: false, log });
  try {
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(forThisIndex(document)));
    return await schemathesis(file, server.url, folder);
  } finally {
    await server.close({ graceMs: 100 });
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Removes what depends on the index or the server, which no schema can express: the width of vectors, whether documents
 * bring weights, whether there are product codes, whether a phrase has words, and the options above. Sets the name of the index, so that requests
 * reach it.
 */
function forThisIndex(document) {
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.startsWith("/v1/indexes/{name}")) continue;
    // No schema says which bytes are a file of documents.
    if (path.endsWith("/upload")) delete document.paths[path];
    for (const operation of Object.values(operations)) {
      operation.parameters.find(({ name }) => name === "name").schema = {
        type: "string",
        enum: ["dictionary"],
      };
      operation.parameters = operation.parameters.filter(({ name }) => !BY_INDEX.includes(name));
    }
  }
  const { Query, Document, Plan, ...others } = document.components.schemas;
  for (const schema of Object.values(others)) {
    if (!schema.properties) continue;
    for (const name of BY_INDEX) delete schema.properties[name];
  }
  for (const name of ["vector", "like", "termFactors", "must", "mustNot", "prefer"])
    delete Query.anyOf[1].properties[name];
  const own = ["vector", "weights", "termFactors"];
  for (const name of own) delete Document.properties[name];
  Document.propertyNames = { not: { enum: own } };
  const [names, plans] = Plan.anyOf;
  names.enum = names.enum.filter((name) => name !== "quantized");
  plans.oneOf = plans.oneOf.filter(({ properties }) => properties.kind.const !== "quantized");
  return document;
}

async function schemathesis(file, url, folder) {
  const options = [
    "--url",
    url,
    "--max-examples",
    String(EXAMPLES),
    "--seed",
    process.env.SEED ?? "1",
    "--no-color",
  ];
  const phases = ["--phases", "examples,coverage,fuzzing", "--continue-on-failure"];
  const child = spawn(join(bin, "st"), ["run", file, ...options, ...phases], {
    cwd: folder,
    stdio: "inherit",
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

function run(command, args) {
  return spawnSync(command, args, { encoding: "utf8" });
}

function lastLine({ stdout, stderr }) {
  return `${stderr}${stdout}`.trim().split("\n").at(-1);
}
