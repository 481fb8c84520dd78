// Documents as a caller gives them → pending documents; `LiveIndex.commit` writes them. This file conducts; each step has its file:
//
//   check each document                          documents/document.ts
//   cut it into passages, if that is asked for   passages/cut-passages.ts
//   the first one decides encoder and weighting, options/new-index.ts
//     if options leave them open
//   encode texts                                 encode/encode-documents.ts
//   texts become terms, terms are counted        collect/lexicon.ts
//   documents wait for the commit                collect/intake.ts, collect/buffer.ts
//   too many for memory become a segment         build/segment-writer.ts

import { checkDocuments, type Document, type GivenDocuments } from "../documents/document.ts";
import type { TextField } from "../documents/text-fields.ts";
import type { EncodedDocument } from "../encode/contract/encoded-document.ts";
import { encodeDocuments } from "../encode/encode-documents.ts";
import type { Encoder } from "../encode/encoder.ts";
import type { EncoderRecord } from "../encode/encoder-record.ts";
import { cutPassages } from "../passages/cut-passages.ts";
import { readFirst } from "../support/work/read-first.ts";
import { stopOnAbort } from "../support/work/stop-on-abort.ts";
import type { WorkQueue } from "../support/work/work-queue.ts";
import type { AddOptions } from "./options/add-options.ts";
import type { AddCounts, WriteOptions } from "./write/add-call.ts";

/** What takes documents, once they are checked and encoded. */
interface DocumentWriter {
  /** Whether the index has no documents: the first one decides how it begins. */
  readonly isBlank: boolean;
  readonly encoder: EncoderRecord | undefined;
  /** The fields whose texts are searched; undefined: title and text, as one text. */
  readonly textFields: readonly TextField[] | undefined;
  begin(firstDocument: Document): Promise<void>;
  add(
    documents: AsyncIterable<Document | EncodedDocument> | Iterable<Document>,
    options: WriteOptions,
  ): Promise<AddCounts>;
}

/** An index that documents are added to. */
interface ChangedIndex {
  readonly queue: WorkQueue;
  /** Makes a change when all changes before it are made. */
  change<T>(work: (writer: DocumentWriter) => Promise<T>): Promise<T>;
}

/** @internal Adds all documents, or none. `openEncoder` opens the encoder that the index records, if it records one. */
export function addDocuments(
  index: ChangedIndex,
  openEncoder: (record: EncoderRecord | undefined) => Promise<Encoder | undefined>,
  documents: GivenDocuments,
  { passages, encodings, signal, onProgress, upsert }: AddOptions & { upsert: boolean },
): Promise<AddCounts> {
  const whileReading = <T>(next: () => T): T => {
    index.queue.isSourceRunning = true;
    try {
      return next();
    } finally {
      index.queue.isSourceRunning = false;
    }
  };
  return index.change(async (writer) => {
    const emptied = new Set<string>();
    const given = checkDocuments(documents, whileReading, emptied);
    const checked = passages ? cutPassages(given, passages === true ? {} : passages) : given;
    const { first, all, close } = writer.isBlank ? await readFirst(checked, signal) : { all: checked };
    try {
      if (first) await writer.begin(first);
      const encoder = await openEncoder(writer.encoder);
      const { textFields } = writer;
      const encoded: AsyncIterable<Document | EncodedDocument> | Iterable<Document> = encoder
        ? encodeDocuments(all, encoder, { textFields, known: encodings, signal, onProgress })
        : all;
      const source = signal ? stopOnAbort<Document | EncodedDocument>(encoded, signal) : encoded;
      return await writer.add(source, { upsert, emptied, onProgress });
    } finally {
      close?.();
    }
  });
}
