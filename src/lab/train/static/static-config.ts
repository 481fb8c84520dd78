// Describes a run that trains a static encoder, as one JSON file: {"kind": "static", …}. Settings with a default may be left
// out. Paths are relative to the file; $NAME at the beginning of a path is an environment variable.

import { checkedDescription } from "../../../encode/description.ts";
import { parseJson, readText } from "../../../read/lines.ts";
import { pathCheck } from "../config.ts";
import { list, number, object, oneOf, optional, text, whole, withDefault } from "../schema.ts";

const STATIC_CONFIG = object({
  kind: oneOf("static"),
  /** A note for readers. */
  about: optional(text),

  /** A tokenizer.json with word pieces. Each piece gets a row of the table. */
  tokenizer: pathCheck,

  teacher: object({
    /** An encoder that gives vectors: a name such as "builtin:vectors", or a folder. */
    encoder: text,
    /** The folder that keeps the teacher's vectors for later runs. */
    keep: pathCheck,
    /** Where the teacher runs. */
    provider: withDefault(oneOf("cpu", "webgpu"), "cpu"),
    /** A description of the encoder that replaces its own, for example to cut texts earlier. */
    description: optional((value, at) => checkedDescription(value, `${at.file}: "${at.path}"`)),
  }),

  data: object({
    files: list(
      object({
        path: pathCheck,
        /** How many pairs to take, chosen at random. Default: all. */
        pairs: optional(whole({ least: 1 })),
      }),
      { least: 1 },
    ),
    /** How many pairs to take of all files together. Default: all. */
    most: optional(whole({ least: 2 })),
    /** The longest texts in characters; the rest is cut off for teacher and student alike. */
    longest: withDefault(
      object({
        query: withDefault(whole({ least: 1 }), 300),
        passage: withDefault(whole({ least: 1 }), 700),
      }),
      {},
    ),
  }),

  /** Dims of the table, and shorter beginnings of its rows that are trained to work by themselves, with their weights. */
  dims: withDefault(whole({ least: 1 }), 256),
  nested: withDefault(
    list(
      object({
        dims: whole({ least: 1 }),
        weight: withDefault(number({ above: 0 }), 1),
        /** λ that an index with these dims gets. Choose it on queries that are not test queries. */
        lambda: withDefault(number({ above: 0 }), 10),
      }),
      { least: 1 },
    ),
    [
      { dims: 256, weight: 1, lambda: 12 },
      { dims: 128, weight: 0.5, lambda: 10 },
      { dims: 64, weight: 0.25, lambda: 7 },
    ],
  ),

  batch: withDefault(
    object({
      pairs: withDefault(whole({ least: 2 }), 1024),
      /** A batch is made of this many groups of pairs with similar passages. More groups: easier negatives. */
      groups: withDefault(whole({ least: 1 }), 8),
      /** Clusters of passages that groups are drawn from. */
      clusters: withDefault(whole({ least: 1 }), 128),
    }),
    {},
  ),

  loss: withDefault(
    object({
      /** Scores are cosines divided by this. */
      temperature: withDefault(number({ above: 0 }), 0.1),
      /** Weight of: the own passage must score highest. */
      contrast: withDefault(number({ least: 0 }), 0.3),
      /** Weight of: the scores of a query are distributed as the teacher's are. */
      distribution: withDefault(number({ least: 0 }), 1),
      /** The same between passages. */
      passages: withDefault(number({ least: 0 }), 0),
      /** Weight of: a vector points where the teacher's does. */
      direction: withDefault(number({ least: 0 }), 2),
    }),
    {},
  ),

  optimizer: withDefault(
    object({
      learningRate: withDefault(number({ above: 0 }), 6e-3),
      /** Steps in which the rate rises; after these it falls to a twentieth. */
      warmup: withDefault(whole(), 50),
    }),
    {},
  ),

  steps: withDefault(whole({ least: 1 }), 900),
  seed: withDefault(whole(), 1),
  /** Threads of the runtime. With 1 a run repeats bit for bit. */
  threads: withDefault(whole(), 1),
});

export type StaticConfig = ReturnType<typeof STATIC_CONFIG>;

/** Whether a file is the config of a static encoder. */
export async function isStaticConfig(file: string): Promise<boolean> {
  const parsed = parseJson(await readText(file), file) as { kind?: unknown } | null;
  return parsed?.kind === "static";
}

/** Reads and checks the config of a static encoder. */
export async function readStaticConfig(file: string): Promise<StaticConfig> {
  return STATIC_CONFIG(parseJson(await readText(file), file), { file, path: "" });
}
