// The bill of materials names everything that users install: each package of the lock file with its version, its hash and its
// license.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly unknown[];
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Base64 → hexadecimal digits. */
const hex = (base64: string) => Buffer.from(base64, "base64").toString("hex");

test("the bill of materials has every installed package, with its hash and its license", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bill-"));
  const file = join(folder, "bill.json");
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/sbom.mjs"), file], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const bill = JSON.parse(readFileSync(file, "utf8"));
  rmSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(bill).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "sluice", version: manifest.version, type: "library" } },
  });

  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const installed = Object.entries<Locked>(packages)
    .filter(([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link)
    .map(([path, { version, integrity }]) => {
      const name = path.split("node_modules/").at(-1)!;
      return `${name} ${version} ${hex(integrity.replace("sha512-", ""))}`;
    });
  const components: Component[] = bill.components;
  const named = components.map(
    ({ name, version, hashes }) =>
      `${name} ${version} ${hashes?.find(({ alg }) => alg === "SHA-512")?.content}`,
  );
  expect(installed.length).toBeGreaterThan(10);
  expect(named.sort()).toEqual([...new Set(installed)].sort());
  expect(components.filter(({ licenses = [] }) => licenses.length === 0).map(({ name }) => name)).toEqual([]);
});
