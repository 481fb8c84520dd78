// The sources that a command names → documents. Sources are files, folders, standard input, a BEIR collection, weights of terms.

import { join } from "node:path";
import { type EmptiedFile, isEmptiedFile } from "../../documents/emptied-file.ts";
import { type Document, SluiceError } from "../../index.ts";
import { countFileBytes, readAllFiles } from "../../read/formats.ts";
import type { FileOptions } from "../../read/index.ts";
import { readDocuments } from "../../read/stream/line-documents.ts";
import { readTermWeights } from "../../read/weights/term-weight-files.ts";
import type { FileSource } from "../../support/files/source.ts";
import { fileOptionsFromFlags } from "../flags/document-flags.ts";
import { weightFormatFromFlags } from "../flags/flags.ts";
import type { Arguments, Terminal } from "../terminal/command.ts";
import { STDIN, sourceOf } from "../terminal/stdin.ts";
import type { ReadCounts } from "./read-counts.ts";

/** The documents that the command line names. */
export function readNamedDocuments(
  args: Arguments,
  terminal: Terminal,
  pieces: readonly string[] | undefined,
  read: ReadCounts,
): AsyncIterable<Document | EmptiedFile> {
  const [jsonl, beir, lexical] = [args.text("jsonl"), args.text("beir"), args.text("lexical")!];
  const paths = args.operands.slice(1);
  if (jsonl && beir) throw args.usageError("--jsonl and --beir exclude each other");
  if (paths.length > 0 && (jsonl ?? beir)) throw args.usageError("PATHs exclude --jsonl and --beir");
  // The index finds duplicate ids itself. A reader would keep all ids in memory.
  const withRepeatedIds = { checksDuplicates: false };
  if (paths.filter((path) => path === STDIN).length > 1)
    throw args.usageError("- is standard input, which can be read only once");
  const { onSkip, onBytes } = read;
  const options = { ...fileOptionsFromFlags(args), onSkip, onBytes };
  const sources = (jsonl ? [jsonl] : paths).map((path) => sourceOf(path, terminal));
  const files = jsonl ? { ...options, format: "jsonl" as const } : options;
  const given = beir
    ? readDocuments(corpusOf(beir), { ...withRepeatedIds, onBytes })
    : sources.length > 0
      ? readAllFiles(sources, files)
      : undefined;
  const texts =
    given &&
    read.countDocuments(given, () => (beir ? countFileBytes(corpusOf(beir)) : measureBytes(sources, files)));
  if (lexical.startsWith("weights:")) {
    const format = { ...weightFormatFromFlags(args, pieces), ...withRepeatedIds };
    return readWeightedDocuments(lexical.slice("weights:".length), texts, format);
  }
  args.refuseFlags(["weight-scale", "token-ids"], "with --lexical bm25");
  if (lexical !== "bm25") throw args.usageError(`--lexical is bm25 or weights:PATH, not "${lexical}"`);
  if (!texts) throw args.usageError("no documents; give a file or a folder");
  return texts;
}

/** The file with the documents of a BEIR collection. */
function corpusOf(folder: string): string {
  return join(folder, "corpus.jsonl");
}

async function measureBytes(
  sources: readonly FileSource[],
  options: FileOptions,
): Promise<number | undefined> {
  let sum = 0;
  for (const source of sources) {
    const bytes = await countFileBytes(source, options);
    if (bytes === undefined) return undefined;
    sum += bytes;
  }
  return sum;
}

/** Documents with weights from a JsonVectorCollection, and with the fields that `texts` has for the same ids. */
async function* readWeightedDocuments(
  path: string,
  texts: AsyncIterable<Document | EmptiedFile> | undefined,
  format: Parameters<typeof readTermWeights>[1],
): AsyncGenerator<Document | EmptiedFile> {
  const fields = new Map<string, Document>();
  if (texts) {
    for await (const document of texts) {
      if (isEmptiedFile(document)) yield document;
      else fields.set(document.id, document);
    }
  }
  let [vectors, found] = [0, 0];
  for await (const { id, contents, weights } of readTermWeights(path, format)) {
    vectors++;
    if (fields.has(id)) found++;
    yield { ...(contents !== undefined && { text: contents }), ...fields.get(id), id, weights };
  }
  if (texts && (found < vectors || found < fields.size)) {
    throw new SluiceError(
      `${path} has ${vectors} vectors, but there are ${fields.size} texts; only ${found} ids are in both`,
      "give vectors and texts of the same collection, or no texts",
    );
  }
}
