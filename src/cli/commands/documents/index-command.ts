// sluice index: documents → a new index in a folder.

import { DEFAULT_ANALYZER } from "../../../analyze/contract/analyzer-names.ts";
import { WordPiece } from "../../../analyze/index.ts";
import { tokensPerDoc } from "../../../densify/index.ts";
import { DEFAULT_DIMS } from "../../../densify/slicing.ts";
import { checkTextFields } from "../../../documents/text-fields.ts";
import { type BuildOptions, Sluice } from "../../../index.ts";
import { BM25_DEFAULTS } from "../../../weigh/bm25.ts";
import {
  DOCUMENT_DETAILS,
  DOCUMENT_FLAGS,
  DOCUMENT_OPERANDS,
  passagesFromFlags,
} from "../../flags/document-flags.ts";
import { fieldWeightsFromFlags, TEXT_FIELDS_FLAG } from "../../flags/field-weights-flag.ts";
import {
  DENSIFY_FLAGS,
  densifyOptionsFromFlags,
  JSON_FLAG,
  loadAnalyzerFromFlags,
  openEncoderFromFlags,
  WORD_LIST_FLAGS,
} from "../../flags/flags.ts";
import { addAll } from "../../sources/add-all.ts";
import { keepEncodings, withVectorsFromFlags } from "../../sources/encoded-documents.ts";
import { readNamedDocuments } from "../../sources/named-documents.ts";
import { ReadCounts } from "../../sources/read-counts.ts";
import type { Arguments, Command, Terminal } from "../../terminal/command.ts";
import { bytesText, countOf, formatCount, milliseconds } from "../../terminal/format.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

export const indexCommand: Command = {
  name: "index",
  summary: "build an index from documents",
  operands: DOCUMENT_OPERANDS,
  details: [
    DOCUMENT_DETAILS,
    "",
    "By default, BM25 weights the words and the static encoder gives each document a vector, so searches find documents",
    "by words and by meaning, with one score. --encoder builtin:vectors gives better vectors, at a few dozen documents a second;",
    "--encoder builtin weights each word by its context as well. With --encoder none, the index has words only.",
    "Documents with vectors or weights need no encoder. Encoders other than static need:",
    "npm install --ignore-scripts onnxruntime-node.",
  ].join("\n"),
  flags: {
    ...DOCUMENT_FLAGS,
    analyzer: {
      type: "string",
      value: "NAME",
      default: DEFAULT_ANALYZER,
      help: "universal (any script), english, german and other languages, whitespace, or wordpiece:FILE",
    },
    ...WORD_LIST_FLAGS,
    ...DENSIFY_FLAGS,
    dims: {
      type: "string",
      value: "N",
      help: `slots of a row, or full: one for every term; ${DEFAULT_DIMS} with --slicing-strategy, --quantize or an encoder that weights terms; full by default`,
    },
    k1: {
      option: "bm25.k1",
      type: "string",
      value: "X",
      help: `BM25: higher values count repeated words more; ${BM25_DEFAULTS.k1} by default`,
    },
    b: {
      option: "bm25.b",
      type: "string",
      value: "X",
      help: `BM25: how much long documents are penalized, 0 to 1; ${BM25_DEFAULTS.b} by default`,
    },
    lambda: {
      type: "string",
      value: "X",
      help: "weight of the semantic part; sluice tune chooses it; by default the encoder's, or 1",
    },
    quantize: {
      type: "string",
      value: "PARTS[x8]",
      help: "also store product codes, for searches with --plan quantized: PARTS codes of 4 bits, or of 8 bits as in 64x8",
    },
    ...TEXT_FIELDS_FLAG,
    positions: {
      type: "boolean",
      help: "keep where words stand, for phrases; about two bytes more for each word",
    },
    overwrite: { type: "boolean", help: "replace the index in DIR with the first commit" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice index my-index documents.jsonl",
    "sluice index my-index docs/                        # Markdown and text files, split into passages",
    "sluice index my-index table.csv --id key --text abstract",
    "zstd -dc documents.jsonl.zst | sluice index my-index -",
    "sluice index my-index many.parquet --commit-every 100000",
    "sluice index my-index documents.jsonl --encoder none       # BM25 only",
    "sluice index my-index documents.jsonl --encoder builtin    # weights words by their context",
    "sluice index scifact --beir collections/scifact --encoder none --dims full",
    "sluice index splade --lexical weights:splade/ --analyzer wordpiece:vocab.txt --slicing-strategy stride --weight-scale 0.01",
  ],

  async run(args, terminal) {
    const [folder] = args.atLeast("DIR");
    if ((await Sluice.exists(folder)) && !args.is("overwrite"))
      throw args.usageError(
        `${folder} already holds an index; sluice add adds documents to it, and --overwrite replaces it`,
      );
    // Left out, it is the one of the encoder, or the default.
    const names = ["analyzer", ...Object.keys(WORD_LIST_FLAGS)];
    const analyzer = names.some((name) => args.has(name)) ? await loadAnalyzerFromFlags(args) : undefined;
    const [k1, b, lambda] = [args.number("k1"), args.number("b"), args.number("lambda")];
    const every = args.count("commit-every");
    const isWeighted = args.text("lexical") !== "bm25";
    if (isWeighted) args.refuseFlags(["k1", "b", "field-weights"], "without --lexical bm25");
    const fields = fieldWeightsFromFlags(args);
    checkTextFields(fields.fieldWeights);
    const progress = new ProgressLine(terminal);
    const started = performance.now();
    const read = new ReadCounts();
    progress.estimate = read.estimate;
    const pieces = analyzer instanceof WordPiece ? analyzer.pieces : undefined;
    const named = readNamedDocuments(args, terminal, pieces, read);
    const slicing = { ...densifyOptionsFromFlags(args), ...quantizeFromFlags(args) };
    const isNone = isWeighted || args.text("encoder") === "none";
    const encoder = await openEncoderFromFlags(args, { isNew: true });
    if (encoder?.gives.weights)
      args.refuseFlags(["k1", "b", "field-weights"], "with an encoder that weights words");
    if (!encoder && !isNone && !args.has("vectors")) refuseFlagsOfModels(args);
    const documents = await withVectorsFromFlags(named, encoder, args);
    const keeping = keepEncodings(encoder, args, terminal);
    const bm25 = { ...(k1 !== undefined && { k1 }), ...(b !== undefined && { b }) };
    // What the flags leave open, the library decides by the first document.
    const options = {
      ...slicing,
      ...(analyzer && { analyzer }),
      ...(isWeighted ? { lexical: "weights" as const } : args.has("lexical") && { lexical: "bm25" as const }),
      ...(encoder ? { encoder: keeping?.encoder ?? encoder } : isNone && { encoder: "none" }),
      ...(lambda !== undefined && { lambda }),
      ...(args.is("positions") && { positions: true }),
      ...fields,
      ...(Object.keys(bm25).length > 0 && { bm25 }),
    } satisfies BuildOptions;
    const index = args.closeAtEnd(await Sluice.open(folder, { ...options, overwrite: args.is("overwrite") }));
    const passages = passagesFromFlags(args);
    const { added } = await addAll(
      index,
      documents,
      { upsert: false, every, passages, keeping },
      progress,
      terminal,
    );
    if (index.docs === 0)
      terminal.err(
        `sluice: 0 documents were read, so the index is empty; sluice add ${folder} PATH adds some\n`,
      );
    report(index, folder, added, performance.now() - started, read, args, terminal);
  },
};

/** Refuses flags that are about a model, if the default encoder is taken. */
function refuseFlagsOfModels(args: Arguments): void {
  args.refuseFlags(["description", "encoder-threads"], "without --encoder");
  const reason = "the static encoder is fast enough, and --keep stores what a model gives";
  args.refuseFlags(["keep"], `without --encoder: ${reason}`);
}

function report(
  index: Sluice,
  folder: string,
  added: number,
  ms: number,
  read: ReadCounts,
  args: Arguments,
  terminal: Terminal,
): void {
  const { densifyCounts: counts, slicingSettings, rowBytes, droppedShare } = index.info();
  if (args.is("json")) {
    terminal.out(
      `${JSON.stringify({ location: folder, added, totalMs: Math.round(ms), rowBytes, slicingSettings, densifyCounts: counts, droppedShare, ...read.skippedFields() })}\n`,
    );
    return;
  }
  const lost = [
    counts.empty > 0 ? `${countOf(counts.empty, "document")} without a term` : "",
    counts.unknown > 0 ? `${formatCount(counts.unknown)} terms outside the vocabulary` : "",
    counts.discarded > 0 ? `${formatCount(counts.discarded)} terms discarded by the slicing` : "",
    counts.weightless > 0 ? `${formatCount(counts.weightless)} terms without weight` : "",
    counts.collisions > 0 ? `${formatCount(counts.collisions)} collisions` : "",
    droppedShare > 0
      ? `${(100 * droppedShare).toFixed(2)} % of the terms were dropped (--dims full keeps all)`
      : "",
  ].filter((text) => text !== "");
  const given = (counts.terms / Math.max(1, counts.docs)).toFixed(1);
  terminal.out(
    `${folder}: ${countOf(counts.docs, "document")} in ${milliseconds(ms)}, ${slicingSettings.strategy} slicing, ` +
      `${formatCount(slicingSettings.dims)} dims, ${tokensPerDoc(counts).toFixed(1)} of ${given} terms per document` +
      `${rowBytes === 0 && counts.docs > 0 ? "" : `, rows of ${bytesText(rowBytes)}`}\n${lost.length > 0 ? `${lost.join(", ")}\n` : ""}${read.skippedText()}`,
  );
}

function quantizeFromFlags(args: Arguments): Pick<BuildOptions, "quantize"> {
  const spec = args.text("quantize");
  if (spec === undefined) return {};
  const [, parts, bits = "4"] = /^(\d+)(?:x([48]))?$/.exec(spec) ?? [];
  if (parts === undefined)
    throw args.usageError(`--quantize takes a number of parts, 64 or 64x8, not "${spec}"`);
  return { quantize: { parts: Number(parts), bits: bits === "8" ? 8 : 4 } };
}
