// The errors for optional packages that are missing. scripts/check-install.mjs tests that npm really leaves them out.

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { missingPackageError } from "../../src/support/environment/packages.ts";

const PACKAGES = ["lmdb", "onnxruntime-node", "webgpu", "hyparquet"] as const;

afterEach(() => {
  for (const name of PACKAGES) vi.doUnmock(name);
  vi.resetModules();
});

/** The API of our package, loaded again with `name` failing to load. */
async function without(name: (typeof PACKAGES)[number], because: string) {
  vi.resetModules();
  vi.doMock(name, () => {
    throw new Error(because);
  });
  return import("../../src/index.ts");
}

const newFolder = () => join(mkdtempSync(join(tmpdir(), "sluice-packages-")), "index");

test("a package that is not installed is named, with the command that installs it", () => {
  const cause = Object.assign(new Error("Cannot find package 'hyparquet' imported from /x/parquet.js"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  const error = missingPackageError("hyparquet", "a.parquet: reading Parquet needs", cause);
  expect(error.problem).toBe(
    "a.parquet: reading Parquet needs the package hyparquet, which is not installed",
  );
  expect(error.hint).toBe("install it: npm install hyparquet");
  expect(error.code).toBe("ERR_SLUICE_MISSING_PACKAGE");
});

test("a package that is there and does not load is told from one that is not", () => {
  const native = new Error("No native build was found for platform=plan9\n  attempted loading from: …");
  expect(missingPackageError("lmdb", "an index in a folder needs", native).problem).toBe(
    "an index in a folder needs the package lmdb, which does not load: No native build was found for platform=plan9",
  );
  const within = Object.assign(new Error("Cannot find package 'fzstd' imported from /x"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  expect(missingPackageError("hyparquet", "it needs", within).message).toContain(
    "does not load: Cannot find",
  );
});

test("without lmdb, an index in a folder is one clear error at open, and one in memory works", async () => {
  const { Sluice } = await without("lmdb", "No native build was found");
  const folder = newFolder();
  const missing = {
    code: "ERR_SLUICE_MISSING_PACKAGE",
    message: expect.stringContaining("the package lmdb"),
    hint: expect.stringContaining("npm install --include=optional"),
  };
  await expect(Sluice.open(folder)).rejects.toMatchObject(missing);
  const index = await Sluice.build([{ id: "a", text: "water gate" }]);
  expect((await index.search("gate")).hits[0].id).toBe("a");
  await expect(index.save(folder)).rejects.toMatchObject(missing);
  await index.close();
});

test("without onnxruntime-node, a model says the command that installs it where its script fails", async () => {
  const { Sluice } = await without("onnxruntime-node", "Cannot find package");
  await expect(
    Sluice.build([{ id: "a", text: "gate" }], { encoder: "builtin:vectors" }),
  ).rejects.toMatchObject({
    code: "ERR_SLUICE_MISSING_PACKAGE",
    message: expect.stringContaining("encoders need the package onnxruntime-node"),
    hint: expect.stringContaining("npm install --ignore-scripts onnxruntime-node"),
  });
});

test("without webgpu, a GPU that is asked for says the command", async () => {
  const { Sluice } = await without("webgpu", "Cannot find package");
  const documents = [{ id: "a", text: "gate" }];
  await expect(Sluice.build(documents, { kernel: "webgpu", dims: 8 })).rejects.toMatchObject({
    code: "ERR_SLUICE_MISSING_PACKAGE",
    hint: "install it: npm install webgpu",
  });
});

test("the manifest leaves out of a plain install what only some need, and lets lmdb be left out", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(Object.keys(manifest.optionalDependencies)).toEqual(["lmdb"]); // required, its install script would end npm's run
  const peers = Object.keys(manifest.peerDependencies);
  expect(peers.filter((name) => !manifest.peerDependenciesMeta[name]?.optional)).toEqual([]);
  for (const name of PACKAGES) if (name !== "lmdb") expect(peers).toContain(name);
});
