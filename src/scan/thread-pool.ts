// Threads that scan side by side. Memories are shared, so nothing is copied but questions and answers.

import { Worker } from "node:worker_threads";
import { Turns } from "../support/turns.ts";
import { Candidates } from "./candidates.ts";
import type { Placement } from "./memories.ts";
import { emptyCounts, type ScanCounts } from "./scan-counts.ts";
import type { Scanned, ScanRequest, ScanSegment } from "./scan-segments.ts";
import type { Scanner } from "./scanner.ts";

export type WorkerMessage =
  | {
      readonly kind: "attach";
      readonly key: number;
      readonly placement: Placement;
      readonly thread: number;
    }
  | { readonly kind: "detach"; readonly key: number }
  | ScanMessage;

export interface ScanMessage {
  readonly kind: "scan";
  readonly id: number;
  readonly segments: readonly {
    readonly key: number;
    readonly first: number;
    readonly allowed: Uint32Array | undefined;
  }[];
  readonly requests: readonly ScanRequest[];
  /** What the threads share: see `sharedBy` in worker.ts. */
  readonly state: SharedArrayBuffer;
}

/** What one thread found for one question. */
interface Part {
  readonly docs: Uint32Array;
  readonly most: Float64Array;
  readonly floor: number;
  readonly counts: ScanCounts;
}

export type WorkerReply =
  | { readonly id: number; readonly parts: readonly Part[] }
  | { readonly id: number; readonly error: Error };

export class ScanPool {
  readonly threads: number;
  readonly #workers: Worker[];
  readonly #keys = new WeakMap<Scanner, number>();
  readonly #waiting = new Map<
    string,
    { resolve: (parts: readonly Part[]) => void; reject: (error: Error) => void }
  >();
  #nextKey = 0;
  #nextId = 0;
  /** Scratch memory is one question's at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(threads: number) {
    this.threads = threads;
    this.#workers = Array.from({ length: threads }, (_, thread) => {
      const worker = new Worker(new URL("./scan-thread.js", import.meta.url));
      worker.unref();
      worker.on("message", (reply: WorkerReply) => this.#answered(thread, reply));
      worker.on("error", (error) => this.#failed(error));
      return worker;
    });
  }

  /**
   * The candidates of all threads. The scanners' memories must have been placed for as many threads. An abort rejects at
   * once, and the threads stop at their next step; a scan that waits for its turn then never begins.
   */
  async scan(
    segments: readonly ScanSegment[],
    requests: readonly ScanRequest[],
    turns = new Turns(),
  ): Promise<Scanned[]> {
    const scan = this.#last.then(() => this.#scan(segments, requests, turns.signal));
    this.#last = scan.catch(() => {});
    const answers = await turns.until(scan);
    return turns.run(mergedInSteps(requests, answers));
  }

  /** Lets the threads forget a segment, so that its memory can go. */
  detach(scanner: Scanner): void {
    const key = this.#keys.get(scanner);
    if (key === undefined) return;
    this.#keys.delete(scanner);
    for (const worker of this.#workers) worker.postMessage({ kind: "detach", key } satisfies WorkerMessage);
  }

  async close(): Promise<void> {
    await this.#last;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #scan(
    segments: readonly ScanSegment[],
    requests: readonly ScanRequest[],
    signal: AbortSignal | undefined,
  ): Promise<(readonly Part[])[]> {
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const state = new SharedArrayBuffer(8 + 8 * requests.length);
    const stop = () => Atomics.store(new Int32Array(state, 4, 1), 0, 1);
    signal?.addEventListener("abort", stop, { once: true });
    new Float64Array(state, 8).fill(Number.NEGATIVE_INFINITY);
    const asked = segments.map(({ scanner, first, allowed }) => {
      return { key: this.#keyOf(scanner), first, allowed: allowed?.words };
    });
    const message: WorkerMessage = { kind: "scan", id, segments: asked, requests, state };
    const answers = await Promise.all(
      this.#workers.map((worker, thread) => {
        worker.postMessage(message);
        return new Promise<readonly Part[]>((resolve, reject) => {
          this.#waiting.set(`${thread} ${id}`, { resolve, reject });
        });
      }),
    ).finally(() => signal?.removeEventListener("abort", stop));
    signal?.throwIfAborted(); // the parts are not whole
    return answers;
  }

  #keyOf(scanner: Scanner): number {
    let key = this.#keys.get(scanner);
    if (key === undefined) {
      key = this.#nextKey++;
      this.#keys.set(scanner, key);
      for (const [thread, worker] of this.#workers.entries()) {
        worker.postMessage({ kind: "attach", key, placement: scanner.placement, thread } as WorkerMessage);
      }
    }
    return key;
  }

  #answered(thread: number, reply: WorkerReply): void {
    const place = `${thread} ${reply.id}`;
    const waiting = this.#waiting.get(place);
    this.#waiting.delete(place);
    if ("error" in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.parts);
  }

  #failed(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function* mergedInSteps(
  requests: readonly ScanRequest[],
  answers: readonly (readonly Part[])[],
): Generator<undefined, Scanned[]> {
  const all: Scanned[] = [];
  for (let i = 0; i < requests.length; i++) {
    all.push(merged(answers.map((parts) => parts[i])));
    yield;
  }
  return all;
}

/** In the order of their numbers, as one thread finds them. */
function merged(answers: readonly Part[]): Scanned {
  const floor = Math.max(...answers.map((answer) => answer.floor));
  const counts = emptyCounts();
  const size = answers.reduce((sum, { docs }) => sum + docs.length, 0);
  const [docs, most] = [new Uint32Array(size), new Float64Array(size)];
  let at = 0;
  for (const answer of answers) {
    docs.set(answer.docs, at);
    most.set(answer.most, at);
    at += answer.docs.length;
    for (const key of Object.keys(counts) as (keyof ScanCounts)[]) counts[key] += answer.counts[key];
  }
  const candidates = new Candidates();
  const order = Uint32Array.from({ length: size }, (_, i) => i).sort((a, b) => docs[a] - docs[b]);
  for (const i of order) candidates.add(docs[i], most[i]);
  candidates.keep(floor);
  return { candidates, floor, counts };
}
