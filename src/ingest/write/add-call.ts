// A call of `add`: documents → changes of a writer, all of them or none. A folder and a cluster take documents in their own ways;
// the order of what happens is the same.

import type { Document } from "../../documents/document.ts";
import type { EncodedDocument } from "../../encode/contract/encoded-document.ts";
import { type OnProgress, PROGRESS_STEP } from "../../support/options/progress.ts";

/** How documents are added. */
export interface WriteOptions {
  readonly upsert: boolean;
  /** Files without a word, once all documents are read. An upsert deletes what they had. */
  readonly emptied?: Iterable<string> | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** What a call changed. */
export interface AddCounts {
  /** Documents that were added, or that replaced others. */
  added: number;
  /** Existing documents that were replaced. */
  replaced: number;
  /** Documents of files without a word. */
  deleted: number;
}

/** What a writer does in a call of `add`. */
interface AddCall {
  begin(): void;
  /** Keeps all changes of the call. */
  end(): void;
  /** Takes back all changes of the call, because a document or their source failed. */
  undo(): void | Promise<void>;
  /**
   * Takes a document; the first one has the ordinal 1. With `upsert`, it deletes the earlier passages of the document: the new text
   * may have fewer, or none. Returns how many documents were replaced. A writer may let documents wait until `takeRest`.
   */
  take(given: Document | EncodedDocument, ordinal: number): Promise<number>;
  /** Takes the documents that wait. Returns how many documents were replaced. */
  takeRest?(): Promise<number>;
  /** Deletes all that came from a file. Returns how many documents that were. */
  deleteEarlier(name: string): Promise<number>;
}

/** Adds all documents of a call. If one of them or their source fails, adds none. */
export async function addInOneCall(
  documents: AsyncIterable<Document | EncodedDocument> | Iterable<Document>,
  { upsert, emptied = [], onProgress }: WriteOptions,
  call: AddCall,
): Promise<AddCounts> {
  const counts = { added: 0, replaced: 0, deleted: 0 };
  call.begin();
  try {
    for await (const document of documents) {
      counts.replaced += await call.take(document, counts.added + 1);
      if (++counts.added % PROGRESS_STEP === 0) onProgress?.({ task: "reading", done: counts.added });
    }
    if (call.takeRest) counts.replaced += await call.takeRest();
    if (upsert) for (const name of emptied) counts.deleted += await call.deleteEarlier(name);
  } catch (error) {
    await call.undo();
    throw error;
  }
  call.end();
  onProgress?.({ task: "reading", done: counts.added, total: counts.added });
  return counts;
}
