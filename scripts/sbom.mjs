// Writes a bill of materials of what users install, in the format CycloneDX: sluice-VERSION.cdx.json, or the file that is named.
//   npm run sbom [-- FILE]
// npm makes it from the lock file. It cannot name the workspaces, which have no version, so they are left out first, with all that
// only they and the tests need.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));
const withoutTools = ({ workspaces, devDependencies, peerDependencies, peerDependenciesMeta, ...rest }) =>
  rest;

const manifest = withoutTools(read("package.json"));
const lock = read("package-lock.json");
/** What both tools and an optional package need (`devOptional`) is installed, too. */
const isInstalled = ([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link;
lock.packages = {
  "": withoutTools(lock.packages[""]),
  ...Object.fromEntries(Object.entries(lock.packages).filter(isInstalled)),
};

const place = mkdtempSync(join(tmpdir(), "sluice-sbom-"));
const folder = join(place, manifest.name); // npm calls the whole by the name of its folder
try {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const made = spawnSync(
    "npm",
    ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "library", "--package-lock-only"],
    { cwd: folder, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  const { components } = JSON.parse(made.stdout);
  const missing = Object.keys(manifest.dependencies).filter(
    (name) => !components.some((component) => component.name === name),
  );
  if (missing.length > 0) throw new Error(`the bill lacks ${missing.join(", ")}`);
  const file = process.argv[2] ?? join(root, `sluice-${manifest.version}.cdx.json`);
  writeFileSync(file, made.stdout);
  console.log(`${file}: ${components.length} components`);
} finally {
  rmSync(place, { recursive: true });
}
