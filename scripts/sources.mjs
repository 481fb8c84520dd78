// Lists the files that a build reads, and tells whether the last build is out of date.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const SETTINGS = ["package.json", "tsconfig.json", "tsconfig.build.json"];

/** Every file that a build reads, relative to the checkout. */
export function sources() {
  const files = ["src", "bench", "demo", "web", "test/helpers"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(tsx?|css|html|svg)$/.test(name) && !name.endsWith(".test.ts"))
      .map((name) => `${folder}/${name}`),
  );
  return [...files, ...SETTINGS].sort();
}

/** Whether a source is newer than the last build, or was added or removed since. */
export function isStale() {
  const stamp = `${root}dist/.built`;
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built === 0 || readFileSync(stamp, "utf8") !== sources().join("\n")) return true;
  return sources().some((file) => statSync(root + file).mtimeMs > built);
}
