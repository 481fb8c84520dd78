// How fast a GPU encodes texts, and how far its vectors are from the processor's. A machine without npm needs only node, dist/ and
// onnxruntime-node:
//   node dist/bench/encode/on-gpu.js --texts FILE --encoder FOLDER [--provider cpu]
// FILE has a text in JSON on each line. A few texts are encoded first, so that shaders are compiled.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Encoder } from "../../src/encode/encoder.ts";

const WARM_UP = 600;
/** Texts whose vectors are compared. */
const COMPARED = 200;

const { values: flags } = parseArgs({
  options: {
    texts: { type: "string" },
    encoder: { type: "string" },
    provider: { type: "string", default: "webgpu" },
  },
});
if (!flags.texts || !flags.encoder) throw new Error("usage: on-gpu.js --texts FILE --encoder FOLDER");
const texts: string[] = readFileSync(flags.texts, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

const gpu = await Encoder.open(flags.encoder, { provider: flags.provider as "cpu" | "webgpu" });
await gpu.encode(texts.slice(0, WARM_UP), "passage");
const started = performance.now();
const encodings = await gpu.encode(texts, "passage");
const seconds = (performance.now() - started) / 1000;
await gpu.close();
console.log(
  `${texts.length} texts in ${seconds.toFixed(2)} s, ${Math.round(texts.length / seconds)} a second`,
);

const cpu = await Encoder.open(flags.encoder);
const step = Math.max(1, Math.floor(texts.length / COMPARED));
const chosen = encodings.filter((_, i) => i % step === 0);
const exact = await cpu.encode(
  texts.filter((_, i) => i % step === 0),
  "passage",
);
await cpu.close();
const apart = exact.map(({ vector }, at) =>
  vector!.reduce((most, x, j) => Math.max(most, Math.abs(x - chosen[at].vector![j])), 0),
);
console.log(
  `${exact.length} vectors differ from the processor's by at most ${Math.max(...apart).toExponential(1)}`,
);
