// sluice index: documents → an index in a folder.

import {
  type Document,
  type Embeddings,
  type Encoder,
  type Encoding,
  encodeKept,
  readBeirCorpus,
  readDocuments,
  readEmbeddings,
  readVectors,
  Sluice,
  textOf,
  tokensPerDoc,
  UsageError,
  WordPiece,
} from "../../index.ts";
import type { Arguments, Command, Terminal } from "../command.ts";
import {
  analyzerOf,
  DENSIFY_FLAGS,
  densifyOptions,
  ENCODER_FLAGS,
  encoderOf,
  JSON_FLAG,
  WEIGHT_FLAGS,
  weightFormat,
} from "../flags.ts";
import { bytesText, milliseconds, withCommas } from "../format.ts";
import { ProgressLine } from "../progress.ts";

export const indexCommand: Command = {
  name: "index",
  summary: "build an index from documents",
  operands: "DIR (--jsonl FILE | --beir FOLDER | --lexical vectors:PATH)",
  details: [
    "Documents are JSON objects, one a line, with an id and a text, a title if they have one, and any other field;",
    "or id TAB text. Files may be gzip. With --lexical vectors:PATH the weights of terms come from a",
    "JsonVectorCollection (a file or a folder), and --jsonl or --beir, if given, only the text to show.",
  ].join("\n"),
  flags: {
    jsonl: { type: "string", value: "FILE", help: "documents, one JSON object (or id TAB text) a line" },
    beir: { type: "string", value: "FOLDER", help: "a BEIR collection: corpus.jsonl" },
    lexical: { type: "string", value: "MODEL", default: "bm25", help: "bm25, or vectors:PATH" },
    analyzer: {
      type: "string",
      value: "NAME",
      default: "english",
      help: "english, whitespace or wordpiece:FILE",
    },
    ...DENSIFY_FLAGS,
    k1: { type: "string", value: "X", help: "BM25: how soon repetition stops counting (0.9)" },
    b: { type: "string", value: "X", help: "BM25: how much length counts (0.4)" },
    ...WEIGHT_FLAGS,
    ...ENCODER_FLAGS,
    keep: { type: "string", value: "FOLDER", help: "keep what the encoder made there, and use it again" },
    vectors: {
      type: "string",
      value: "FILE",
      help: "embeddings made elsewhere: .npy or .f32 with .ids, or .jsonl",
    },
    lambda: { type: "string", value: "X", help: "weight of the semantic part (1; see sluice tune)" },
    overwrite: { type: "boolean", help: "replace the index that DIR holds" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice index my-index --jsonl documents.jsonl",
    "sluice index scifact --beir collections/scifact --dims full",
    "sluice index splade --lexical vectors:splade/ --analyzer wordpiece:vocab.txt --slicing stride --weight-scale 0.01",
  ],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const existing = await Sluice.exists(folder);
    if (existing && !args.is("overwrite"))
      throw args.misuse(`${folder} holds an index already; --overwrite replaces it`);
    const analyzer = await analyzerOf(args);
    const [k1, b, lambda] = [args.number("k1"), args.number("b"), args.number("lambda")];
    const weighted = args.text("lexical") !== "bm25";
    if (weighted) args.without(["k1", "b"], "without --lexical bm25");
    const progress = new ProgressLine(terminal);
    const started = performance.now();
    const encoder = await encoderOf(args);
    const plain = documentsOf(args, analyzer instanceof WordPiece ? analyzer.pieces : undefined);
    const { documents, encodings } = await withSemantics(plain, encoder, args, progress, terminal);
    const index = await Sluice.build(documents, {
      ...densifyOptions(args),
      analyzer,
      lexical: weighted ? "weights" : "bm25",
      ...(encoder && { encoder }),
      ...(encodings && { encodings }),
      ...(lambda !== undefined && { lambda }),
      bm25: { ...(k1 !== undefined && { k1 }), ...(b !== undefined && { b }) },
      onProgress: ({ stage, done, total }) => progress.update(stage, done, total),
    });
    progress.clear();
    await index.save(folder);
    report(index, folder, performance.now() - started, args, terminal);
  },
};

function documentsOf(args: Arguments, pieces: readonly string[] | undefined): AsyncIterable<Document> {
  const [jsonl, beir, lexical] = [args.text("jsonl"), args.text("beir"), args.text("lexical")!];
  if (jsonl && beir) throw args.misuse("--jsonl and --beir exclude each other");
  const texts = jsonl ? readDocuments(jsonl) : beir ? readBeirCorpus(beir) : undefined;
  if (lexical.startsWith("vectors:")) {
    return weightedDocuments(lexical.slice("vectors:".length), texts, weightFormat(args, pieces));
  }
  args.without(["weight-scale", "token-ids"], "with --lexical bm25");
  if (lexical !== "bm25") throw args.misuse(`--lexical is bm25 or vectors:PATH, not "${lexical}"`);
  if (!texts) throw args.misuse("no documents; give --jsonl FILE or --beir FOLDER");
  return texts;
}

/** Documents with vectors from a file; or with what the encoder said, if that is kept. */
async function withSemantics(
  documents: AsyncIterable<Document>,
  encoder: Encoder | undefined,
  args: Arguments,
  progress: ProgressLine,
  terminal: Terminal,
): Promise<{ documents: AsyncIterable<Document> | Document[]; encodings?: Map<string, Encoding> }> {
  const [keep, file] = [args.text("keep"), args.text("vectors")];
  if (encoder && file) throw args.misuse("--encoder and --vectors exclude each other");
  if (!encoder) args.without(["keep", "describe", "threads"], "without --encoder");
  if (!encoder && !file) args.without(["lambda"], "without --encoder or --vectors");
  if (encoder?.gives.weights) args.without(["k1", "b", "lexical"], "with a model that weighs words");
  if (file) return { documents: withVectors(documents, await readEmbeddings(file), file) };
  if (!encoder || !keep) return { documents };
  const all: Document[] = [];
  for await (const document of documents) all.push(document);
  const texts = all.map((document) => ({ id: document.id, text: textOf(document, document.id) }));
  const { encodings, reason } = await encodeKept(encoder, texts, "passage", keep, "documents", {
    onProgress: ({ done, total }) => progress.update("encoding", done, total),
  });
  progress.clear();
  if (reason !== undefined && reason !== "nothing kept")
    terminal.err(`${keep} held ${reason}: encoded again\n`);
  return { documents: all, encodings: new Map(all.map(({ id }, i) => [id, encodings[i]])) };
}

async function* withVectors(
  documents: AsyncIterable<Document>,
  vectors: Embeddings,
  file: string,
): AsyncGenerator<Document> {
  for await (const document of documents) {
    const vector = vectors.get(document.id);
    if (!vector) throw new UsageError(`${file}: no vector for the document ${JSON.stringify(document.id)}`);
    yield { ...document, vector };
  }
}

/** Documents with weights made elsewhere, and the fields that a file of texts has for the same ids. */
async function* weightedDocuments(
  path: string,
  texts: AsyncIterable<Document> | undefined,
  format: Parameters<typeof readVectors>[1],
): AsyncGenerator<Document> {
  const fields = new Map<string, Document>();
  if (texts) for await (const document of texts) fields.set(document.id, document);
  let [vectors, found] = [0, 0];
  for await (const { id, contents, weights } of readVectors(path, format)) {
    vectors++;
    if (fields.has(id)) found++;
    yield { ...(contents !== undefined && { text: contents }), ...fields.get(id), id, weights };
  }
  if (texts && (found < vectors || found < fields.size)) {
    throw new UsageError(
      `${path} has ${vectors} vectors and the texts are ${fields.size}; only ${found} ids are in both`,
      "give vectors and texts of the same collection, or no texts",
    );
  }
}

function report(index: Sluice, folder: string, ms: number, args: Arguments, terminal: Terminal): void {
  const { counts, settings, rowBytes } = index.info();
  if (args.is("json")) {
    terminal.out(`${JSON.stringify({ folder, ms: Math.round(ms), rowBytes, settings, counts })}\n`);
    return;
  }
  const lost = [
    counts.empty > 0 ? `${withCommas(counts.empty)} documents without a term` : "",
    counts.unknown > 0 ? `${withCommas(counts.unknown)} terms outside the vocabulary` : "",
    counts.discarded > 0 ? `${withCommas(counts.discarded)} terms discarded by the slicing` : "",
    counts.weightless > 0 ? `${withCommas(counts.weightless)} terms without weight` : "",
    counts.collisions > 0 ? `${withCommas(counts.collisions)} collisions` : "",
  ].filter((text) => text !== "");
  const given = (counts.terms / Math.max(1, counts.docs)).toFixed(1);
  terminal.out(
    `${folder}: ${withCommas(counts.docs)} documents in ${milliseconds(ms)}, ${settings.strategy} slicing, ` +
      `${withCommas(settings.dims)} dims, ${tokensPerDoc(counts).toFixed(1)} of ${given} terms per document, ` +
      `rows of ${bytesText(rowBytes)}\n${lost.length > 0 ? `${lost.join(", ")}\n` : ""}`,
  );
}
