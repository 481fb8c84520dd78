// A thread that scans: it is given segments once, whose memories it shares, and then questions.

import { parentPort } from "node:worker_threads";
import { Bits } from "../support/bits.ts";
import { type Scanned, type ScanSegment, type Shared, scanInSteps } from "./scan-segments.ts";
import { Scanner } from "./scanner.ts";
import type { ScanMessage, WorkerMessage, WorkerReply } from "./thread-pool.ts";

const scanners = new Map<number, Scanner>();

parentPort!.on("message", (message: WorkerMessage) => {
  if (message.kind === "attach") {
    scanners.set(message.key, new Scanner(message.placement, message.thread));
    return;
  }
  if (message.kind === "detach") {
    scanners.delete(message.key);
    return;
  }
  try {
    const segments = message.segments.map(({ key, first, allowed }): ScanSegment => {
      const scanner = scanners.get(key)!;
      return { scanner, first, allowed: allowed && new Bits(scanner.placement.docs, allowed) };
    });
    const scans = scanned(segments, message);
    if (!scans) {
      reply({ id: message.id, parts: [] });
      return;
    }
    const parts = scans.map(({ candidates, floor, counts }) => ({ ...candidates.arrays(), floor, counts }));
    reply({ id: message.id, parts });
  } catch (error) {
    reply({ id: message.id, error: error as Error });
  }
});

/** Undefined when the scan was given up. */
function scanned(segments: ScanSegment[], { requests, state }: ScanMessage): Scanned[] | undefined {
  const stopped = new Int32Array(state, 4, 1);
  const steps = scanInSteps(segments, requests, sharedBy(state));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (Atomics.load(stopped, 0) !== 0) return undefined;
  }
}

function reply(message: WorkerReply): void {
  const parts = "parts" in message ? message.parts : [];
  const buffers = parts.flatMap(({ docs, most }) => [docs.buffer, most.buffer]);
  parentPort!.postMessage(message, buffers as ArrayBuffer[]);
}

/** Four bytes for the window that comes next, four that are not 0 once the scan is given up, then the floors. A floor that is lost to a race costs time only. */
function sharedBy(state: SharedArrayBuffer): Shared {
  const next = new Int32Array(state, 0, 1);
  const floors = new Float64Array(state, 8);
  return {
    next: () => Atomics.add(next, 0, 1),
    floor: (i) => floors[i],
    raise: (i, floor) => {
      if (floor > floors[i]) floors[i] = floor;
    },
  };
}
