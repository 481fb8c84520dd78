// What names an encoder → an open encoder. There are three ways to name one:
//
//   a name, a folder or an id of Hugging Face   Encoder.open, of encoder.ts
//   the same, or a pair of encoders             openEncoder
//   what an index recorded of its encoder       openRecordedEncoder

import { join } from "node:path";
import { Encoder, type EncoderOptions, readModelFacts } from "./encoder.ts";
import { type EncoderRecord, requireEncoder } from "./encoder-record.ts";
import { isPackaged } from "./folder/packaged-encoders.ts";
import { type DocumentsEncoder, PairedEncoder } from "./paired-encoder.ts";

/** What encodes documents and what encodes queries: open encoders, or names as `Encoder.open` takes them. */
export interface EncoderPair {
  readonly documents: Encoder | string;
  /** "static" is the table that the encoder of the documents has for queries: its subfolder `queries`. */
  readonly queries: Encoder | string;
}

/** Opens an encoder by its name, or the two of a pair. */
export async function openEncoder(
  encoder: string | EncoderPair,
  options: EncoderOptions = {},
): Promise<Encoder> {
  return typeof encoder === "string" ? Encoder.open(encoder, options) : openPair(encoder, options);
}

/** Opens the two encoders of a pair. One that is given stays the caller's. */
async function openPair({ documents, queries }: EncoderPair, options: EncoderOptions): Promise<Encoder> {
  const first = typeof documents === "string" ? await openWhenNeeded(documents, options) : documents;
  const owns = { documents: first !== documents, queries: typeof queries === "string" };
  const { path } = "known" in first ? first.known : first;
  let second: Encoder | undefined;
  try {
    second = typeof queries === "string" ? await Encoder.open(queriesName(queries, path)) : queries;
    return new PairedEncoder(first, second, owns);
  } catch (error) {
    if (owns.queries) await second?.close();
    if (owns.documents && "close" in first) await first.close();
    throw error;
  }
}

/**
 * The encoder of the documents of a pair. A model is only read: who searches needs neither the model nor its runtime. The first
 * document opens it.
 */
async function openWhenNeeded(name: string, options: EncoderOptions): Promise<DocumentsEncoder> {
  const known = await readModelFacts(name, options);
  if (!known) return Encoder.open(name, options);
  const open = async () => {
    const encoder = await Encoder.open(name, options);
    return requireSame(encoder, known);
  };
  return { known, open };
}

/** The name of an encoder of queries. "static" is the table that came with the encoder of the documents. */
function queriesName(name: string, documents: string): string {
  if (name !== "static" || documents === "static") return name;
  return isPackaged(documents) ? `${documents}:queries` : join(documents, "queries");
}

/**
 * @internal Opens the encoder that an index recorded. If queries have an encoder of their own, only that one is opened now. The
 * encoder of documents is opened when the first document comes: a program that only searches does not need it.
 */
export async function openRecordedEncoder(record: EncoderRecord): Promise<Encoder> {
  const { queries, ...documents } = record;
  if (!queries) return openOne(record);
  const { kind } = record.description;
  const encoder = await openOne(queries);
  const gives = { weights: false, ...(kind === "anchored" && { termFactors: true as const }), vector: true };
  const known = { ...documents, gives, space: encoder.space };
  return new PairedEncoder({ known, open: () => openOne(documents) }, encoder);
}

async function openOne(record: EncoderRecord): Promise<Encoder> {
  return requireSame(await Encoder.open(record.path, { description: record.description }), record);
}

/** Closes the encoder and throws if it is not the one that is known. */
async function requireSame(encoder: Encoder, known: EncoderRecord): Promise<Encoder> {
  try {
    requireEncoder(encoder, known, "ERR_SLUICE_FILE");
    return encoder;
  } catch (error) {
    await encoder.close();
    throw error;
  }
}
