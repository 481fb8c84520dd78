// Describes a run that trains a static encoder, as one JSON file: {"kind": "static", …}. Settings with a default may be left
// out. Paths are relative to the file; $NAME at the beginning of a path is an environment variable.

import { stat } from "node:fs/promises";
import { z } from "zod";
import { checkDescription, type EncoderDescription } from "../../../encode/contract/description.ts";
import { PACKAGED_ENCODERS } from "../../../encode/folder/encoder-names.ts";
import { parseJson } from "../../../support/files/json.ts";
import { readText } from "../../../support/files/text-file.ts";
import { group, parsedBy, pathFrom, whole } from "../run/schema.ts";

const positive = z.number().positive();
const weight = z.number().min(0);

function schemaOfStatic(file: string) {
  const path = pathFrom(file);
  return z.strictObject({
    kind: z.literal("static"),
    /** A note for readers. */
    about: z.string().optional(),

    /** A tokenizer.json with word pieces. Each piece gets a row of the table. */
    tokenizer: path,

    teacher: z.strictObject({
      /** An encoder that gives vectors: a name such as "builtin:vectors", or a folder. `readStaticConfig` makes that absolute. */
      encoder: z.string().min(1),
      /** The folder that keeps the teacher's vectors for later runs. */
      keep: path,
      /** Where the teacher runs. */
      provider: z.enum(["cpu", "webgpu"]).default("cpu"),
      /** A description of the encoder that replaces its own, for example to cut texts earlier. */
      description: z.custom<EncoderDescription>().optional(),
    }),

    data: z.strictObject({
      files: z
        .array(
          z.strictObject({
            path,
            /** How many pairs to take, chosen at random. Default: all. */
            pairs: whole(1).optional(),
          }),
        )
        .min(1),
      /** How many pairs to take of all files together. Default: all. */
      most: whole(2).optional(),
      /** The longest texts in characters; the rest is cut off for teacher and student alike. */
      longest: group({ query: whole(1).default(300), passage: whole(1).default(700) }),
    }),

    /** Dims of the table, and shorter beginnings of its rows that are trained to work by themselves, with their weights. */
    dims: whole(1).default(256),
    nested: z
      .array(
        z.strictObject({
          dims: whole(1),
          weight: positive.default(1),
          /** λ that an index with these dims gets. Choose it on queries that are not test queries. */
          lambda: positive.default(10),
        }),
      )
      .min(1)
      .default([
        { dims: 256, weight: 1, lambda: 12 },
        { dims: 128, weight: 0.5, lambda: 10 },
        { dims: 64, weight: 0.25, lambda: 7 },
      ]),

    batch: group({
      pairs: whole(2).default(1024),
      /** A batch is made of this many groups of pairs with similar passages. More groups: easier negatives. */
      groups: whole(1).default(8),
      /** Clusters of passages that groups are drawn from. */
      clusters: whole(1).default(128),
    }),

    loss: group({
      /** Scores are cosines divided by this. */
      temperature: positive.default(0.1),
      /** Weight of: the own passage must score highest. */
      contrast: weight.default(0.3),
      /** Weight of: the scores of a query are distributed as the teacher's are. */
      distribution: weight.default(1),
      /** Weight of: the scores between passages are distributed as the teacher's are. */
      passages: weight.default(0),
      /** Weight of: a vector points where the teacher's does. */
      direction: weight.default(2),
    }),

    optimizer: group({
      learningRate: positive.default(6e-3),
      /** Steps in which the rate rises; after these it falls to a twentieth. */
      warmup: whole().default(50),
    }),

    steps: whole(1).default(900),
    seed: whole().default(1),
    /** Threads of the runtime. With 1 a run repeats bit for bit. */
    threads: whole().default(1),
  });
}

export type StaticConfig = z.output<ReturnType<typeof schemaOfStatic>>;

/** Whether a file is the config of a static encoder. */
export async function isStaticConfig(file: string): Promise<boolean> {
  const parsed = parseJson(await readText(file), file) as { kind?: unknown } | null;
  return parsed?.kind === "static";
}

/** Reads and checks the config of a static encoder. */
export async function readStaticConfig(file: string): Promise<StaticConfig> {
  const config = parsedBy(schemaOfStatic(file), parseJson(await readText(file), file), file);
  const { description, encoder } = config.teacher;
  if (description) checkDescription(description, `${file}: "teacher.description"`);
  return { ...config, teacher: { ...config.teacher, encoder: await toEncoderPath(encoder, file) } };
}

/** The path of an encoder's folder. A name of this package, or an id of Hugging Face, stays as it is. */
async function toEncoderPath(given: string, file: string): Promise<string> {
  if (PACKAGED_ENCODERS.some((name) => name === given)) return given;
  const path = parsedBy(pathFrom(file), given, file);
  const isPath = /^[./\\$]/.test(given) || (await stat(path).catch(() => undefined))?.isDirectory();
  return isPath ? path : given;
}
