// A real model with a trained head: read from safetensors, and exported with one byte per number.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Encoder } from "../src/encode/encoder.ts";
import { exportEncoder } from "../src/lab/train/export/export-model.ts";
import { initialParameters } from "../src/lab/train/model/parameters.ts";
import { readSafetensors } from "../src/lab/train/model/safetensors.ts";
import type { ModelSettings } from "../src/lab/train/model/settings.ts";
import { Trainer } from "../src/lab/train/step/trainer.ts";
import { dataPath, noData } from "./helpers/data.ts";

vi.setConfig({ testTimeout: 300_000 }); // exports and runs a model

if (noData) console.warn(`minilm-export.test.ts is skipped: ${noData}`);

const MODEL: ModelSettings = {
  encoder: { vocabulary: 30_522, width: 384, layers: 6, heads: 12, ffn: 1536, positions: 512 },
  head: {
    kind: "joint",
    lexical: { kind: "delade" },
    semantic: { pooling: "mean", normalize: true, scale: true },
  },
};
/** The first numbers of the vector of "This is an example sentence", before scaling. */
const PUBLISHED = [0.0642, 0.0635, 0.0526, 0.068];
const SCALE = 3;

describe.skipIf(noData)("MiniLM with a lexical head", () => {
  test("in int8 takes at most 25 MB, and says what MiniLM says", async () => {
    const checkpoint = await readSafetensors(dataPath("models", "minilm-l6-v2", "model.safetensors"));
    const parameters = initialParameters(MODEL, 1, checkpoint);
    const folder = mkdtempSync(join(tmpdir(), "sluice-minilm-"));
    const { bytes, lost } = await exportEncoder(MODEL, parameters, {
      folder,
      tokenizer: dataPath("models", "minilm-l6-v2", "tokenizer.json"),
      maxLength: { query: 64, passage: 256 },
      precision: "int8",
    });
    expect(bytes).toBeLessThanOrEqual(25_000_000);
    // The largest possible score is the square of the scale.
    expect(lost.largest).toBeLessThan(0.01 * SCALE ** 2);
    const encoder = await Encoder.open(folder);
    const [{ vector }] = await encoder.encode(["This is an example sentence"], "passage");
    for (const [i, x] of PUBLISHED.entries()) expect(vector![i] / SCALE).toBeCloseTo(x, 2);

    const ids = Int32Array.from(encoder.tokenIds("This is an example sentence", "passage"));
    const trainer = await Trainer.create(MODEL, parameters);
    const rows = { rows: 1, width: ids.length, ids, lengths: Int32Array.of(ids.length) };
    const { semantic } = await trainer.encode(rows, "passage");
    for (const [i, x] of PUBLISHED.entries()) expect(semantic![0][i] / SCALE).toBeCloseTo(x, 4);
    await trainer.close();
    await encoder.close();
    rmSync(folder, { recursive: true });
  });
});
