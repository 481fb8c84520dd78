// Gives readers bytes that nobody wrote, and looks for the branches that such bytes reach:
//
//   npm run fuzz -- [--target NAME] [--minutes M] [--seed N] [--keep]
//
// Targets take turns, and share the minutes. A fault is printed and kept in crashers/TARGET; the exit status is then 1. --keep
// also writes the inputs that reach the most into corpus/TARGET.txt. The same seed tries the same inputs in the same order.

import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { CorpusFiles } from "./corpus-files.ts";
import type { FuzzMessage, FuzzTask } from "./fuzz-worker.ts";
import type { LoopCounts } from "./loop.ts";
import { TARGET_NAMES } from "./targets.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
/** An input that takes longer is a fault, in ms. */
const HANG_MS = 10_000;
/** The most memory of a target's objects, in MB. */
const MOST_MB = 1024;
const LONGEST_INPUT = 1 << 20;
const KEPT_BYTES = 24 * 1024;

const names = values.target ?? TARGET_NAMES;
const unknown = names.filter((name) => !TARGET_NAMES.includes(name));
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (values.help || unknown.length > 0 || !(minutes > 0) || !Number.isInteger(seed)) {
  if (unknown.length > 0) console.error(`there is no target ${unknown.join(", ")}`);
  console.log("npm run fuzz -- [--target NAME] [--minutes M] [--seed N] [--keep]");
  console.log(`targets: ${TARGET_NAMES.join(", ")}`);
  process.exit(values.help ? 0 : 2);
}

const files = new CorpusFiles("test/fuzz");
let faults = 0;
const ms = (minutes * 60_000) / names.length;
const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
row(["target", "seconds", "executions", "branches reached", "of", "inputs kept", "faults"]);
row(["---", "---:", "---:", "---:", "---:", "---:", "---:"]);
const total = { seconds: 0, executions: 0, faults: 0 };
for (const name of names) {
  const before = faults;
  const began = performance.now();
  const { executions, reached, branches, corpus } = await fuzzed(name);
  const seconds = Math.round((performance.now() - began) / 1000);
  row([name, seconds, executions, reached, branches, corpus, faults - before]);
  total.seconds += seconds;
  total.executions += executions;
}
row(["all", total.seconds, total.executions, "", "", "", faults]);
process.exitCode = faults > 0 ? 1 : 0;

/** Fuzzes one target. A thread that hangs or fills its memory is ended; that is a fault, and ends the target. */
function fuzzed(target: string): Promise<LoopCounts> {
  const shared = new SharedArrayBuffer(8 + LONGEST_INPUT);
  const head = new Int32Array(shared, 0, 2);
  const task: FuzzTask = {
    target,
    seed,
    ms,
    keep: values.keep ? KEPT_BYTES : 0,
    corpus: [...files.corpus(target), ...files.crashers(target).map(({ bytes }) => bytes)],
    shared,
  };
  const report = (bytes: Uint8Array, message: string) => {
    faults++;
    console.log(`\n${target}: ${files.keepCrasher(target, bytes)}\n${message}\n`);
  };
  const current = () => new Uint8Array(shared, 8, head[1]).slice();
  const worker = new Worker(new URL("./fuzz-worker.mjs", import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB },
  });
  return new Promise((resolve) => {
    const stopped = { executions: 0, reached: 0, branches: 0, corpus: 0 };
    let [inputs, since] = [-1, Date.now()];
    const watch = setInterval(() => {
      if (head[0] !== inputs) [inputs, since] = [head[0], Date.now()];
      if (inputs === 0 || Date.now() - since < HANG_MS) return;
      report(current(), `the input takes longer than ${HANG_MS / 1000} s`);
      void worker.terminate();
    }, 250);
    let counts: LoopCounts | undefined;
    worker.on("message", (message: FuzzMessage) => {
      if (message.kind === "fault") report(message.fault.bytes, message.fault.message);
      if (message.kind !== "done") return;
      counts = message.counts;
      if (values.keep) files.keepCorpus(target, message.kept);
      void worker.terminate();
    });
    worker.on("error", (error) => report(current(), error.stack ?? String(error)));
    worker.on("exit", () => {
      clearInterval(watch);
      resolve(counts ?? { ...stopped, executions: head[0] });
    });
  });
}
