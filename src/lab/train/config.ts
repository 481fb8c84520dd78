// A training run as one readable file: the model, the data, the loss, how it is optimised. Everything that has a usual
// value may be left out. Paths are relative to the file; $NAME at the beginning of one is an environment variable.

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

/** A folder or a file, absolute once it is checked. */
const path: Check<string> = (value, at) => {
  const given = text(value, at);
  const [, name, rest] = /^\$(\w+)(.*)$/s.exec(given) ?? [];
  if (name === undefined) return resolve(dirname(at.file), given);
  const folder = process.env[name];
  if (folder !== undefined) return resolve(folder + rest);
  throw new UsageError(`${at.file}: "${at.path}" is ${given}, and the variable ${name} is not set`);
};

const length = (usual: number) => withDefault(whole({ least: 3 }), usual);

/** One number for all parameters, or one for those of the encoder and one for the heads'. */
const rates = either(
  (value) => typeof value === "number",
  (value, at) => {
    const rate = number({ above: 0 })(value, at);
    return { encoder: rate, heads: rate };
  },
  object({ encoder: number({ least: 0 }), heads: number({ least: 0 }) }),
);

const CONFIG = object({
  /** For people. */
  about: optional(text),

  model: object({
    /** Where the parameters come from: a folder with model.safetensors and tokenizer.json, a checkpoint, or a run. */
    from: optional(path),
    /** Attention heads; with `from`, those of its config.json when left out. */
    attentionHeads: optional(whole({ least: 1 })),
    /** Sizes of a model that begins from nothing; with `from`, the file's own. */
    sizes: optional(
      object({
        layers: whole({ least: 1 }),
        width: whole({ least: 1 }),
        /** 4 × width when left out. */
        ffn: optional(whole({ least: 1 })),
        positions: withDefault(whole({ least: 3 }), 512),
      }),
    ),
    /** A tokenizer.json; that of `from` when left out. */
    tokenizer: optional(path),
    /** Weights of words. */
    lexical: optional(oneOf("delade", "splade", "unicoil")),
    /** A vector. */
    semantic: optional(
      object({
        pooling: withDefault(oneOf("cls", "mean"), "cls"),
        /** Projected to this width. */
        width: optional(whole({ least: 1 })),
        normalise: withDefault(boolean, false),
        /** Times a number that is learned; a number here is what it begins with. */
        scale: withDefault(
          either((value) => typeof value === "number", number({ above: 0 }), boolean),
          false,
        ),
      }),
    ),
    /** ColBERT, a teacher, instead of the two above. */
    colbert: optional(object({ width: withDefault(whole({ least: 1 }), 128) })),
    trainWordEmbeddings: withDefault(boolean, false),
    /** Tokens, [CLS] and [SEP] included. */
    maxLength: withDefault(object({ query: length(32), passage: length(150) }), {}),
  }),

  data: object({
    files: list(
      either(
        (value) => typeof value === "string",
        (value, at) => ({ path: path(value, at) }),
        object({
          path,
          /** The passages, where the file names them by id. */
          corpus: optional(path),
          weight: optional(number({ above: 0 })),
        }),
      ),
      { least: 1 },
    ),
    /** Whether a batch holds examples of all files, or of one. */
    mix: withDefault(oneOf("together", "apart"), "together"),
    longQueries: withDefault(oneOf("cut", "refuse"), "cut"),
    withoutNegatives: withDefault(oneOf("refuse", "random"), "refuse"),
    /** Query clusters, {"qidx": […]} a line: a batch then comes from `perBatch` of them. */
    topics: optional(object({ path, perBatch: withDefault(whole({ least: 1 }), 24) })),
  }),

  batch: withDefault(
    object({
      queries: withDefault(whole({ least: 1 }), 24),
      /** The positive and its negatives. All other passages of the batch are negatives too. */
      passagesPerQuery: withDefault(whole({ least: 1 }), 1),
      /** Batches whose examples are sorted by length, so that little is padded. */
      sortedBatches: withDefault(whole({ least: 1 }), 1),
    }),
    {},
  ),

  loss: withDefault(
    object({
      /** Their sum is the loss; nll when left out, or kl where there is a teacher. */
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
      /** Train on rows of so many dims, instead of whole vectors. */
      densified: optional(whole({ least: 1 })),
      semanticWeight: withDefault(number({ least: 0 }), 1),
      /** SPLADE's regulariser. */
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
      /** An encoder or another run's checkpoint scores every batch; or scores stand in the data. */
      kind: oneOf("encoder", "checkpoint", "file"),
      /** A checkpoint, or the folder of a run: its newest. It must have the same tokenizer. */
      checkpoint: optional(path),
      /** A folder with model.onnx, tokenizer.json and sluice.json; BM25 alone when left out. */
      encoder: optional(path),
      /** What the encoder is, instead of its sluice.json. */
      description: optional((value, at) => checkedDescription(value, `${at.file}: "${at.path}"`)),
      /** Add BM25 to what a dense encoder says. */
      bm25: withDefault(boolean, false),
      /** Weight of the encoder's vectors beside BM25 or beside its own weights of words. */
      lambda: withDefault(number({ least: 0 }), 1),
      /** All scores are multiplied by this. */
      scale: withDefault(number({ above: 0 }), 1),
      /** Where encodings are kept, to be used again. */
      keep: optional(path),
      /** Scores in the data: what a query has with a passage of another query, the positive being at 0. */
      elsewhere: withDefault(number(), -20),
    }),
  ),

  optimiser: withDefault(
    object({
      learningRate: withDefault(rates, 7e-6),
      /** Share of the steps in which the rates rise; then they fall to 0. */
      warmup: withDefault(number({ least: 0, most: 1 }), 0.1),
      weightDecay: withDefault(number({ least: 0 }), 0),
      clip: withDefault(number({ above: 0 }), 1),
      betas: withDefault(list(number({ least: 0, most: 1 })), [0.9, 0.999]),
      epsilon: withDefault(number({ above: 0 }), 1e-8),
    }),
    {},
  ),

  /** Steps before the others, in which a head over the vocabulary learns to guess masked words of the passages. */
  headWarmUp: optional(
    object({
      steps: whole({ least: 1 }),
      /** Texts of a step. */
      texts: withDefault(whole({ least: 1 }), 64),
      /** Share of the tokens that are to be guessed. */
      guessed: withDefault(number({ above: 0, most: 1 }), 0.15),
      /** Share of those that are hidden. With 0 the head learns to name each token, which is where a DeLADE head begins. */
      hidden: withDefault(number({ least: 0, most: 1 }), 0.8),
      /** Tokens learn to weigh √(this × idf) as well: with 0.6 a DeLADE model begins as something like BM25. */
      rarity: optional(number({ above: 0 })),
      learningRate: withDefault(rates, { encoder: 0, heads: 5e-4 }),
    }),
  ),

  /** How long: one of the two; one epoch when both are left out. */
  steps: optional(whole({ least: 1 })),
  epochs: optional(number({ above: 0 })),
  seed: withDefault(whole(), 1),

  compute: withDefault(
    object({
      provider: withDefault(oneOf("cpu", "webgpu"), "cpu"),
      /** 0 leaves it to the runtime; with 1 a run repeats bit for bit. */
      threads: withDefault(whole(), 0),
      /** Positions (texts × longest) at once: what bounds the memory. */
      chunkPositions: optional(whole({ least: 1 })),
    }),
    {},
  ),

  checkpoints: withDefault(
    object({ every: withDefault(whole({ least: 1 }), 500), keep: withDefault(whole({ least: 1 }), 2) }),
    {},
  ),

  /** Quality on queries that are neither trained on nor tested on. */
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

/** A config from a file. */
export async function readTrainConfig(file: string): Promise<TrainConfig> {
  return checkedTrainConfig(parseJson(await readText(file), file), file);
}

/** A parsed config, checked and complete. `file` names it in errors, and paths are relative to where it is. */
export function checkedTrainConfig(value: unknown, file: string): TrainConfig {
  const config = CONFIG(value, { file, path: "" });
  const fail = (what: string, hint?: string) => new UsageError(`${file}: ${what}`, hint);
  const { model, data, loss, teacher, optimiser } = config;
  if ((model.from === undefined) === (model.sizes === undefined))
    throw fail('"model" needs either "from", a model to begin with, or "sizes", to begin from nothing');
  if (!model.from && !model.attentionHeads) throw fail('"model.attentionHeads" is missing');
  if (!model.from && !model.tokenizer) throw fail('"model.tokenizer" is missing', "name a tokenizer.json");
  if (model.colbert ? model.lexical || model.semantic : !model.lexical && !model.semantic)
    throw fail('"model" needs "lexical", "semantic" or both; or "colbert" alone');
  if (config.steps !== undefined && config.epochs !== undefined)
    throw fail('"steps" and "epochs" exclude each other');
  if (optimiser.betas.length !== 2) throw fail('"optimiser.betas" is a list of two');
  if (data.topics && data.files.length > 1) throw fail('"data.topics" goes with one file');
  const distils = loss.terms ? loss.terms.some(({ kind }) => kind === "kl") : teacher !== undefined;
  if (distils && !teacher) throw fail('the loss "kl" needs a "teacher"');
  if (!distils && teacher) throw fail('the "teacher" has no effect without a term of the kind "kl"');
  if (teacher) checkTeacher(teacher, fail);
  if (loss.densified && !model.lexical) throw fail('"loss.densified" needs a "lexical" part');
  if (loss.flops && !model.lexical) throw fail('"loss.flops" needs a "lexical" part');
  if (config.headWarmUp && model.lexical !== "delade" && model.lexical !== "splade")
    throw fail('"headWarmUp" needs a "lexical" part over the vocabulary, delade or splade');
  if (config.headWarmUp?.rarity && model.lexical !== "delade")
    throw fail('"headWarmUp.rarity" needs tokens that have weights: a "lexical" part of the kind delade');
  if (config.evaluation && model.colbert) throw fail('"evaluation" needs a "lexical" or "semantic" part');
  if (config.evaluation?.split === "test")
    throw fail("no decision is made on a test split", 'let "evaluation.split" be dev or train');
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
