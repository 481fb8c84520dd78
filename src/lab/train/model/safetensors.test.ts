import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { safetensorsBytes } from "../../../../test/helpers/safetensors.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseSafetensors, readSafetensors, safetensorsHead } from "./safetensors.ts";

const TENSORS = new Map([
  ["a.weight", { shape: [2, 3], data: Float32Array.of(1, -2, 3.5, 0, 1e-30, 7) }],
  ["b", { shape: [], data: Float32Array.of(3) }],
  ["empty", { shape: [0, 4], data: new Float32Array() }],
]);

/** A file with this header and these bytes. */
function file(header: object, data: readonly number[]): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

test("tensors are the same after writing and reading", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-safetensors-"));
  const path = join(folder, "model.safetensors");
  writeFileSync(path, safetensorsBytes(TENSORS));
  expect(await readSafetensors(path)).toEqual(TENSORS);
  rmSync(folder, { recursive: true });
  const told = safetensorsHead(TENSORS, { about: "Grüße" });
  expect(told.length % 8).toBe(0);
  expect(parseSafetensors(Buffer.concat([told, safetensorsBytes(TENSORS).subarray(-28)]), "x")).toEqual(
    TENSORS,
  );
});

test("float16 and bfloat16 are read at any offset, and other types are left out", () => {
  const header = {
    __metadata__: { format: "pt" },
    half: { dtype: "F16", shape: [2], data_offsets: [1, 5] },
    brain: { dtype: "BF16", shape: [2], data_offsets: [5, 9] },
    positions: { dtype: "I64", shape: [1], data_offsets: [9, 17] },
  };
  const half = [0x00, 0x3c, 0x00, 0xc0]; // 1, −2
  const brain = [0x80, 0x3f, 0x20, 0xc1]; // 1, −10
  const read = parseSafetensors(file(header, [0, ...half, ...brain, 0, 0, 0, 0, 0, 0, 0, 0]), "x");
  expect([...read.keys()]).toEqual(["half", "brain"]);
  expect([...read.get("half")!.data]).toEqual([1, -2]);
  expect([...read.get("brain")!.data]).toEqual([1, -10]);
});

test("a truncated file, or a file of another format, is refused", () => {
  const bytes = safetensorsBytes(TENSORS);
  for (let length = 0; length < bytes.length; length++) {
    expect(() => parseSafetensors(bytes.subarray(0, length), "x"), `${length} bytes`).toThrow(SluiceError);
  }
  expect(() => parseSafetensors(new TextEncoder().encode("not safetensors at all"), "x")).toThrow(
    SluiceError,
  );
  const lying = { a: { dtype: "F32", shape: [2], data_offsets: [0, 4] } };
  expect(() => parseSafetensors(file(lying, [0, 0, 0, 0]), "x")).toThrow('"a" is outside of the file');
});

test("a header without what the format demands is refused", () => {
  const NOTHING = [{ dtype: "F32" }, { dtype: "F32", shape: [1], data_offsets: [0.5, 4.5] }, null, 7, []];
  const LISTS = [
    { dtype: "F32", shape: "1", data_offsets: [0, 4] },
    { dtype: "F32", shape: [-1], data_offsets: [4, 0] },
    { dtype: 1, shape: [1], data_offsets: [0, 4] },
  ];
  for (const entry of [...NOTHING, ...LISTS])
    expect(() => parseSafetensors(file({ a: entry }, [0, 0, 0, 0, 0]), "x")).toThrow('"a" has no dtype');
  for (const header of [[], null, "text"])
    expect(() => parseSafetensors(file(header as object, []), "x")).toThrow("not an object of tensors");
  const inherited = { a: { dtype: "toString", shape: [1], data_offsets: [0, 4] } };
  expect(parseSafetensors(file(inherited, [0, 0, 0, 0]), "x").size).toBe(0);
});

test("the error for a missing file names it", async () => {
  await expect(readSafetensors("/nowhere/model.safetensors")).rejects.toThrow("/nowhere/model.safetensors");
});
