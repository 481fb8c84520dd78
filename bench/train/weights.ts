// Writes the weights of a BERT-like model as float16, with Hugging Face's names, for the PyTorch programs beside this file:
//   npm run build && node dist/bench/train/weights.js MODEL OUT.safetensors
// MODEL is a folder or an archive (zip, jar, wheel) with model.safetensors or an ONNX graph.

import { writeFile } from "node:fs/promises";
import { readBert } from "../../src/lab/train/model/bert-files.ts";
import { toFloat16s } from "../../src/support/numbers/float16.ts";

const [model, out] = process.argv.slice(2);
if (!model || !out) throw new Error("usage: weights.js MODEL OUT.safetensors");
const { tensors } = await readBert(model, 12);
let at = 0;
const header: Record<string, unknown> = {};
const parts: Uint8Array[] = [];
for (const [name, { shape, data }] of tensors) {
  const halves = new Uint16Array(data.length);
  toFloat16s(data, halves, 0);
  header[name] = { dtype: "F16", shape, data_offsets: [at, at + halves.byteLength] };
  at += halves.byteLength;
  parts.push(new Uint8Array(halves.buffer));
}
const text = Buffer.from(JSON.stringify(header));
const size = Buffer.alloc(8);
size.writeBigUInt64LE(BigInt(text.length));
await writeFile(out, Buffer.concat([size, text, ...parts]));
