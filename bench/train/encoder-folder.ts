// Writes the model of pytorch.py (--head delade+pooled --without-words) as a folder that Encoder.open reads:
//   npm run build && node dist/bench/train/encoder-folder.js MODEL.safetensors ENCODER.safetensors TOKENIZER.json FOLDER
// ENCODER is the file that the training began with. The embeddings of words come from it, because they were not trained.

import { exportEncoder } from "../../src/lab/train/export/export-model.ts";
import { shapeOf } from "../../src/lab/train/model/names.ts";
import { WORD_EMBEDDINGS } from "../../src/lab/train/model/parameters.ts";
import { readSafetensors } from "../../src/lab/train/model/safetensors.ts";
import type { ModelSettings } from "../../src/lab/train/model/settings.ts";

const HEADS = 12;
/** Weights of terms up to this are dropped: DeLADE gives every term of the vocabulary one. */
const LEAST = 0.01;

const [file, encoderFile, tokenizer, folder] = process.argv.slice(2);
if (!file || !encoderFile || !tokenizer || !folder)
  throw new Error("usage: encoder-folder.js MODEL ENCODER TOKENIZER.json FOLDER");
const words = (await readSafetensors(encoderFile)).get(WORD_EMBEDDINGS)!;
const parameters = new Map([[WORD_EMBEDDINGS, words], ...(await readSafetensors(file))]);
const model: ModelSettings = {
  encoder: shapeOf(parameters, { heads: HEADS }, file),
  head: {
    kind: "joint",
    lexical: { kind: "delade" },
    semantic: { pooling: "cls", normalize: true, scale: true },
  },
};
const maxLength = { query: 64, passage: 256 };
const { bytes } = await exportEncoder(model, parameters, { folder, tokenizer, maxLength, least: LEAST });
console.log(`${folder}: ${model.encoder.layers} layers, ${bytes} bytes`);
