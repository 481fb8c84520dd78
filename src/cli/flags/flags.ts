// Flags that several commands share → options of the library.

import { DEFAULT_ANALYZER } from "../../analyze/contract/analyzer-names.ts";
import {
  ANALYZER_NAMES,
  type Analyzer,
  type AnalyzerName,
  type AnalyzerOptions,
  loadAnalyzer,
  WordPiece,
} from "../../analyze/index.ts";
import { DEFAULT_DIMS, DEFAULT_STRATEGY, SLOT_STRATEGIES } from "../../densify/slicing.ts";
import { readDescription } from "../../encode/contract/description.ts";
import type { Encoder } from "../../encode/index.ts";
import { openEncoder } from "../../encode/open-encoder.ts";
import {
  type BuildOptions,
  type OpenOptions,
  type Plan,
  type Query,
  type SearchOptions,
  Sluice,
  SluiceError,
} from "../../index.ts";
import { DEFAULT_CANDIDATES, PLAN_OPTIONS } from "../../query/plan/plan.ts";
import { SEMANTIC_SELECTIONS } from "../../query/plan/select-dimensions.ts";
import type { VectorsById } from "../../read/weights/vector-files.ts";
import { KERNELS } from "../../scan/contract/kernel-options.ts";
import { readText } from "../../support/files/text-file.ts";
import type { Arguments, Flags } from "../terminal/command.ts";
import { readSynonyms } from "./synonyms-flag.ts";

const PLANS = Object.keys(PLAN_OPTIONS) as Plan["kind"][];

export const JSON_FLAG = {
  json: { type: "boolean", help: "print JSON instead of text" },
} as const satisfies Flags;

export const PLAN_FLAGS = {
  plan: {
    type: "string",
    value: "NAME",
    choices: PLANS,
    help: `how to search: ${PLANS.join(", ")}; auto by default`,
  },
  theta: {
    option: "plan.theta",
    type: "string",
    value: "X",
    help: "a pruned plan: the first stage uses only query weights above X",
  },
  mass: {
    option: "plan.mass",
    type: "string",
    value: "X",
    help: "a pruned plan: the first stage uses the heaviest share X (0 to 1) of the query",
  },
  "semantic-selection": {
    option: "plan.semanticSelection",
    type: "string",
    value: "HOW",
    choices: SEMANTIC_SELECTIONS,
    help: "semantic dims that the first stage uses: positive, magnitude or all",
  },
  candidates: {
    option: "plan.candidates",
    type: "string",
    value: "N",
    help: `documents that the first stage passes on; ${DEFAULT_CANDIDATES} by default`,
  },
  "no-rescore": {
    option: "plan.rescore",
    type: "boolean",
    help: "leave out the second stage: hits have the scores of the first",
  },
} as const satisfies Flags;

/** Flags for how the words of a query are read. */
export const WORD_FLAGS = {
  typos: { type: "boolean", help: "correct words that no document contains" },
  prefix: { type: "boolean", help: "complete the last word" },
  syntax: {
    type: "boolean",
    help: 'read operators: "new york", "new york"~2, +word, -word, field:value',
  },
  synonyms: {
    type: "string",
    value: "FILE",
    help: "words that mean the same, a list per line: car, automobile; one way with laptop => computer",
  },
} as const satisfies Flags;

export async function readWordFlags(
  args: Arguments,
): Promise<Pick<SearchOptions, "typos" | "prefix" | "syntax" | "synonyms">> {
  const path = args.text("synonyms");
  const synonyms = path === undefined ? undefined : await readSynonyms(path);
  return {
    typos: args.is("typos"),
    prefix: args.is("prefix"),
    syntax: args.is("syntax"),
    ...(synonyms && { synonyms }),
  };
}

/** Flags that say what a search runs on. */
export const THREADS_AND_KERNEL_FLAGS = {
  threads: { type: "string", value: "N", help: "threads that search; 1 by default" },
  kernel: {
    type: "string",
    value: "NAME",
    choices: KERNELS,
    help: `what computes the scores: ${KERNELS.join(", ")}; wasm by default`,
  },
} as const satisfies Flags;

export function threadsAndKernelFromFlags(args: Arguments): Pick<OpenOptions, "threads" | "kernel"> {
  const [threads, kernel] = [args.count("threads"), args.oneOf("kernel", KERNELS)];
  return { ...(threads !== undefined && { threads }), ...(kernel && { kernel }) };
}

export function planFromFlags(args: Arguments): Plan {
  const candidates = args.count("candidates");
  const theta = args.nonNegative("theta");
  const mass = args.number("mass");
  const isPruned = theta !== undefined || mass !== undefined;
  const kind = args.oneOf("plan", PLANS) ?? (isPruned ? "pruned" : "auto");
  if (theta !== undefined && mass !== undefined)
    throw args.usageError("--theta and --mass exclude each other");
  if (kind !== "pruned") args.refuseFlags(["theta", "mass", "semantic-selection"], `with the plan ${kind}`);
  const rescore = args.is("no-rescore") ? { rescore: false } : {};
  const second = candidates === undefined ? rescore : { candidates, ...rescore };
  const semanticSelection = args.oneOf("semantic-selection", SEMANTIC_SELECTIONS);
  const selection = semanticSelection === undefined ? {} : { semanticSelection };
  if (theta !== undefined) return { kind: "pruned", theta, ...selection, ...second };
  if (mass !== undefined) return { kind: "pruned", mass, ...selection, ...second };
  if (kind === "pruned") throw args.usageError("--plan pruned takes --theta or --mass");
  if (kind === "inner-product" || kind === "quantized") return { kind, ...second };
  args.refuseFlags(["candidates", "no-rescore"], `with the plan ${kind}`);
  return { kind };
}

export const DENSIFY_FLAGS = {
  dims: {
    type: "string",
    value: "N",
    help: `slots of a row, or full: one for every term; ${DEFAULT_DIMS} with --slicing-strategy, --seed or --discard; full by default`,
  },
  "slicing-strategy": {
    type: "string",
    value: "NAME",
    choices: SLOT_STRATEGIES,
    help: `how terms share slots: ${SLOT_STRATEGIES.join(", ")}; ${DEFAULT_STRATEGY} by default`,
  },
  seed: { type: "string", value: "N", help: "seed of random slicing; 0 by default" },
  discard: {
    type: "string",
    value: "N",
    help: "leading vocabulary ids to drop; by default the slicing decides",
  },
} as const satisfies Flags;

export function densifyOptionsFromFlags(args: Arguments): BuildOptions {
  const isFull = args.text("dims") === "full";
  const slicingStrategy = args.oneOf("slicing-strategy", SLOT_STRATEGIES);
  if (isFull) args.refuseFlags(["slicing-strategy", "seed", "discard"], "with --dims full");
  const used = slicingStrategy ?? DEFAULT_STRATEGY;
  if (used !== "random") args.refuseFlags(["seed"], "without --slicing-strategy random");
  if (used === "spread" || used === "hashed")
    args.refuseFlags(["discard"], `with --slicing-strategy ${used}`);
  const [dims, seed, discard] = [
    isFull ? undefined : args.number("dims"),
    args.number("seed"),
    args.number("discard"),
  ];
  return {
    ...(isFull && { dims: "full" as const }),
    ...(dims !== undefined && { dims }),
    ...(slicingStrategy !== undefined && { slicingStrategy }),
    ...(seed !== undefined && { seed }),
    ...(discard !== undefined && { discard }),
  };
}

export const WEIGHT_FLAGS = {
  "weight-scale": { type: "string", value: "X", help: "multiply every weight in the file by X" },
  "token-ids": { type: "boolean", help: "tokens are vocabulary ids, as COIL writes them" },
} as const satisfies Flags;

/** How files of weights are read. --token-ids needs a vocabulary to look the ids up. */
export function weightFormatFromFlags(args: Arguments, vocabulary: readonly string[] | undefined) {
  const scale = args.number("weight-scale");
  if (scale !== undefined && !(scale > 0 && Number.isFinite(scale))) {
    throw args.usageError(`--weight-scale takes a number above 0, not ${scale}`);
  }
  if (args.is("token-ids") && !vocabulary) {
    throw args.usageError("--token-ids needs a vocabulary; give --analyzer wordpiece:FILE");
  }
  return {
    ...(scale !== undefined && { scale }),
    ...(args.is("token-ids") && vocabulary && { idsOf: vocabulary }),
  };
}

/** What can be chosen about an analyzer with a name. */
export const WORD_LIST_FLAGS = {
  "stop-words": {
    type: "string",
    value: "FILE",
    help: "words to drop, instead of the analyzer's own; none for none",
  },
  "protected-words": { type: "string", value: "FILE", help: "words that are not stemmed" },
  "fold-accents": { type: "boolean", help: "é and e are one letter, as they are with universal" },
  "no-fold-accents": { type: "boolean", help: "é and e are two letters" },
} as const satisfies Flags;

/** The lists of words that flags name: files with words between white space. */
async function readWordLists(args: Arguments): Promise<AnalyzerOptions> {
  const wordsOf = async (flag: keyof typeof WORD_LIST_FLAGS) => {
    const path = args.text(flag);
    if (path === undefined || path === "none") return path && [];
    return (await readText(path)).split(/\s+/u).filter((word) => word !== "");
  };
  const [folds, keeps] = [args.is("fold-accents"), args.is("no-fold-accents")];
  if (folds && keeps) throw args.usageError("--fold-accents and --no-fold-accents exclude each other");
  const [stopWords, protectedWords] = [await wordsOf("stop-words"), await wordsOf("protected-words")];
  return {
    ...(stopWords && { stopWords }),
    ...(protectedWords && { protectedWords }),
    ...((folds || keeps) && { foldAccents: folds }),
  };
}

function isAnalyzerName(name: string): name is AnalyzerName {
  return (ANALYZER_NAMES as readonly string[]).includes(name);
}

/** The analyzer that --analyzer names, or wordpiece:FILE with a vocab.txt or a tokenizer.json. */
export async function loadAnalyzerFromFlags(args: Arguments): Promise<Analyzer> {
  const spec = args.text("analyzer") ?? DEFAULT_ANALYZER;
  if (!spec.startsWith("wordpiece:")) {
    if (isAnalyzerName(spec)) return loadAnalyzer(spec, await readWordLists(args));
    throw args.usageError(`--analyzer is ${ANALYZER_NAMES.join(", ")} or wordpiece:FILE, not "${spec}"`);
  }
  const path = spec.slice("wordpiece:".length);
  const text = await readText(path);
  return path.endsWith(".json") ? WordPiece.fromTokenizerJson(text) : WordPiece.fromVocabulary(text);
}

export const ENCODER_THREADS_FLAG = {
  "encoder-threads": {
    type: "string",
    value: "N",
    help: "threads of the encoder; by default the runtime decides",
  },
} as const satisfies Flags;

export const ENCODER_FLAGS = {
  encoder: {
    type: "string",
    value: "NAME",
    help: "static, static:128 or static:64 (BM25 for words, no runtime), builtin, builtin:vectors (BM25 for words), builtin:words (no vectors), none, a folder with model.onnx, tokenizer.json and sluice.json, or a Hugging Face id",
  },
  "query-encoder": {
    type: "string",
    value: "NAME",
    help: "another encoder for queries, in the space of --encoder; static is the table that came with it",
  },
  description: {
    type: "string",
    value: "FILE",
    help: "description of the encoder, instead of its sluice.json",
  },
  ...ENCODER_THREADS_FLAG,
} as const satisfies Flags;

/** The encoder that --encoder names. Undefined if it names none, which only a new index allows, or is left out. */
export async function openEncoderFromFlags(
  args: Arguments,
  { isNew = false } = {},
): Promise<Encoder | undefined> {
  const [file, threads] = [args.text("description"), args.number("encoder-threads")];
  const name = args.text("encoder");
  if (name === "none" && !isNew)
    throw args.usageError("--encoder none is for a new index; this index already has its encoder, or none");
  const queries = args.text("query-encoder");
  if (queries !== undefined && (name === undefined || name === "none"))
    throw args.usageError("--query-encoder needs --encoder, which encodes the documents");
  if (name === undefined || name === "none") return undefined;
  const options = {
    ...(file !== undefined && { description: await readDescription(file) }),
    ...(threads !== undefined && { threads }),
  };
  try {
    return args.closeAtEnd(
      await openEncoder(queries === undefined ? name : { documents: name, queries }, options),
    );
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === "ERR_SLUICE_MISSING_PACKAGE" && isNew)) throw error;
    throw new SluiceError(error.problem, `${error.hint}: --encoder none indexes words only`, error.code);
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
    if (!vector) throw new SluiceError(`${file}: no vector for the query ${JSON.stringify(id)}`);
    return { id, query: { text, vector } };
  });
}

/** Opens an index, read-only by default. With --encoder, its queries are encoded by that encoder. */
export async function openFromFlags(
  path: string,
  args: Arguments,
  options: Pick<OpenOptions, "readOnly" | "threads" | "kernel"> = {},
): Promise<Sluice> {
  const encoder = await openEncoderFromFlags(args);
  return args.closeAtEnd(
    await Sluice.open(path, { readOnly: true, ...options, ...(encoder && { encoder }) }),
  );
}
