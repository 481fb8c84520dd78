// What is said of an encoder that cannot be opened, on a machine without the runtime: the files come first.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Encoder } from "../../src/encode/encoder.ts";
import { CrossEncoder } from "../../src/encode/rerank/cross-encoder.ts";
import { Sluice } from "../../src/sluice.ts";
import { missingPackageError } from "../../src/support/environment/packages.ts";

vi.mock("../../src/encode/onnx/runtime.ts", async (original) => ({
  ...(await original<object>()),
  loadRuntime: async () => {
    const cause = { code: "ERR_MODULE_NOT_FOUND", message: "Cannot find package 'onnxruntime-node'" };
    throw missingPackageError("onnxruntime-node", "encoders need", cause);
  },
}));

const root = mkdtempSync(join(tmpdir(), "sluice-encoder-folder-"));
const at = (...names: string[]) => join(root, ...names);

test.each([
  ["./nowhere/at-all", "./nowhere/at-all: no such folder"],
  [at("missing"), `${at("missing")}: no such folder`],
  ["bulitin", 'there is no encoder "bulitin", and no such folder'],
  ["Static:128", 'there is no encoder "Static:128"'],
  ["builtin:vector", 'there is no encoder "builtin:vector"'],
])("the name %j is refused in one sentence", async (name, message) => {
  const refusal = { message: expect.stringContaining(message), code: "ERR_SLUICE_FILE" };
  await expect(Encoder.open(name)).rejects.toMatchObject(refusal);
  await expect(Sluice.build([{ id: "a", text: "water" }], { encoder: name })).rejects.toMatchObject(refusal);
});

test.each(["", undefined, 5])("%j is not a name", async (name) => {
  await expect(Encoder.open(name as string)).rejects.toMatchObject({
    message: expect.stringContaining("the name or the folder of an encoder must be a text"),
    code: "ERR_SLUICE_INVALID",
  });
});

test("a name that is nearly right is told the right one", async () => {
  for (const [name, meant] of [
    ["bulitin", "builtin"],
    ["statik", "static"],
    ["nonne", "none"],
    ["builtin:vector", "builtin:vectors"],
  ]) {
    await expect(Encoder.open(name)).rejects.toMatchObject({ hint: `did you mean "${meant}"?` });
  }
});

test("a folder without a model, a file, and a missing file are named before the runtime is", async () => {
  mkdirSync(at("empty"));
  await expect(Encoder.open(at("empty"))).rejects.toThrow("neither model.onnx nor vectors.table");
  writeFileSync(at("file"), "");
  await expect(Encoder.open(at("file"))).rejects.toThrow("a file, expected a folder");
  mkdirSync(at("half"));
  writeFileSync(at("half", "model.onnx"), "");
  await expect(Encoder.open(at("half"))).rejects.toThrow(`${at("half", "tokenizer.json")}: not there`);
  await expect(CrossEncoder.open(at("half"))).rejects.toThrow(`${at("half", "tokenizer.json")}: not there`);
  await expect(CrossEncoder.open(at("missing"))).rejects.toThrow(`${at("missing")}: no such folder`);
});

test("the runtime is missed only by a folder that has everything else", async () => {
  await expect(Encoder.open("builtin")).rejects.toMatchObject({ code: "ERR_SLUICE_MISSING_PACKAGE" });
  expect((await Encoder.open("static:64")).description).toMatchObject({ kind: "static", dims: 64 });
});
