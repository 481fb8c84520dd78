import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readVersion } from "./version.ts";

const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");

test("is the package's", () => {
  expect(readVersion()).toBe(JSON.parse(manifest).version);
});

test("is found from deep inside the package, and unknown outside of it", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-version-"));
  const source = readFileSync(new URL("./version.ts", import.meta.url), "utf8").replace("(): string", "()");
  mkdirSync(join(folder, "dist", "src", "assets"), { recursive: true });
  const bundle = join(folder, "dist", "src", "assets", "bundle.mjs");
  writeFileSync(bundle, `${source}\nconsole.log(readVersion());`);
  const said = () => execFileSync(process.execPath, [bundle], { encoding: "utf8" }).trim();
  expect(said()).toBe("unknown");
  writeFileSync(join(folder, "dist", "package.json"), '{"name":"other","version":"9.9.9"}');
  copyFileSync(new URL("../../../package.json", import.meta.url), join(folder, "package.json"));
  expect(said()).toBe(readVersion());
  rmSync(folder, { recursive: true });
});
