// Watches the memory of a server: samples, and the line that fits them best.

import { slopeOf } from "../support/slope.ts";
import type { Server } from "./server.ts";

/** Seconds between two samples. */
const SAMPLE_S = 5;
/** The share of samples at the beginning that the slope leaves out: caches fill and V8's heap settles then. */
const WARM_UP = 0.25;

export class MemoryWatch {
  readonly #server: Server;
  readonly #samples: (readonly [seconds: number, bytes: number])[] = [];
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(server: Server) {
    this.#server = server;
    this.#timer = setInterval(() => this.#look(), SAMPLE_S * 1000);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look();
  }

  /** By how many percent of its mean the fitted line grows in the measured time; 0 if it falls. */
  get growthPercent(): number {
    const settled = this.#settled;
    const mean = settled.reduce((sum, [, bytes]) => sum + bytes, 0) / settled.length;
    const seconds = settled.at(-1)![0] - settled[0][0];
    return Math.max(0, Math.round((slopeOf(settled) * seconds * 1000) / mean) / 10);
  }

  /** The memory once per minute, or every sample of a short run; and the slope. */
  get line(): string {
    const each = this.#samples.length > 40 ? 60 / SAMPLE_S : 1;
    const shown = this.#samples.filter((_, i) => i % each === each - 1).map(([, bytes]) => megabytes(bytes));
    const slope = (slopeOf(this.#settled) * 3600) / 2 ** 20;
    return (
      `Resident, MB, every ${each * SAMPLE_S} s: ${shown.join(" ")}. Most: ${megabytes(Math.max(...this.#samples.map(([, bytes]) => bytes)))}. ` +
      `Slope after the first ${WARM_UP * 100} %: ${slope.toFixed(1)} MB per hour.`
    );
  }

  get #settled() {
    return this.#samples.slice(Math.floor(this.#samples.length * WARM_UP));
  }

  async #look(): Promise<void> {
    this.#samples.push([(performance.now() - this.#start) / 1000, await this.#server.readResidentBytes()]);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
