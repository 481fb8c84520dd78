// Documents → commits of an index, with progress. Ctrl-C stops it.

import type { Document, Progress, Sluice } from "../../index.ts";
import { endIterator, getIterator } from "../../support/work/stop-on-abort.ts";
import type { Terminal } from "../terminal/command.ts";
import { countOf } from "../terminal/format.ts";
import { runStoppable } from "../terminal/interrupt.ts";
import type { ProgressLine } from "../terminal/progress-line.ts";
import type { DocumentSource } from "./encoded-documents.ts";

/** Adds all documents and commits every `every` documents. Calls `last` before the last commit. Ctrl-C stops it. */
export async function addAll(
  index: Sluice,
  { documents, encodings, log }: DocumentSource,
  { upsert, every, last }: { upsert: boolean; every: number | undefined; last?: () => Promise<unknown> },
  progress: ProgressLine,
  terminal: Terminal,
): Promise<number> {
  let [commits, added] = [false, 0];
  const onProgress = ({ stage, done, total }: Progress) => {
    // With --commit-every, the library counts from 0 in every step.
    const ofStep = every !== undefined && (stage === "reading" || stage === "encoding");
    if (ofStep) progress.update(stage, added + done);
    else progress.update(stage, done, total);
  };
  const work = async (signal: AbortSignal) => {
    const options = { onProgress, signal, ...(encodings && { encodings }) };
    const add = (some: AsyncIterable<Document>) =>
      upsert ? index.upsert(some, { ...options, passages: "given" }) : index.add(some, options);
    const items = typeof documents === "function" ? documents(signal) : documents;
    const source = getIterator(items);
    try {
      for (let more = true; more; ) {
        const before = added;
        added += await add(take(source, every ?? Number.POSITIVE_INFINITY));
        more = every !== undefined && added - before === every;
        if (!more) await last?.();
        signal.throwIfAborted();
        commits = true;
        await index.commit({ onProgress });
        commits = false;
      }
      await log?.finish();
    } catch (error) {
      await log?.close();
      throw error;
    } finally {
      endIterator(source);
      progress.clear();
    }
    return added;
  };
  const left = () =>
    `interrupted; ${index.size === 0 ? "nothing is" : `${countOf(index.size, "document")} ${index.size === 1 ? "is" : "are"}`} committed` +
    (log ? "; encodings are kept: the same command goes on from here" : "");
  const saying = () =>
    commits ? "stopping when this commit is done…" : "stopping…; what is not committed is dropped";
  return runStoppable(terminal, left, work, saying);
}

/** The next `most` items of a source; the source stays open for more. */
async function* take<T>(source: AsyncIterator<T> | Iterator<T>, most: number): AsyncGenerator<T> {
  for (let i = 0; i < most; i++) {
    const next = await source.next();
    if (next.done) return;
    yield next.value;
  }
}
