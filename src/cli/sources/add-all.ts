// Documents → commits of an index, with progress. Ctrl-C stops it.

import { type EmptiedFile, hideEmptied, isEmptiedFile } from "../../documents/emptied-file.ts";
import type { AddOptions, ChangeResult, Document, Progress, Sluice } from "../../index.ts";
import { endIterator, getIterator } from "../../support/work/stop-on-abort.ts";
import type { Terminal } from "../terminal/command.ts";
import { countOf } from "../terminal/format.ts";
import { runStoppable } from "../terminal/interrupt.ts";
import type { ProgressLine } from "../terminal/progress-line.ts";
import type { KeepingEncoder } from "./encoded-documents.ts";

interface AddAllOptions extends Pick<AddOptions, "passages"> {
  readonly upsert: boolean;
  /** Commits after so many of the documents that are given. */
  readonly every: number | undefined;
  /** The encoder of the index, if it keeps what it gives. */
  readonly keeping: KeepingEncoder | undefined;
}

/** Adds all documents and commits them. Returns what all calls changed together. Ctrl-C stops it. */
export async function addAll(
  index: Sluice,
  documents: AsyncIterable<Document | EmptiedFile>,
  { upsert, every, passages, keeping }: AddAllOptions,
  progress: ProgressLine,
  terminal: Terminal,
): Promise<ChangeResult> {
  let commits = false;
  const changed = { added: 0, replaced: 0, deleted: 0 };
  const onProgress = ({ task, done, total }: Progress) => {
    // With --commit-every, the library counts from 0 in every step.
    const isOfStep = every !== undefined && (task === "reading" || task === "encoding");
    if (isOfStep) progress.update(task, changed.added + done);
    else progress.update(task, done, total);
  };
  const work = async (signal: AbortSignal) => {
    const options = { onProgress, signal, passages };
    const add = async (some: AsyncIterable<Document | EmptiedFile>) => {
      const documents = hideEmptied(some);
      if (!upsert) {
        changed.added += (await index.add(documents, options)).added;
        return;
      }
      const { added, replaced, deleted } = await index.upsert(documents, options);
      changed.added += added;
      changed.replaced += replaced;
      changed.deleted += deleted;
    };
    const source = getIterator(documents);
    try {
      for (let hasMore = true; hasMore; ) {
        let taken = 0; // not what was added: a document may become several passages
        await add(takeDocuments(source, every ?? Number.POSITIVE_INFINITY, () => taken++));
        hasMore = taken === every;
        signal.throwIfAborted();
        commits = true;
        await index.commit({ onProgress });
        commits = false;
      }
      if (keeping && !keeping.isKept) await keeping.encoder.removeLog();
    } finally {
      endIterator(source);
      progress.clear();
      await keeping?.encoder.close();
    }
    return changed;
  };
  const interruptedText = () =>
    `interrupted; ${index.docs === 0 ? "nothing is" : `${countOf(index.docs, "document")} ${index.docs === 1 ? "is" : "are"}`} committed` +
    (keeping ? "; encodings are kept: the same command goes on from here" : "");
  const stoppingText = () =>
    commits ? "stopping when this commit is done…" : "stopping…; what is not committed is dropped";
  return runStoppable(terminal, interruptedText, work, stoppingText);
}

/** The next `most` documents of a source, and the emptied files among them. The source stays open for more. */
async function* takeDocuments(
  source: AsyncIterator<Document | EmptiedFile> | Iterator<Document | EmptiedFile>,
  most: number,
  onDocument: () => void,
): AsyncGenerator<Document | EmptiedFile> {
  for (let taken = 0; taken < most; ) {
    const next = await source.next();
    if (next.done) return;
    if (!isEmptiedFile(next.value)) {
      taken++;
      onDocument();
    }
    yield next.value;
  }
}
