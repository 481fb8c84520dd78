// Installs the packed package as users do, on a PATH with only node, npm and sh: no compiler, no Python. A plain install
// and one without scripts must work. An install without optional packages must say what is missing, and the command in
// its hint must fix it. Skips with a message when the npm registry cannot be reached. Run it with npm run check:install.
//   node scripts/check-install.mjs [FOLDER]   where the package is, or is left; without it, one is packed and removed
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pack } from "./pack.mjs";

const folder = mkdtempSync(join(tmpdir(), "sluice-install-"));
const bare = join(folder, "bin");
const npm = process.env.npm_execpath ?? realpathSync(join(dirname(process.execPath), "npm"));

/** Environment variables that are kept: those needed to reach the registry. */
const KEPT =
  /^(HOME|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_(registry|userconfig|globalconfig|cache|cafile))$/i;
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name))),
  PATH: bare,
};
const QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline"];
/** Milliseconds for one command. */
const TIMEOUT_MS = 100_000;

const WORDS = `
  import { Sluice } from "sluice";
  const inMemory = await Sluice.build([{ id: "a", text: "water gate" }]);
  console.log((await inMemory.search("gate")).hits[0].id);
  const inFolder = await Sluice.open("index");
  await inFolder.upsert([{ id: "b", text: "a lock for boats" }]);
  await inFolder.commit();
  console.log((await inFolder.search("boats")).hits[0].id);
  await inFolder.close();`;
const MODEL = `
  import { Sluice } from "sluice";
  const index = await Sluice.build(
    [{ id: "c", text: "myocardial infarction" }, { id: "d", text: "a flat tire" }],
    { encoder: "builtin:vectors" },
  );
  console.log((await index.search("heart attack")).hits[0].id);`;
const failing = (program) => `
  try {${program.replace(/import .*;/, "")}
  } catch ({ code, message, hint }) {
    console.log([code, message, hint].join(" | "));
  }`;
const IMPORT = `import { Sluice } from "sluice";`;

try {
  if (process.platform === "win32") console.log("skipped: there is no sh");
  else if (reachRegistry()) check(pack(process.argv[2] ?? folder));
  else console.log("skipped: the npm registry cannot be reached");
} finally {
  rmSync(folder, { recursive: true });
}

function check(tarball) {
  for (const flag of ["--ignore-scripts=false", "--ignore-scripts"]) {
    const project = newProject(`install${flag}`);
    install(project, flag, tarball);
    expect(`npm install ${flag}`, run(project, WORDS), "a\nb\n");
    const program = join(project, "node_modules/.bin/sluice");
    writeFileSync(join(project, "lines.jsonl"), '{"id":"weir-1","text":"a weir"}\n');
    succeed(project, program, "index", "from-cli", "lines.jsonl", "--encoder", "none");
    const found = succeed(project, program, "search", "from-cli", "weir");
    expect("the command line finds a document", found.includes("weir-1"), true);
    expect("lmdb was compiled", existsSync(join(project, "node_modules/lmdb/build")), false);
  }

  const project = join(folder, "install--ignore-scripts");
  const MISSING = "ERR_SLUICE_MISSING_PACKAGE";
  const addModels = "npm install --ignore-scripts onnxruntime-node";
  const without = run(project, IMPORT + failing(MODEL));
  expect(
    "a model without its runtime",
    without.startsWith(`${MISSING} | `) && without.includes(addModels),
    true,
  );
  install(project, ...addModels.split(" ").slice(2));
  expect(addModels, run(project, MODEL), "c\n");

  const omitting = newProject("install--omit=optional");
  install(omitting, "--omit=optional", "--ignore-scripts=false", tarball);
  const mend = "npm install --include=optional";
  const [inMemory, error] = run(omitting, IMPORT + failing(WORDS)).split("\n");
  expect("an index in memory without optional packages", inMemory, "a");
  expect(
    "an index in a folder without them",
    error.startsWith(`${MISSING} | an index in a folder needs the package lmdb, which is not installed`) &&
      error.includes(mend),
    true,
  );
  install(omitting, "--include=optional");
  expect(mend, run(omitting, WORDS), "a\nb\n");
}

function expect(what, found, expected) {
  if (found !== expected)
    throw new Error(`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  console.log(`${what}: ${JSON.stringify(found)}, as expected`);
}

function newProject(name) {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "type": "module", "private": true }\n');
  return project;
}

function install(project, ...options) {
  succeed(project, npm, "install", ...QUIET, ...options);
}

function run(project, program) {
  const file = join(project, "program.mjs");
  writeFileSync(file, program);
  rmSync(join(project, "index"), { recursive: true, force: true });
  return succeed(project, file);
}

/** Runs node in the bare environment and returns what it prints; throws when it fails. */
function succeed(cwd, ...options) {
  const { status, stdout, stderr, error } = spawnSync(join(bare, "node"), options, {
    cwd,
    env: environment,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`${options.join(" ")}: ${error?.message ?? ""}\n${stdout}\n${stderr}`);
  return stdout;
}

function reachRegistry() {
  mkdirSync(bare);
  for (const [name, path] of Object.entries({ node: process.execPath, npm, sh: "/bin/sh" }))
    symlinkSync(path, join(bare, name));
  const { status } = spawnSync(join(bare, "node"), [npm, "view", "lmdb", "version", "--fetch-retries=0"], {
    cwd: folder,
    env: environment,
    timeout: 20_000,
  });
  return status === 0;
}
