// The code of a scanning thread. It gets each segment once, whose memories it shares with the others, and then scan
// messages; it replies with the candidates it found.

import { parentPort } from "node:worker_threads";
import { Bits } from "../../support/numbers/bits.ts";
import type { ScanMessage, ThreadMessage, ThreadReply } from "./scan-messages.ts";
import { type Scanned, type ScanSegment, type SharedByThreads, scanInSteps } from "./scan-segments.ts";
import { Scanner } from "./scanner.ts";

const scanners = new Map<number, Scanner>();

parentPort!.on("message", (message: ThreadMessage) => {
  if (message.kind === "attach") {
    scanners.set(message.key, new Scanner(message.placement, message.thread));
    return;
  }
  if (message.kind === "detach") {
    scanners.delete(message.key);
    return;
  }
  try {
    const segments = message.segments.map(({ key, first, allowed, additions }): ScanSegment => {
      const scanner = scanners.get(key)!;
      return { scanner, first, allowed: allowed && new Bits(scanner.placement.docs, allowed), additions };
    });
    const scans = scanUntilStopped(segments, message);
    if (!scans) {
      reply({ id: message.id, parts: [] });
      return;
    }
    const parts = scans.map(({ candidates, threshold, counts }) => {
      return { ...candidates.copy(), threshold, counts };
    });
    reply({ id: message.id, parts });
  } catch (error) {
    reply({ id: message.id, error: error as Error });
  }
});

/** Scans until the scan ends or is aborted. Returns undefined if it was aborted. */
function scanUntilStopped(segments: ScanSegment[], { requests, state }: ScanMessage): Scanned[] | undefined {
  const stopped = new Int32Array(state, 4, 1);
  const steps = scanInSteps(segments, requests, viewSharedState(state));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (Atomics.load(stopped, 0) !== 0) return undefined;
  }
}

function reply(message: ThreadReply): void {
  const parts = "parts" in message ? message.parts : [];
  const buffers = parts.flatMap(({ docs, bounds }) => [docs.buffer, bounds.buffer]);
  parentPort!.postMessage(message, buffers as ArrayBuffer[]);
}

/**
 * Reads and writes the state that the threads share: int32 the next window, int32 not 0 once the scan is aborted, then float64 a
 * query its threshold. Writes of thresholds are not atomic: a threshold lost to a race costs time only.
 */
function viewSharedState(state: SharedArrayBuffer): SharedByThreads {
  const next = new Int32Array(state, 0, 1);
  const thresholds = new Float64Array(state, 8);
  return {
    next: () => Atomics.add(next, 0, 1),
    threshold: (i) => thresholds[i],
    raise: (i, threshold) => {
      if (threshold > thresholds[i]) thresholds[i] = threshold;
    },
  };
}
