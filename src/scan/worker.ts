// A thread that scans: it is given segments once, whose memories it shares, and then questions.

import { parentPort } from "node:worker_threads";
import { Bits } from "../bits.ts";
import type { WorkerMessage, WorkerReply } from "./pool.ts";
import { runScans, type ScanSegment, type Shared } from "./run.ts";
import { Scanner } from "./scanner.ts";

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
    const scans = runScans(segments, message.requests, sharedBy(message.state));
    const parts = scans.map(({ candidates, floor, counts }) => ({ ...candidates.arrays(), floor, counts }));
    reply({ id: message.id, parts });
  } catch (error) {
    reply({ id: message.id, error: error as Error });
  }
});

function reply(message: WorkerReply): void {
  const parts = "parts" in message ? message.parts : [];
  const buffers = parts.flatMap(({ docs, most }) => [docs.buffer, most.buffer]);
  parentPort!.postMessage(message, buffers as ArrayBuffer[]);
}

/** Eight bytes for the window that comes next, then the floors. A floor that is lost to a race costs time only. */
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
