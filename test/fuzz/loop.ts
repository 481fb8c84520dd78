// The loop of the fuzzer: changes an input, runs the target, and keeps the input if it reached a branch, or a number of runs of a
// branch, that no input reached before.

import { mulberry32 } from "../../src/support/numbers/random.ts";
import { bytesOfText, isClear, type Target, WrongAnswer } from "./contract/target.ts";
import { type MutationSource, mutated } from "./mutate.ts";

/** The counters that scripts/instrument.mjs puts into the code. */
export interface Counters {
  readonly hits: Uint8Array;
  readonly modules: readonly { name: string; first: number; end: number; words: readonly string[] }[];
}

export interface Fault {
  readonly bytes: Uint8Array;
  /** Equal for faults with the same cause, as far as that can be told. */
  readonly signature: string;
  readonly message: string;
}

export interface LoopCounts {
  readonly executions: number;
  /** Branches that ran, of those in modules that ran at all. */
  readonly reached: number;
  readonly branches: number;
  readonly corpus: number;
}

interface LoopOptions {
  readonly seed: number;
  readonly counters: Counters;
  readonly corpus: readonly Uint8Array[];
  /** Called with each input before it is run, so that it is known if the run never ends. */
  onInput?(bytes: Uint8Array): void;
  onFault(fault: Fault): void;
}

const LONGEST = 4096;
/** Bytes of arrays that one run may add. A few bytes that ask for more are a fault. */
const MOST_BYTES = 256 * 2 ** 20;
/** Runs to make the input of a fault smaller. */
const SMALLER_RUNS = 400;

export class Loop {
  readonly #target: Target;
  readonly #options: LoopOptions;
  readonly #hits: Uint8Array;
  /** By counter: the classes of counts that were seen, a bit each. */
  readonly #seen: Uint8Array;
  readonly #corpus: Uint8Array[] = [];
  readonly #random: () => number;
  readonly #signatures = new Set<string>();
  #words: readonly string[] = [];
  #used = 0;
  #executions = 0;

  constructor(target: Target, options: LoopOptions) {
    this.#target = target;
    this.#options = options;
    this.#hits = options.counters.hits;
    this.#seen = new Uint8Array(this.#hits.length);
    this.#random = mulberry32(options.seed);
  }

  /** Runs the inputs that there are. */
  async begin(): Promise<void> {
    const seeds = [...(await this.#target.seeds())].map((seed) =>
      typeof seed === "string" ? bytesOfText(seed) : seed,
    );
    this.#used = this.#options.counters.modules.reduce((most, { end }) => Math.max(most, end), 0);
    for (const bytes of [...seeds, ...this.#options.corpus]) {
      const isNew = await this.#try(bytes);
      if (isNew || this.#corpus.length === 0) this.#corpus.push(bytes);
    }
    this.#words = this.#reachedModules().flatMap(({ words }) => words);
  }

  /** Runs one changed input. */
  async step(): Promise<void> {
    const { form, longest = LONGEST } = this.#target;
    // Inputs that were found late reach the most, so they are chosen more often.
    const chosen = Math.floor(Math.max(this.#random(), this.#random()) * this.#corpus.length);
    const source: MutationSource = {
      random: this.#random,
      words: this.#words,
      corpus: this.#corpus,
      form,
      longest: Math.max(longest, this.#corpus[chosen].length),
    };
    const bytes = mutated(this.#corpus[chosen], source);
    if (await this.#try(bytes)) this.#corpus.push(bytes);
  }

  counts(): LoopCounts {
    const modules = this.#reachedModules();
    const branches = modules.reduce((sum, { first, end }) => sum + end - first, 0);
    const reached = this.#seen.reduce((sum, bits) => sum + (bits ? 1 : 0), 0);
    return { executions: this.#executions, reached, branches, corpus: this.#corpus.length };
  }

  /** The smallest inputs that together reach every branch that was reached, `most` bytes of them in all. */
  async smallest(most: number): Promise<Uint8Array[]> {
    const kept: Uint8Array[] = [];
    const seen = new Set<number>();
    let bytes = 0;
    for (const input of [...this.#corpus].sort((a, b) => a.length - b.length)) {
      if (bytes + input.length > most) break;
      await this.#run(input);
      const before = seen.size;
      for (let i = 0; i < this.#used; i++) if (this.#hits[i] > 0) seen.add(i);
      if (seen.size === before) continue;
      kept.push(input);
      bytes += input.length;
    }
    return kept;
  }

  #reachedModules() {
    return this.#options.counters.modules
      .filter(({ first, end }) => this.#seen.subarray(first, end).some((bits) => bits > 0))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Runs an input. Returns whether it reached something new. */
  async #try(bytes: Uint8Array): Promise<boolean> {
    this.#executions++;
    const fault = await this.#run(bytes);
    const isNew = this.#note();
    if (fault && !this.#signatures.has(fault.signature)) {
      this.#signatures.add(fault.signature);
      this.#options.onFault(await this.#smaller(fault));
    }
    return isNew && !fault;
  }

  async #run(bytes: Uint8Array): Promise<Fault | undefined> {
    this.#options.onInput?.(bytes);
    this.#hits.fill(0, 0, this.#used);
    const before = process.memoryUsage().arrayBuffers;
    try {
      await this.#target.run(bytes);
    } catch (error) {
      if (!isClear(error)) return faultOf(bytes, error);
    }
    const added = process.memoryUsage().arrayBuffers - before;
    if (added < MOST_BYTES) return undefined;
    return faultOf(bytes, new Error(`${bytes.length} bytes took ${Math.round(added / 2 ** 20)} MiB`));
  }

  #note(): boolean {
    let isNew = false;
    for (let i = 0; i < this.#used; i++) {
      const count = this.#hits[i];
      if (count === 0) continue;
      const bit = 1 << Math.min(7, 31 - Math.clz32(count));
      if (this.#seen[i] & bit) continue;
      this.#seen[i] |= bit;
      isNew = true;
    }
    return isNew;
  }

  /** Looks for fewer bytes that show the same fault. It stops after some runs. */
  async #smaller(fault: Fault): Promise<Fault> {
    let smallest = fault;
    let runs = 0;
    for (let size = fault.bytes.length >> 1; size > 0 && runs < SMALLER_RUNS; ) {
      const { bytes } = smallest;
      let isSmaller = false;
      for (let at = 0; at < bytes.length && runs < SMALLER_RUNS && !isSmaller; at += size, runs++) {
        const less = new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + size)]);
        const again = await this.#run(less);
        if (again?.signature !== fault.signature) continue;
        smallest = again;
        isSmaller = true;
      }
      if (!isSmaller || size > smallest.bytes.length) size >>= 1;
    }
    return smallest;
  }
}

/** Names the fault by its kind and by the functions it came from: messages hold parts of the input. */
function faultOf(bytes: Uint8Array, error: unknown): Fault {
  const { name = "Error", message = String(error), stack = "" } = (error ?? {}) as Partial<Error>;
  const calls = [...stack.matchAll(/^ +at (?:async )?(?:new )?([\w$.#<>]+) /gm)].slice(0, 3);
  const said = error instanceof WrongAnswer ? message.split(":")[0] : "";
  const signature = [name, said, ...calls.map(([, call]) => call)].join(" ");
  return { bytes, signature, message: stack.includes(message) ? stack : `${name}: ${message}` };
}
