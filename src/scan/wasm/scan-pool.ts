// Threads that scan windows in parallel. They share the memories of the segments, so only queries and candidates are
// copied.

import { Worker } from "node:worker_threads";
import { Turns } from "../../support/work/turns.ts";
import { Candidates } from "../contract/candidates.ts";
import { createCounts, type ScanCounts } from "../contract/scan-counts.ts";
import type { ThreadCandidates, ThreadMessage, ThreadReply } from "./scan-messages.ts";
import type { Scanned, ScanRequest, ScanSegment } from "./scan-segments.ts";
import type { Scanner } from "./scanner.ts";

export class ScanPool {
  readonly threads: number;
  readonly #workers: Worker[];
  readonly #keys = new WeakMap<Scanner, number>();
  readonly #waiting = new Map<
    string,
    { resolve: (parts: readonly ThreadCandidates[]) => void; reject: (error: Error) => void }
  >();
  #nextKey = 0;
  #nextId = 0;
  /** Scans wait for each other, because scratch memory serves one scan at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(threads: number) {
    this.threads = threads;
    this.#workers = Array.from({ length: threads }, (_, thread) => {
      const worker = new Worker(new URL("./scan-thread.js", import.meta.url));
      worker.unref();
      worker.on("message", (reply: ThreadReply) => this.#settle(thread, reply));
      worker.on("error", (error) => this.#rejectAll(error));
      return worker;
    });
  }

  /**
   * The candidates of all threads. The scanners must have been loaded for as many threads. An abort rejects at once; the
   * threads stop at their next step, and a scan that still waits never begins.
   */
  async scan(
    segments: readonly ScanSegment[],
    requests: readonly ScanRequest[],
    turns = new Turns(),
  ): Promise<Scanned[]> {
    const scan = this.#last.then(() => this.#scan(segments, requests, turns.signal));
    this.#last = scan.catch(() => {});
    const answers = await turns.raceAbort(scan);
    return turns.run(mergeInSteps(requests, answers));
  }

  /** Makes the threads forget a segment, so that its memory can be freed. */
  detach(scanner: Scanner): void {
    const key = this.#keys.get(scanner);
    if (key === undefined) return;
    this.#keys.delete(scanner);
    for (const worker of this.#workers) worker.postMessage({ kind: "detach", key } satisfies ThreadMessage);
  }

  async close(): Promise<void> {
    await this.#last;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #scan(
    segments: readonly ScanSegment[],
    requests: readonly ScanRequest[],
    signal: AbortSignal | undefined,
  ): Promise<(readonly ThreadCandidates[])[]> {
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const state = new SharedArrayBuffer(8 + 8 * requests.length);
    const stop = () => Atomics.store(new Int32Array(state, 4, 1), 0, 1);
    signal?.addEventListener("abort", stop, { once: true });
    new Float64Array(state, 8).fill(Number.NEGATIVE_INFINITY);
    const asked = segments.map(({ scanner, first, allowed, additions }) => {
      return { key: this.#keyOf(scanner), first, allowed: allowed?.words, additions };
    });
    const message: ThreadMessage = { kind: "scan", id, segments: asked, requests, state };
    const answers = await Promise.all(
      this.#workers.map((worker, thread) => {
        worker.postMessage(message);
        return new Promise<readonly ThreadCandidates[]>((resolve, reject) => {
          this.#waiting.set(`${thread} ${id}`, { resolve, reject });
        });
      }),
    ).finally(() => signal?.removeEventListener("abort", stop));
    signal?.throwIfAborted(); // the parts are incomplete
    return answers;
  }

  #keyOf(scanner: Scanner): number {
    let key = this.#keys.get(scanner);
    if (key === undefined) {
      key = this.#nextKey++;
      this.#keys.set(scanner, key);
      for (const [thread, worker] of this.#workers.entries()) {
        worker.postMessage({ kind: "attach", key, placement: scanner.placement, thread } as ThreadMessage);
      }
    }
    return key;
  }

  #settle(thread: number, reply: ThreadReply): void {
    const key = `${thread} ${reply.id}`;
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if ("error" in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.parts);
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function* mergeInSteps(
  requests: readonly ScanRequest[],
  answers: readonly (readonly ThreadCandidates[])[],
): Generator<undefined, Scanned[]> {
  const all: Scanned[] = [];
  for (let i = 0; i < requests.length; i++) {
    all.push(mergeParts(answers.map((parts) => parts[i])));
    yield;
  }
  return all;
}

/** The candidates of all threads, ascending by `doc`: the order in which one thread finds them. */
function mergeParts(answers: readonly ThreadCandidates[]): Scanned {
  const threshold = Math.max(...answers.map((answer) => answer.threshold));
  const counts = createCounts();
  const size = answers.reduce((sum, { docs }) => sum + docs.length, 0);
  const [docs, bounds] = [new Uint32Array(size), new Float64Array(size)];
  let at = 0;
  for (const answer of answers) {
    docs.set(answer.docs, at);
    bounds.set(answer.bounds, at);
    at += answer.docs.length;
    for (const key of Object.keys(counts) as (keyof ScanCounts)[]) counts[key] += answer.counts[key];
  }
  const candidates = new Candidates();
  const order = Uint32Array.from({ length: size }, (_, i) => i).sort((a, b) => docs[a] - docs[b]);
  for (const i of order) candidates.add(docs[i], bounds[i]);
  candidates.dropBelow(threshold);
  return { candidates, threshold, counts };
}
