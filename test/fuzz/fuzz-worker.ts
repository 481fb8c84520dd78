// A thread that fuzzes one target. The thread that started it sees the input that is being run, and ends this one if it hangs.

import { parentPort, workerData } from "node:worker_threads";
import { type Counters, type Fault, Loop, type LoopCounts } from "./loop.ts";
import { targetNamed } from "./targets.ts";

export interface FuzzTask {
  readonly target: string;
  readonly seed: number;
  readonly corpus: readonly Uint8Array[];
  /** Milliseconds to run. */
  readonly ms: number;
  /** Bytes of inputs to keep; 0 keeps none. */
  readonly keep: number;
  /** [0] counts inputs, [1] is the length of the input that is being run. Its bytes follow. */
  readonly shared: SharedArrayBuffer;
}

export type FuzzMessage =
  | { readonly kind: "begun" }
  | { readonly kind: "fault"; readonly fault: Fault }
  | { readonly kind: "done"; readonly counts: LoopCounts; readonly kept: readonly Uint8Array[] };

/** Steps between two looks at the clock. */
const STEPS = 16;

const { target: name, seed, corpus, ms, keep, shared } = workerData as FuzzTask;
const post = (message: FuzzMessage) => parentPort!.postMessage(message);
const head = new Int32Array(shared, 0, 2);
const room = new Uint8Array(shared, 8);
let current = new Uint8Array();
const unhandled = new Set<string>();
process.on("unhandledRejection", (error) => {
  const { stack = String(error), name = "" } = (error ?? {}) as Partial<Error>;
  if (unhandled.has(name)) return;
  unhandled.add(name);
  post({
    kind: "fault",
    fault: { bytes: current, signature: `unhandled ${stack.slice(0, 80)}`, message: stack },
  });
});

const target = await targetNamed(name);
const loop = new Loop(target, {
  seed,
  counters: (globalThis as unknown as { $fuzz: Counters }).$fuzz,
  corpus,
  onInput: (bytes) => {
    current = bytes as Uint8Array<ArrayBuffer>;
    room.set(bytes.subarray(0, room.length));
    Atomics.store(head, 1, bytes.length);
    Atomics.add(head, 0, 1);
  },
  onFault: (fault) => post({ kind: "fault", fault }),
});
await loop.begin();
post({ kind: "begun" });
for (const until = performance.now() + ms; performance.now() < until; )
  for (let i = 0; i < STEPS; i++) await loop.step();
const kept = keep > 0 ? await loop.smallest(keep) : [];
await target.close?.();
post({ kind: "done", counts: loop.counts(), kept });
