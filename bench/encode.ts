// Measures what our encoder adds to the bare runtime: tokenizing, batching, pooling. One thread, texts cut to 128 tokens.

import { textOf } from "../src/documents/document.ts";
import { Encoder } from "../src/index.ts";
import { formatTable, readBeirCorpus } from "../src/lab/index.ts";
import { type Bench, dataPath } from "./bench.ts";
import { measureStatic, STATIC_ABOUT } from "./static.ts";

const TEXTS = 192;
const TOKENS = 128;
const ROUNDS = 3;

export const encode: Bench = {
  name: "encode",
  about:
    `all-MiniLM-L6-v2 on ${TEXTS} scifact abstracts cut to ${TOKENS} tokens, one thread: texts per second from text to ` +
    "vector, compared with a bare loop over onnxruntime with the same token ids in batches of 32, without tokenizing or " +
    `pooling. Best of ${ROUNDS} rounds; the two take turns. ${STATIC_ABOUT}`,

  async run(print) {
    const description = {
      kind: "dense",
      pooling: "mean",
      normalize: true,
      maxLength: { query: TOKENS, passage: TOKENS },
    } as const;
    const folder = dataPath("models", "minilm-l6-v2");
    const encoder = await Encoder.open(folder, { description, threads: 1 });
    const texts: string[] = [];
    for await (const document of readBeirCorpus(dataPath("collections", "scifact"))) {
      const text = textOf(document, document.id);
      if (encoder.tokenIds(text, "passage").length === TOKENS) texts.push(text);
      if (texts.length === TEXTS) break;
    }
    const bare = await bareLoop(
      `${folder}/model.onnx`,
      texts.map((text) => encoder.tokenIds(text, "passage")),
    );
    const best = { ours: 0, bare: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      best.bare = Math.max(best.bare, await rate(bare));
      best.ours = Math.max(best.ours, await rate(async () => void (await encoder.encode(texts, "passage"))));
    }
    print(
      `\n${formatTable(
        ["", "texts/s", "share"],
        [
          ["bare onnxruntime", best.bare.toFixed(1), "1.00"],
          ["Sluice, from text to vector", best.ours.toFixed(1), (best.ours / best.bare).toFixed(2)],
        ],
      )}`,
    );
    await encoder.close();
    await measureStatic(print);
  },
};

async function rate(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return TEXTS / ((performance.now() - started) / 1000);
}

async function bareLoop(path: string, ids: readonly number[][]): Promise<() => Promise<void>> {
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
