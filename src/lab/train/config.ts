// Describes a training run as one JSON file: the model, the data, the loss, the optimizer. Settings with a default may be
// left out. Paths are relative to the file; $NAME at the beginning of a path is an environment variable.

import { dirname, resolve } from "node:path";
import { checkedDescription } from "../../encode/description.ts";
import { UsageError } from "../../errors.ts";
import { parseJson, readText } from "../../read/lines.ts";
import {
  boolean,
  type Check,
  either,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  whole,
  withDefault,
} from "./schema.ts";

/** A path of a folder or a file. The check makes it absolute. */
export const pathCheck: Check<string> = (value, at) => {
  const given = text(value, at);
  const [, name, rest] = /^\$(\w+)(.*)$/s.exec(given) ?? [];
  if (name === undefined) return resolve(dirname(at.file), given);
  const folder = process.env[name];
  if (folder !== undefined) return resolve(folder + rest);
  throw new UsageError(`${at.file}: "${at.path}" is ${given}, but the variable ${name} is not set`);
};

const path = pathCheck;

const length = (usual: number) => withDefault(whole({ least: 3 }), usual);

/** One learning rate for all parameters, or one for the encoder and one for the heads. */
const rates = either(
  (value) => typeof value === "number",
  (value, at) => {
    const rate = number({ above: 0 })(value, at);
    return { encoder: rate, heads: rate };
  },
  object({ encoder: number({ least: 0 }), heads: number({ least: 0 }) }),
);

const CONFIG = object({
  /** A note for readers. */
  about: optional(text),

  model: object({
    /** Initial parameters: a folder with model.safetensors and tokenizer.json, a checkpoint, or a run. */
    from: optional(path),
    /** Attention heads. Default with `from`: those of its config.json. */
    attentionHeads: optional(whole({ least: 1 })),
    /** Sizes of a model that is trained from scratch. With `from` the file gives them. */
    sizes: optional(
      object({
        layers: whole({ least: 1 }),
        width: whole({ least: 1 }),
        /** Width of the feed-forward layers. Default: 4 × width. */
        ffn: optional(whole({ least: 1 })),
        positions: withDefault(whole({ least: 3 }), 512),
      }),
    ),
    /** A tokenizer.json. Default: that of `from`. */
    tokenizer: optional(path),
    /** The head that gives weights of terms. */
    lexical: optional(oneOf("delade", "splade", "unicoil")),
    /** The head that gives a vector. */
    semantic: optional(
      object({
        pooling: withDefault(oneOf("cls", "mean"), "cls"),
        /** Project the vector to this width. */
        width: optional(whole({ least: 1 })),
        normalise: withDefault(boolean, false),
        /** Multiply the vector by a learned number. A number here is its initial value. */
        scale: withDefault(
          either((value) => typeof value === "number", number({ above: 0 }), boolean),
          false,
        ),
      }),
    ),
    /** A ColBERT head instead of the two above. Such a model is used as a teacher. */
    colbert: optional(object({ width: withDefault(whole({ least: 1 }), 128) })),
    trainWordEmbeddings: withDefault(boolean, false),
    /** Tokens of the longest texts, including [CLS] and [SEP]. */
    maxLength: withDefault(object({ query: length(32), passage: length(150) }), {}),
  }),

  data: object({
    files: list(
      either(
        (value) => typeof value === "string",
        (value, at) => ({ path: path(value, at) }),
        object({
          path,
          /** The file of passages, if `path` names passages by id. */
          corpus: optional(path),
          /** How much of the training comes from this file, relative to the others. */
          weight: optional(number({ above: 0 })),
        }),
      ),
      { least: 1 },
    ),
    /** A batch holds examples of all files (`together`) or of one file (`apart`). */
    mix: withDefault(oneOf("together", "apart"), "together"),
    longQueries: withDefault(oneOf("cut", "refuse"), "cut"),
    withoutNegatives: withDefault(oneOf("refuse", "random"), "refuse"),
    /** A file of query clusters, one {"qidx": […]} per line. A batch is then drawn from `perBatch` clusters. */
    topics: optional(object({ path, perBatch: withDefault(whole({ least: 1 }), 24) })),
  }),

  batch: withDefault(
    object({
      queries: withDefault(whole({ least: 1 }), 24),
      /** One positive and its negatives. All other passages of the batch are negatives too. */
      passagesPerQuery: withDefault(whole({ least: 1 }), 1),
      /** Sort the examples of this many batches by length. More batches mean less padding. */
      sortedBatches: withDefault(whole({ least: 1 }), 1),
    }),
    {},
  ),

  loss: withDefault(
    object({
      /** The loss is their sum. Default: nll, or kl if there is a teacher. */
      terms: optional(
        list(
          object({
            kind: oneOf("nll", "kl"),
            of: withDefault(oneOf("fused", "lexical", "semantic"), "fused"),
            weight: withDefault(number(), 1),
            scale: withDefault(number({ above: 0 }), 1),
            teacherScale: withDefault(number({ above: 0 }), 1),
          }),
          { least: 1 },
        ),
      ),
      /** Train on densified rows of this many dims instead of whole vectors. */
      densified: optional(whole({ least: 1 })),
      semanticWeight: withDefault(number({ least: 0 }), 1),
      /** Weights of SPLADE's regularizer; they grow until step `steps`. */
      flops: optional(
        object({
          query: withDefault(number({ least: 0 }), 3e-4),
          passage: withDefault(number({ least: 0 }), 1e-4),
          steps: withDefault(whole({ least: 1 }), 50_000),
        }),
      ),
    }),
    {},
  ),

  teacher: optional(
    object({
      /** An encoder or another run's checkpoint scores every batch, or the scores are in the training file. */
      kind: oneOf("encoder", "checkpoint", "file"),
      /** A checkpoint, or the folder of a run (its newest checkpoint). It must have the same tokenizer. */
      checkpoint: optional(path),
      /** A folder with model.onnx, tokenizer.json and sluice.json. Default: BM25 alone. */
      encoder: optional(path),
      /** A description of the encoder that replaces its sluice.json. */
      description: optional((value, at) => checkedDescription(value, `${at.file}: "${at.path}"`)),
      /** Add BM25 to the scores of a dense encoder. */
      bm25: withDefault(boolean, false),
      /** Weight of the encoder's vectors, relative to BM25 or to its own weights of terms. */
      lambda: withDefault(number({ least: 0 }), 1),
      /** All scores are multiplied by this. */
      scale: withDefault(number({ above: 0 }), 1),
      /** A folder that keeps the encodings for later runs. */
      keep: optional(path),
      /** For `file`: the score of a query with a passage of another query. The positive has 0. */
      elsewhere: withDefault(number(), -20),
    }),
  ),

  optimiser: withDefault(
    object({
      learningRate: withDefault(rates, 7e-6),
      /** Share of the steps in which the rates rise. After these they fall to 0. */
      warmup: withDefault(number({ least: 0, most: 1 }), 0.1),
      weightDecay: withDefault(number({ least: 0 }), 0),
      clip: withDefault(number({ above: 0 }), 1),
      betas: withDefault(list(number({ least: 0, most: 1 })), [0.9, 0.999]),
      epsilon: withDefault(number({ above: 0 }), 1e-8),
    }),
    {},
  ),

  /** First steps, in which a head over the vocabulary learns to predict masked tokens of the passages. */
  headWarmUp: optional(
    object({
      steps: whole({ least: 1 }),
      /** Texts per step. */
      texts: withDefault(whole({ least: 1 }), 64),
      /** Share of the tokens to predict. */
      guessed: withDefault(number({ above: 0, most: 1 }), 0.15),
      /** Share of these that are masked. With 0 the head learns to name each token: a good start for a DeLADE head. */
      hidden: withDefault(number({ least: 0, most: 1 }), 0.8),
      /** Tokens also learn the weight √(this × idf). With 0.6 a DeLADE model starts out similar to BM25. */
      rarity: optional(number({ above: 0 })),
      learningRate: withDefault(rates, { encoder: 0, heads: 5e-4 }),
    }),
  ),

  /** Length of the run: give one of the two. Default: one epoch. */
  steps: optional(whole({ least: 1 })),
  epochs: optional(number({ above: 0 })),
  seed: withDefault(whole(), 1),

  compute: withDefault(
    object({
      provider: withDefault(oneOf("cpu", "webgpu"), "cpu"),
      /** 0 lets the runtime choose. With 1 a run repeats bit for bit. */
      threads: withDefault(whole(), 0),
      /** Positions (texts × longest text) computed at once. Fewer need less memory. */
      chunkPositions: optional(whole({ least: 1 })),
    }),
    {},
  ),

  checkpoints: withDefault(
    object({ every: withDefault(whole({ least: 1 }), 500), keep: withDefault(whole({ least: 1 }), 2) }),
    {},
  ),

  /** Measures quality during training, on queries that are used neither for training nor for testing. */
  evaluation: optional(
    object({
      beir: path,
      split: withDefault(text, "dev"),
      metric: withDefault(text, "ndcg@10"),
      every: withDefault(whole({ least: 1 }), 1000),
      dims: withDefault(whole({ least: 1 }), 768),
    }),
  ),
});

export type TrainConfig = ReturnType<typeof CONFIG>;

/** Reads and checks a config file. */
export async function readTrainConfig(file: string): Promise<TrainConfig> {
  return checkedTrainConfig(parseJson(await readText(file), file), file);
}

/** Checks a parsed config and fills in defaults. `file` is named in errors; paths are relative to its folder. */
export function checkedTrainConfig(value: unknown, file: string): TrainConfig {
  const config = CONFIG(value, { file, path: "" });
  const fail = (what: string, hint?: string) => new UsageError(`${file}: ${what}`, hint);
  const { model, data, loss, teacher, optimiser } = config;
  if ((model.from === undefined) === (model.sizes === undefined))
    throw fail('"model" needs either "from" (an existing model) or "sizes" (to train from scratch)');
  if (!model.from && !model.attentionHeads) throw fail('"model.attentionHeads" is missing');
  if (!model.from && !model.tokenizer) throw fail('"model.tokenizer" is missing', "name a tokenizer.json");
  if (model.colbert ? model.lexical || model.semantic : !model.lexical && !model.semantic)
    throw fail('"model" needs "lexical", "semantic" or both; or "colbert" alone');
  if (config.steps !== undefined && config.epochs !== undefined)
    throw fail('"steps" and "epochs" exclude each other');
  if (optimiser.betas.length !== 2) throw fail('"optimiser.betas" must be a list of two');
  if (data.topics && data.files.length > 1)
    throw fail('"data.topics" needs exactly one file in "data.files"');
  const distils = loss.terms ? loss.terms.some(({ kind }) => kind === "kl") : teacher !== undefined;
  if (distils && !teacher) throw fail('the loss "kl" needs a "teacher"');
  if (!distils && teacher) throw fail('the "teacher" has no effect without a term of the kind "kl"');
  if (teacher) checkTeacher(teacher, fail);
  if (loss.densified && !model.lexical) throw fail('"loss.densified" needs a "lexical" part');
  if (loss.flops && !model.lexical) throw fail('"loss.flops" needs a "lexical" part');
  if (config.headWarmUp && model.lexical !== "delade" && model.lexical !== "splade")
    throw fail('"headWarmUp" needs "lexical" to be delade or splade');
  if (config.headWarmUp?.rarity && model.lexical !== "delade")
    throw fail('"headWarmUp.rarity" needs "lexical" to be delade');
  if (config.evaluation && model.colbert) throw fail('"evaluation" needs a "lexical" or "semantic" part');
  if (config.evaluation?.split === "test")
    throw fail(
      '"evaluation.split" is "test", but test queries must not influence training',
      'set "evaluation.split" to dev or train',
    );
  if (model.sizes && model.sizes.width % model.attentionHeads! !== 0)
    throw fail('"model.sizes.width" must be a multiple of "model.attentionHeads"');
  return config;
}

function checkTeacher(
  { kind, encoder, description, bm25, checkpoint, keep }: NonNullable<TrainConfig["teacher"]>,
  fail: (what: string) => UsageError,
): void {
  if (kind === "encoder" && !encoder && !bm25) throw fail('the "teacher" needs "encoder", "bm25" or both');
  if (kind === "checkpoint" && !checkpoint) throw fail('"teacher.checkpoint" is missing');
  const idle = Object.entries(kind === "encoder" ? { checkpoint } : { encoder, description, bm25, keep });
  if (kind === "file") idle.push(["checkpoint", checkpoint]);
  for (const [name, value] of idle) {
    if (value) throw fail(`"teacher.${name}" has no effect with a teacher of the kind "${kind}"`);
  }
}
