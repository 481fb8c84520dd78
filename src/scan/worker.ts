// A thread that scans: it is given segments once, whose memories it shares, and then questions.

import { parentPort } from "node:worker_threads";
import { Bits } from "../bits.ts";
import type { WorkerMessage, WorkerReply } from "./pool.ts";
import { runScan, type ScanSegment, type Shared } from "./run.ts";
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
    const { candidates, floor, counts } = runScan(segments, message.request, sharedBy(message.state));
    const { docs, most } = candidates.arrays();
    reply({ id: message.id, docs, most, floor, counts });
  } catch (error) {
    reply({ id: message.id, error: error as Error });
  }
});

function reply(message: WorkerReply): void {
  const buffers = "docs" in message ? [message.docs.buffer, message.most.buffer] : [];
  parentPort!.postMessage(message, buffers as ArrayBuffer[]);
}

/** Eight bytes for the window that comes next, eight for the floor. A floor that is lost to a race costs time only. */
function sharedBy(state: SharedArrayBuffer): Shared {
  const next = new Int32Array(state, 0, 1);
  const floor = new Float64Array(state, 8, 1);
  return {
    next: () => Atomics.add(next, 0, 1),
    floor: () => floor[0],
    raise: (value) => {
      if (value > floor[0]) floor[0] = value;
    },
  };
}
