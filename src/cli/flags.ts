// Flags that several commands share → options of the library.

import { STRATEGIES, type Strategy } from "../densify/index.ts";
import { readDescription } from "../encode/description.ts";
import {
  type Analyzer,
  type BuildOptions,
  Encoder,
  english,
  type OpenOptions,
  type Plan,
  type Query,
  Sluice,
  UsageError,
  WordPiece,
  whitespace,
} from "../index.ts";
import { readText } from "../read/lines.ts";
import type { VectorsById } from "../read/vector-files.ts";
import { KERNELS } from "../scan/kernel-options.ts";
import type { Arguments, Flags } from "./command.ts";

export const JSON_FLAG = {
  json: { type: "boolean", help: "print JSON instead of text" },
} as const satisfies Flags;

export const PLAN_FLAGS = {
  exact: { type: "boolean", help: "return what scoring every document would return, whatever it takes" },
  theta: { type: "string", value: "X", help: "two stages: the first uses only query weights above X" },
  mass: {
    type: "string",
    value: "X",
    help: "two stages: the first uses the heaviest share X (0 to 1) of the query",
  },
  "inner-product": { type: "boolean", help: "two stages: the first ignores which term a slot holds" },
  quantized: {
    type: "boolean",
    help: "two stages: the first uses product codes (needs an index built with --quantize)",
  },
  "semantic-selection": {
    type: "string",
    value: "HOW",
    help: "semantic dims that the first stage uses: positive, magnitude or all",
  },
  candidates: { type: "string", value: "N", help: "documents that the first stage passes on (10000)" },
} as const satisfies Flags;

/** Flags for what a search runs on. */
export const SEARCH_MEANS_FLAGS = {
  threads: { type: "string", value: "N", help: "threads that search (1)" },
  kernel: {
    type: "string",
    value: "NAME",
    choices: KERNELS,
    help: `what computes the scores: ${KERNELS.join(", ")} (wasm)`,
  },
} as const satisfies Flags;

export function searchMeansOf(args: Arguments): Pick<OpenOptions, "threads" | "kernel"> {
  const [threads, kernel] = [args.count("threads"), args.oneOf("kernel", KERNELS)];
  return { ...(threads !== undefined && { threads }), ...(kernel && { kernel }) };
}

export function planFromFlags(args: Arguments): Plan {
  const candidates = args.count("candidates");
  const theta = args.positive("theta");
  const mass = args.number("mass");
  const innerProduct = args.is("inner-product");
  const quantized = args.is("quantized");
  const exact = args.is("exact");
  if ([exact, theta !== undefined, mass !== undefined, innerProduct, quantized].filter(Boolean).length > 1) {
    throw args.misuse("--exact, --theta, --mass, --inner-product and --quantized exclude each other");
  }
  const second = candidates === undefined ? {} : { candidates };
  const semanticSelection = args.oneOf("semantic-selection", ["positive", "magnitude", "all"]);
  const selection = semanticSelection === undefined ? {} : { semanticSelection };
  if (theta !== undefined) return { kind: "pruned", theta, ...selection, ...second };
  if (mass !== undefined) return { kind: "pruned", mass, ...selection, ...second };
  args.refuseFlags(["semantic-selection"], "without --theta or --mass");
  if (innerProduct) return { kind: "inner-product", ...second };
  if (quantized) return { kind: "quantized", ...second };
  if (candidates !== undefined)
    throw args.misuse("--candidates goes with --theta, --mass, --inner-product or --quantized");
  return { kind: exact ? "exact" : "auto" };
}

export const DENSIFY_FLAGS = {
  dims: { type: "string", value: "N", help: "slices of a row (768), or full: one slice per term" },
  slicing: {
    type: "string",
    value: "NAME",
    choices: ["stride", "contiguous", "random", "hashed", "spread"],
    help: "stride, contiguous, random, hashed or spread (spread)",
  },
  seed: { type: "string", value: "N", help: "seed of random slicing (0)" },
  discard: { type: "string", value: "N", help: "leading vocabulary ids to drop (by rule)" },
} as const satisfies Flags;

export function densifyOptions(args: Arguments): BuildOptions {
  const full = args.text("dims") === "full";
  const slicing = args.oneOf(
    "slicing",
    STRATEGIES.filter((name): name is Exclude<Strategy, "full"> => name !== "full"),
  );
  if (full) args.refuseFlags(["slicing", "seed", "discard"], "with --dims full");
  if (slicing !== "random") args.refuseFlags(["seed"], "without --slicing random");
  if (slicing === undefined || slicing === "spread" || slicing === "hashed")
    args.refuseFlags(["discard"], `with --slicing ${slicing ?? "spread"}`);
  const [dims, seed, discard] = [
    full ? undefined : args.number("dims"),
    args.number("seed"),
    args.number("discard"),
  ];
  return {
    ...(full && { dims: "full" as const }),
    ...(dims !== undefined && { dims }),
    ...(slicing !== undefined && { slicing }),
    ...(seed !== undefined && { seed }),
    ...(discard !== undefined && { discard }),
  };
}

export const WEIGHT_FLAGS = {
  "weight-scale": { type: "string", value: "X", help: "multiply every weight in the file by X" },
  "token-ids": { type: "boolean", help: "tokens are vocabulary ids, as COIL writes them" },
} as const satisfies Flags;

/** How files of weights are read. --token-ids needs a vocabulary to look the ids up. */
export function weightFormat(args: Arguments, vocabulary: readonly string[] | undefined) {
  const scale = args.number("weight-scale");
  if (scale !== undefined && !(scale > 0 && Number.isFinite(scale))) {
    throw args.misuse(`--weight-scale takes a number above 0, not ${scale}`);
  }
  if (args.is("token-ids") && !vocabulary) {
    throw args.misuse("--token-ids needs a vocabulary; give --analyzer wordpiece:FILE");
  }
  return {
    ...(scale !== undefined && { scale }),
    ...(args.is("token-ids") && vocabulary && { idsOf: vocabulary }),
  };
}

/** The analyzer that --analyzer names: english, whitespace, or wordpiece:FILE with a vocab.txt or a tokenizer.json. */
export async function analyzerFromFlags(args: Arguments): Promise<Analyzer> {
  const spec = args.text("analyzer") ?? "english";
  if (spec === "english") return english;
  if (spec === "whitespace") return whitespace;
  if (!spec.startsWith("wordpiece:")) {
    throw args.misuse(`--analyzer is english, whitespace or wordpiece:FILE, not "${spec}"`);
  }
  const path = spec.slice("wordpiece:".length);
  const text = await readText(path);
  return path.endsWith(".json") ? WordPiece.fromTokenizerJson(text) : WordPiece.fromVocabulary(text);
}

export const ENCODER_THREADS_FLAG = {
  "encoder-threads": { type: "string", value: "N", help: "threads of the encoder (the runtime decides)" },
} as const satisfies Flags;

export const ENCODER_FLAGS = {
  encoder: {
    type: "string",
    value: "MODEL",
    help: "static, static:128 or static:64 (BM25 for words, no runtime), builtin, builtin:vectors (BM25 for words), none, a folder with model.onnx, tokenizer.json and sluice.json, or a Hugging Face id",
  },
  description: {
    type: "string",
    value: "FILE",
    help: "description of the encoder, instead of its sluice.json",
  },
  ...ENCODER_THREADS_FLAG,
} as const satisfies Flags;

/** The encoder that --encoder names; `usual` is the default for a new index. */
export async function encoderFromFlags(args: Arguments, usual?: string): Promise<Encoder | undefined> {
  const [file, threads] = [args.text("description"), args.number("encoder-threads")];
  const name = args.text("encoder") ?? usual;
  if (name === "none" && usual === undefined)
    throw args.misuse("--encoder none is for a new index; this index already has its encoder, or none");
  if (name === undefined || name === "none") return undefined;
  const options = {
    ...(file !== undefined && { description: await readDescription(file) }),
    ...(threads !== undefined && { threads }),
  };
  try {
    return args.closeAtEnd(await Encoder.open(name, options));
  } catch (error) {
    if (!(error instanceof UsageError && error.code === "ERR_SLUICE_MISSING_PACKAGE" && usual)) throw error;
    throw new UsageError(error.message, `${error.hint}: --encoder none indexes words only`, error.code);
  }
}

/** Adds vectors from a file to queries; a query without a vector is refused. */
export function withQueryVectors(
  queries: readonly { readonly id: string; readonly text: string }[],
  vectors: VectorsById,
  file: string,
): { id: string; query: Query }[] {
  return queries.map(({ id, text }) => {
    const vector = vectors.get(id);
    if (!vector) throw new UsageError(`${file}: no vector for the query ${JSON.stringify(id)}`);
    return { id, query: { text, vector } };
  });
}

/** Opens an index, read-only by default. With --encoder, its queries are encoded by that encoder. */
export async function openFromFlags(
  path: string,
  args: Arguments,
  options: Pick<OpenOptions, "readOnly" | "threads" | "kernel"> = {},
): Promise<Sluice> {
  const encoder = await encoderFromFlags(args);
  return args.closeAtEnd(
    await Sluice.open(path, { readOnly: true, ...options, ...(encoder && { encoder }) }),
  );
}
