// Checks what users get from others with this package: that the lock file names exact contents, that nothing of it must run a script
// to be installed, that no known vulnerability is in it, and that it is published with its origin.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (name) => readFileSync(join(root, name), "utf8");
const manifest = JSON.parse(text("package.json"));
const { packages } = JSON.parse(text("package-lock.json"));

/** The packages with a script that runs when they are installed. Each works without it, for the reason that is given. */
const SCRIPT_NOT_NEEDED = {
  lmdb: "its binaries are packages of their own; check:install installs it without scripts",
  "msgpackr-extract": "its binaries are packages of their own, and msgpackr works without them",
};

const problems = [];
checkLock();
checkScripts();
checkPublishing();
checkAudit();
for (const problem of problems) console.error(`supply: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${Object.keys(packages).length} locked packages, no problems`);

/** Every package has a SHA-512, and none comes from elsewhere than a registry. */
function checkLock() {
  for (const [path, { link, integrity, resolved }] of Object.entries(packages)) {
    if (!path.includes("node_modules/") || link) continue; // ourselves, and the workspaces
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""))
      problems.push(`${path}: no SHA-512 in package-lock.json`);
    // .npmrc leaves addresses out, so that any registry can serve what the hash says.
    if (resolved !== undefined)
      problems.push(`${path}: package-lock.json says where it comes from: ${resolved}`);
  }
}

function checkScripts() {
  for (const name of ["preinstall", "install", "postinstall", "prepare"])
    if (manifest.scripts[name])
      problems.push(`package.json has the script ${name}, which would run at users'`);
  if (!/^ignore-scripts=true$/m.test(text(".npmrc")))
    problems.push(".npmrc does not turn install scripts off");
  for (const [path, { hasInstallScript, dev, devOptional }] of Object.entries(packages)) {
    const name = path.split("node_modules/").at(-1);
    if (hasInstallScript && !dev && !devOptional && !Object.hasOwn(SCRIPT_NOT_NEEDED, name))
      problems.push(`${name} has an install script; say in scripts/check-supply.mjs why it is not needed`);
  }
}

function checkPublishing() {
  if (manifest.publishConfig?.provenance !== true)
    problems.push("package.json: publishConfig.provenance is not true");
  const workflow = text(".github/workflows/release.yml");
  for (const needed of ["id-token: write", "npm publish --provenance", "npm run sbom"])
    if (!workflow.includes(needed)) problems.push(`.github/workflows/release.yml lacks "${needed}"`);
}

/** Asks the registry about known vulnerabilities. Not every mirror of it can answer. */
function checkAudit() {
  const { stdout, stderr } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch {
    answer = {};
  }
  const total = answer.metadata?.vulnerabilities?.total;
  if (total === undefined) {
    const said = answer.message ?? stderr ?? "";
    const why = said.match(/\b\d{3} [A-Z][\w ]*\w|E[A-Z]{4,}/)?.[0] ?? "no answer";
    console.log(`npm audit skipped: the registry did not answer it (${why})`);
    return;
  }
  for (const [name, { severity }] of Object.entries(answer.vulnerabilities ?? {}))
    problems.push(`${name} has a known vulnerability (${severity}); see npm audit`);
}
