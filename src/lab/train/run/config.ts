// Describes a training run as one JSON file: the model, the data, the loss, the optimizer. Settings with a default may be
// left out. Paths are relative to the file; $NAME at the beginning of a path is an environment variable.

import { z } from "zod";
import { checkDescription, type EncoderDescription } from "../../../encode/contract/description.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { parseJson } from "../../../support/files/json.ts";
import { readText } from "../../../support/files/text-file.ts";
import { group, parsedBy, pathFrom, share, whole } from "./schema.ts";

/** One learning rate for all parameters, or one for the encoder and one for the heads. */
const rates = z.preprocess(
  (value) => (typeof value === "number" ? { encoder: value, heads: value } : value),
  z.strictObject({ encoder: z.number().min(0), heads: z.number().min(0) }),
);

/** The schema of a config in a file: paths are relative to the file's folder. */
function schemaFor(file: string) {
  const path = pathFrom(file);
  return z.strictObject({
    /** A note for readers. */
    about: z.string().optional(),

    model: z.strictObject({
      /** Initial parameters: a folder with model.safetensors and tokenizer.json, a checkpoint, or a run. */
      from: path.optional(),
      /** Attention heads. Default with `from`: those of its config.json. */
      attentionHeads: whole(1).optional(),
      /** Sizes of a model that is trained from scratch. With `from` the file gives them. */
      sizes: z
        .strictObject({
          layers: whole(1),
          width: whole(1),
          /** Width of the feed-forward layers. Default: 4 × width. */
          ffn: whole(1).optional(),
          positions: whole(3).default(512),
        })
        .optional(),
      /** A tokenizer.json. Default: that of `from`. */
      tokenizer: path.optional(),
      /** The head that gives weights of terms; `anchored` gives factors of BM25's weights. */
      lexical: z.enum(["delade", "splade", "unicoil", "anchored"]).optional(),
      /** The head that gives a vector. */
      semantic: z
        .strictObject({
          pooling: z.enum(["cls", "mean"]).default("cls"),
          /** Project the vector to this width. */
          width: whole(1).optional(),
          normalize: z.boolean().default(false),
          /** Multiply the vector by a learned number. A number here is its initial value. */
          scale: z.union([z.boolean(), z.number().positive()]).default(false),
        })
        .optional(),
      /** A ColBERT head instead of the two above. Such a model is used as a teacher. */
      colbert: z.strictObject({ width: whole(1).default(128) }).optional(),
      trainWordEmbeddings: z.boolean().default(false),
      /** Tokens of the longest texts, including [CLS] and [SEP]. */
      maxLength: group({ query: whole(3).default(32), passage: whole(3).default(150) }),
      /** Text before every query or passage, for models that were trained with one. */
      prefix: z.strictObject({ query: z.string().optional(), passage: z.string().optional() }).optional(),
    }),

    data: z.strictObject({
      files: z
        .array(
          z.preprocess(
            (value) => (typeof value === "string" ? { path: value } : value),
            z.strictObject({
              path,
              /** The file of passages, if `path` names passages by id. */
              corpus: path.optional(),
              /** How much of the training comes from this file, relative to the others. */
              weight: z.number().positive().optional(),
            }),
          ),
        )
        .min(1),
      /** A batch holds examples of all files (`together`) or of one file (`apart`). */
      mix: z.enum(["together", "apart"]).default("together"),
      longQueries: z.enum(["cut", "refuse"]).default("cut"),
      withoutNegatives: z.enum(["refuse", "random"]).default("refuse"),
      /** A file of query clusters, one {"qidx": […]} per line. A batch is then drawn from `perBatch` clusters. */
      topics: z.strictObject({ path, perBatch: whole(1).default(24) }).optional(),
    }),

    batch: group({
      queries: whole(1).default(24),
      /** One positive and its negatives. All other passages of the batch are negatives too. */
      passagesPerQuery: whole(1).default(1),
      /** Sort the examples of this many batches by length. More batches mean less padding. */
      sortedBatches: whole(1).default(1),
    }),

    loss: group({
      /** The loss is their sum. Default: nll, or kl if there is a teacher. */
      terms: z
        .array(
          z.strictObject({
            kind: z.enum(["nll", "kl"]),
            of: z.enum(["fused", "lexical", "semantic"]).default("fused"),
            weight: z.number().default(1),
            scale: z.number().positive().default(1),
            teacherScale: z.number().positive().default(1),
          }),
        )
        .min(1)
        .optional(),
      /** Train on densified rows of this many dims instead of whole vectors. */
      densified: whole(1).optional(),
      semanticWeight: z.number().min(0).default(1),
      /** Weights of SPLADE's regularizer; they grow until step `steps`. */
      flops: z
        .strictObject({
          query: z.number().min(0).default(3e-4),
          passage: z.number().min(0).default(1e-4),
          steps: whole(1).default(50_000),
        })
        .optional(),
    }),

    teacher: z
      .strictObject({
        /** An encoder or another run's checkpoint scores every batch, or the scores are in the training file. */
        kind: z.enum(["encoder", "checkpoint", "file"]),
        /** A checkpoint, or the folder of a run (its newest checkpoint). It must have the same tokenizer. */
        checkpoint: path.optional(),
        /** A folder with model.onnx, tokenizer.json and sluice.json. Default: BM25 alone. */
        encoder: path.optional(),
        /** A description of the encoder that replaces its sluice.json. */
        description: z.custom<EncoderDescription>().optional(),
        /** Add BM25 to the scores of a dense encoder. */
        bm25: z.boolean().default(false),
        /** Weight of the encoder's vectors, relative to BM25 or to its own weights of terms. */
        lambda: z.number().min(0).default(1),
        /** All scores are multiplied by this. */
        scale: z.number().positive().default(1),
        /** A folder that keeps the encodings for later runs. */
        keep: path.optional(),
        /** For `file`: the score of a query with a passage of another query. The positive has 0. */
        elsewhere: z.number().default(-20),
      })
      .optional(),

    optimizer: group({
      learningRate: rates.prefault(7e-6),
      /** Share of the steps in which the rates rise. After these they fall to 0. */
      warmup: share.default(0.1),
      weightDecay: z.number().min(0).default(0),
      clip: z.number().positive().default(1),
      betas: z.tuple([share, share]).default([0.9, 0.999]),
      epsilon: z.number().positive().default(1e-8),
    }),

    /** First steps, in which a head over the vocabulary learns to predict masked tokens of the passages. */
    headWarmUp: z
      .strictObject({
        steps: whole(1),
        /** Texts per step. */
        texts: whole(1).default(64),
        /** Share of the tokens to predict. */
        guessed: share.positive().default(0.15),
        /** Share of these that are masked. With 0 the head learns to name each token: a good start for a DeLADE head. */
        hidden: share.default(0.8),
        /** Tokens also learn the weight √(this × idf). With 0.6 a DeLADE model starts out similar to BM25. */
        rarity: z.number().positive().optional(),
        learningRate: rates.prefault({ encoder: 0, heads: 5e-4 }),
      })
      .optional(),

    /** Length of the run: give one of the two. Default: one epoch. */
    steps: whole(1).optional(),
    epochs: z.number().positive().optional(),
    seed: whole().default(1),

    compute: group({
      provider: z.enum(["cpu", "webgpu"]).default("cpu"),
      /** 0 lets the runtime choose. With 1 a run repeats bit for bit. */
      threads: whole().default(0),
      /** Positions (texts × longest text) computed at once. Fewer need less memory. */
      chunkPositions: whole(1).optional(),
    }),

    checkpoints: group({ every: whole(1).default(500), keep: whole(1).default(2) }),

    /** Measures quality during training, on queries that are used neither for training nor for testing. */
    evaluation: z
      .strictObject({
        beir: path,
        split: z.string().default("dev"),
        metric: z.string().default("ndcg@10"),
        every: whole(1).default(1000),
        dims: whole(1).default(768),
      })
      .optional(),
  });
}

export type TrainConfig = z.output<ReturnType<typeof schemaFor>>;

/** Reads and checks a config file. */
export async function readTrainConfig(file: string): Promise<TrainConfig> {
  return checkedTrainConfig(parseJson(await readText(file), file), file);
}

/** Checks a parsed config and fills in defaults. `file` is named in errors; paths are relative to its folder. */
export function checkedTrainConfig(value: unknown, file: string): TrainConfig {
  const config = parsedBy(schemaFor(file), value, file);
  const fail = (what: string, hint?: string) => new SluiceError(`${file}: ${what}`, hint);
  const { model, data, loss, teacher } = config;
  if ((model.from === undefined) === (model.sizes === undefined))
    throw fail('"model" needs either "from" (an existing model) or "sizes" (to train from scratch)');
  if (!model.from && !model.attentionHeads) throw fail('"model.attentionHeads" is missing');
  if (!model.from && !model.tokenizer) throw fail('"model.tokenizer" is missing', "name a tokenizer.json");
  if (model.colbert ? model.lexical || model.semantic : !model.lexical && !model.semantic)
    throw fail('"model" needs "lexical", "semantic" or both; or "colbert" alone');
  if (config.steps !== undefined && config.epochs !== undefined)
    throw fail('"steps" and "epochs" exclude each other');
  if (data.topics && data.files.length > 1)
    throw fail('"data.topics" needs exactly one file in "data.files"');
  const distils = loss.terms ? loss.terms.some(({ kind }) => kind === "kl") : teacher !== undefined;
  if (distils && !teacher) throw fail('the loss "kl" needs a "teacher"');
  if (!distils && teacher) throw fail('the "teacher" has no effect without a term of the kind "kl"');
  if (teacher) checkTeacher(teacher, file, fail);
  const lacking = loss.terms?.find(({ of }) => of !== "fused" && !model[of]);
  if (lacking)
    throw fail(`"loss.terms" has a term of the ${lacking.of} part, but "model.${lacking.of}" is missing`);
  if (model.lexical === "anchored") checkAnchored(config, fail);
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

/** An anchored head learns from the states of an encoder that does not change. */
function checkAnchored(
  { optimizer, loss }: TrainConfig,
  fail: (what: string, hint?: string) => SluiceError,
): void {
  if (optimizer.learningRate.encoder > 0)
    throw fail(
      '"lexical": "anchored" trains heads on a frozen encoder, but the encoder has a learning rate',
      'set "optimizer.learningRate" to {"encoder": 0, "heads": 5e-4}',
    );
  for (const name of ["densified", "flops"] as const) {
    if (loss[name]) throw fail(`"loss.${name}" has no effect with "lexical": "anchored"`);
  }
}

function checkTeacher(
  { kind, encoder, description, bm25, checkpoint, keep }: NonNullable<TrainConfig["teacher"]>,
  file: string,
  fail: (what: string) => SluiceError,
): void {
  if (kind === "encoder" && !encoder && !bm25) throw fail('the "teacher" needs "encoder", "bm25" or both');
  if (description) checkDescription(description, `${file}: "teacher.description"`);
  if (kind === "checkpoint" && !checkpoint) throw fail('"teacher.checkpoint" is missing');
  const idle = Object.entries(kind === "encoder" ? { checkpoint } : { encoder, description, bm25, keep });
  if (kind === "file") idle.push(["checkpoint", checkpoint]);
  for (const [name, value] of idle) {
    if (value) throw fail(`"teacher.${name}" has no effect with a teacher of the kind "${kind}"`);
  }
}
