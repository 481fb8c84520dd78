// Measures encoders: what ours adds to the bare runtime, and what int8 gains in speed and loses in quality.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { indexedText } from "../src/documents/document.ts";
import { Encoder } from "../src/encode/index.ts";
import { exportBert, formatTable, readBeirCorpus } from "../src/lab/index.ts";
import { BGE_QUERY_PREFIX, fetchBgeSmall } from "../test/helpers/models.ts";
import { type ComparedModel, compareInt8Quality } from "./encode/int8-quality.ts";
import { measureStatic, STATIC_ABOUT } from "./encode/static.ts";
import { type Bench, dataPath } from "./support/bench.ts";

const TEXTS = 192;
const TOKENS = 128;
const ROUNDS = 5;
/** Texts a second of the first built-in model, as a multiple of MiniLM's in float32: 38.7 / 37.7 on 2026-11-17. */
const FIRST_GENERATION = 1.03;
/** At least: texts a second of builtin:vectors, as a multiple of the first built-in model's. */
const LEAST = 2.5;

const OPTIONS = {
  quality: { type: "boolean", default: false },
  encodings: { type: "string", default: join(tmpdir(), "sluice-encode") },
  keep: { type: "boolean", default: false },
} as const;

export const encode: Bench & { readonly flags: string } = {
  name: "encode",
  flags: "[--quality] [--encodings FOLDER]",
  about:
    `Texts per second from text to vector, on ${TEXTS} scifact abstracts cut to ${TOKENS} tokens, one thread, best of ${ROUNDS} ` +
    "rounds in which all take turns. First all-MiniLM-L6-v2 compared with a bare loop over onnxruntime, with the same token " +
    "ids in batches of 32, without tokenizing or pooling. Then builtin:vectors, which computes in int8, and encoders that " +
    "sluice export-encoder makes of MiniLM and of bge-small-en-v1.5, in float32 and in int8. The first built-in model had the layers of " +
    `MiniLM and computed in float32; in the last run that had both, it made ${FIRST_GENERATION} × as many texts a second as MiniLM. ` +
    "--quality encodes scifact and nfcorpus in float32 and in int8 (minutes; kept in --encodings): the cosine of each " +
    "document's two vectors, and nDCG@10 of the vectors alone and of BM25 + λ · cosine. " +
    STATIC_ABOUT,

  async run(print) {
    const { values: flags } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const models = await exportModels(join(flags.encodings, "models"), print);
    const names = ["builtin:vectors", ...models.flatMap(({ float32, int8 }) => [float32, int8])];
    const encoders = await Promise.all(names.map(openShort));
    const [, minilm] = encoders;
    const texts = await readTexts(minilm);
    const ids = texts.map((text) => minilm.tokenIds(text, "passage"));
    const bare = await prepareBareLoop(join(dataPath("models", "minilm-l6-v2"), "model.onnx"), ids);
    const work = [bare, ...encoders.map((encoder) => () => encoder.encode(texts, "passage").then(() => {}))];
    const best = work.map(() => 0);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, each] of work.entries()) best[i] = Math.max(best[i], await measureRate(each));
    }
    const [ofBare, ofBuiltin, ofMinilm] = best;
    print(
      `\n${formatTable(
        ["", "texts/s", "share"],
        [
          ["bare onnxruntime", ofBare.toFixed(1), "1.00"],
          ["Sluice, from text to vector", ofMinilm.toFixed(1), (ofMinilm / ofBare).toFixed(2)],
        ],
      )}`,
    );
    const titles = [
      "builtin:vectors",
      ...models.flatMap(({ name }) => [`${name}, float32`, `${name}, int8`]),
    ];
    print(
      `\n${formatTable(
        ["", "texts/s", "× builtin:vectors"],
        titles.map((title, i) => [title, best[i + 1].toFixed(1), (best[i + 1] / ofBuiltin).toFixed(2)]),
      )}`,
    );
    const times = ofBuiltin / (FIRST_GENERATION * ofMinilm);
    print(
      `\n${times >= LEAST ? "met" : "missed"}: builtin:vectors makes ${times.toFixed(2)} × as many texts a second as the first built-in model, at least ${LEAST}`,
    );
    for (const encoder of encoders) await encoder.close();
    await measureStatic(print);
    if (flags.quality) print(`\n${await compareInt8Quality(models, flags.encodings)}`);
  },
};

/** Each model as a folder in float32 and one in int8. */
async function exportModels(folder: string, print: (text: string) => void): Promise<ComparedModel[]> {
  const exported = async (
    name: string,
    path: string,
    lambda: number,
    options: Parameters<typeof exportBert>[2],
  ) => {
    const [float32, int8] = (["float32", "int8"] as const).map((compute) =>
      join(folder, `${name}-${compute}`),
    );
    const given = { ...options, overwrite: true }; // an earlier run has left its encoders
    await exportBert(path, float32, { ...given, compute: "float32" });
    const { leastCosine } = await exportBert(path, int8, { ...given, compute: "int8" });
    console.error(`${name}: exported, least cosine of the sample ${leastCosine?.toFixed(4)}`);
    return { name, float32, int8, lambda };
  };
  const minilm = await exported("MiniLM", dataPath("models", "minilm-l6-v2"), 20, { pooling: "mean" });
  const bge = await fetchBgeSmall();
  if ("reason" in bge) {
    print(`\nbge-small is left out: ${bge.reason}`);
    return [minilm];
  }
  const prefix = { query: BGE_QUERY_PREFIX };
  return [minilm, await exported("bge-small", bge.path, 40, { pooling: "cls", prefix })];
}

/** One thread, texts cut to TOKENS. */
async function openShort(name: string): Promise<Encoder> {
  const whole = await Encoder.open(name);
  const description = { ...whole.description, maxLength: { query: TOKENS, passage: TOKENS } };
  await whole.close();
  return Encoder.open(name, { description, threads: 1 });
}

async function readTexts(encoder: Encoder): Promise<string[]> {
  const texts: string[] = [];
  for await (const document of readBeirCorpus(dataPath("collections", "scifact"))) {
    const text = indexedText(document, document.id);
    if (encoder.tokenIds(text, "passage").length === TOKENS) texts.push(text);
    if (texts.length === TEXTS) break;
  }
  return texts;
}

async function measureRate(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return TEXTS / ((performance.now() - started) / 1000);
}

async function prepareBareLoop(path: string, ids: readonly number[][]): Promise<() => Promise<void>> {
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const session = await InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const batches = Array.from({ length: Math.ceil(ids.length / 32) }, (_, i) =>
    ids.slice(32 * i, 32 * (i + 1)),
  );
  return async () => {
    for (const batch of batches) {
      const tensor = (values: readonly number[]) =>
        new Tensor("int64", BigInt64Array.from(values, BigInt), [batch.length, TOKENS]);
      const flat = batch.flat();
      await session.run({
        input_ids: tensor(flat),
        attention_mask: tensor(flat.map(() => 1)),
        token_type_ids: tensor(flat.map(() => 0)),
      });
    }
  };
}
