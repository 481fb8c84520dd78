// Calls of open and closed encoders: what is given wrongly, and what is asked while or after an encoder closes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { RunningCalls } from "../../src/encode/contract/running-calls.ts";
import { Encoder } from "../../src/encode/encoder.ts";
import { CrossEncoder } from "../../src/encode/rerank/cross-encoder.ts";
import { SPECIAL_PIECES, writeModel } from "../helpers/onnx.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-encoder-calls-"));
afterAll(() => rmSync(root, { recursive: true }));

const PIECES = [...SPECIAL_PIECES, "water", "gate"];
const folder = join(root, "model");
const maxLength = { query: 8, passage: 8 };
writeModel(folder, { states: PIECES.map((_, i) => [i, 1]) }, PIECES, {
  ...{ kind: "dense", pooling: "mean", normalize: false, maxLength },
});

describe("an encoder that is closed", () => {
  test("ends the calls that run first, and refuses later ones", async () => {
    const encoder = await Encoder.open(folder);
    const texts = Array.from({ length: 600 }, (_, i) => `water gate ${i}`);
    const running = encoder.encode(texts, "passage");
    await Promise.all([encoder.close(), encoder.close()]);
    expect(await running).toHaveLength(texts.length);
    await expect(encoder.encode(["water"], "query")).rejects.toMatchObject({
      code: "ERR_SLUICE_CLOSED",
      message: `${folder}: the encoder is closed`,
    });
  });

  test("waits for a call that fails, too, and frees once", async () => {
    const calls = new RunningCalls("the model");
    const steps: string[] = [];
    const failing = calls.run(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      steps.push("failed");
      throw new Error("no");
    });
    const free = async () => void steps.push("freed");
    const closing = [calls.close(free), calls.close(free)];
    await expect(failing).rejects.toThrow("no");
    await Promise.all(closing);
    expect(steps).toEqual(["failed", "freed"]);
    await expect(calls.run(async () => 1)).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
  });
});

test.each([
  [{ provider: "cuda" }, 'provider must be "cpu" or "webgpu", not "cuda"'],
  [{ threads: "2" }, "threads must be a whole number"],
  [{ threads: -1 }, "threads must be a whole number"],
  [{ thread: 2 }, 'Encoder.open has no option "thread"; did you mean "threads"?'],
  [{ cache: 5 }, "cache must be a text, not 5"],
  [{ description: "dense" }, 'description must be an object, not "dense"'],
])("an encoder is not opened with %j", async (options, message) => {
  const error = { code: "ERR_SLUICE_INVALID", message: expect.stringContaining(message) };
  await expect(Encoder.open(folder, options as object)).rejects.toMatchObject(error);
  await expect(Encoder.open("static", options as object)).rejects.toMatchObject(error);
});

test.each([
  [{ threads: "2" }, "threads must be a whole number"],
  [{ provider: "cpu" }, 'CrossEncoder.open has no option "provider"'],
])("a cross-encoder is not opened with %j", async (options, message) => {
  const error = { code: "ERR_SLUICE_INVALID", message: expect.stringContaining(message) };
  await expect(CrossEncoder.open(folder, options as object)).rejects.toMatchObject(error);
});

test.each(["static", folder])("%s takes a list of texts and a role", async (name) => {
  const encoder = await Encoder.open(name);
  const encode = encoder.encode.bind(encoder) as (texts: unknown, role: unknown) => Promise<unknown>;
  for (const [texts, role, message] of [
    [["a"], "foo", 'role must be "query" or "passage", not "foo"'],
    [["a"], undefined, 'role must be "query" or "passage", not undefined'],
    ["a", "query", 'texts must be a list of texts, not "a"'],
    [["a", null], "query", "texts[1] must be a text, not null"],
  ])
    await expect(encode(texts, role)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID", message });
  await encoder.close();
});
