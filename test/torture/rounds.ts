// The kinds of rounds of a torture test. Each takes a seed, works on an index of its own, and returns the lines that report a
// fault.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { Expected } from "../helpers/durability-script.ts";
import { checkBackup, checkIndex } from "./check-index.ts";
import { TortureChild } from "./child.ts";
import { countFaults, type Tally } from "./tally.ts";
import { tracedCommand } from "./trace.ts";

/** How much a round does. */
interface RoundSize {
  /** Commits of a recorded run, and power losses in it. */
  readonly commits: number;
  readonly losses: number;
  /** Processes that are killed, and errors of the file layer. */
  readonly kills: number;
  readonly errors: number;
}

/** The most ms that a process works before it is killed, from its start or from its first commit. */
const LONGEST_MS = 80;
/** The most commits of a process that is to be killed. */
const MOST_COMMITS = 40;
/** Calls that write. LMDB makes some of them itself. */
const WRITES = "pwrite64,pwritev,writev,fdatasync,fsync,ftruncate,link,unlink,rename,mkdir";
const ERRORS = ["EIO", "ENOSPC", "EINTR"];

/** Why calls cannot be recorded or made to fail here; undefined if they can. */
export function whyNoTrace(): string | undefined {
  const { status, error } = spawnSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]);
  if (error) return "strace is not installed";
  return status === 0 ? undefined : "strace may not trace processes here";
}

export class Rounds {
  readonly #programs: string;
  readonly #size: RoundSize;
  readonly #tally: Tally;

  /** `programs` is the folder with the bundled workers. */
  constructor(programs: string, size: RoundSize, tally: Tally) {
    this.#programs = programs;
    this.#size = size;
    this.#tally = tally;
  }

  /** Records a run, and loses power at many moments of it. */
  async power(seed: number): Promise<string[]> {
    const { commits, losses } = this.#size;
    return inScratch(async (scratch) => {
      const [record, root] = [join(scratch, "record"), join(scratch, "disk")];
      mkdirSync(root);
      const run = this.#command("worker", join(root, "index"), seed, commits);
      const worker = new TortureChild(tracedCommand(record, run));
      await worker.ended;
      this.#countWork(worker);
      const power = new TortureChild(this.#command("power-worker", record, root, seed, losses), {
        TORTURE_SCRATCH: scratch,
      });
      const end = await power.ended;
      this.#tally["power losses"] += power.linesWith("loss").length;
      return this.#faults([...worker.lines, ...power.lines, ...endLine(power, end, `seed ${seed}`)]);
    });
  }

  /** Kills processes that write, at random moments and at random calls, while another reads. */
  async kill(seed: number, canTrace: boolean): Promise<string[]> {
    return inScratch(async (scratch) => {
      const folder = join(scratch, "index");
      const random = mulberry32(seed);
      const expected = new Expected(seed);
      const reader = new TortureChild(this.#command("reader-worker", folder, seed));
      const lines: string[] = [];
      let backedUp = 0;
      let next = this.#disturbed(folder, seed, canTrace, random);
      for (let i = 0; i < this.#size.kills; i++) {
        const { child, disturbance } = next;
        await child.said("ready");
        child.tell("go");
        next = this.#disturbed(folder, seed, canTrace, random); // starts while the one before it works
        if (disturbance === "kill") {
          if (random() > 0.3) await child.said("ack");
          await setTimeout(random() * LONGEST_MS);
          child.kill();
        }
        const end = await child.ended;
        this.#countWork(child);
        if (disturbance === "error") this.#tally["failed calls"]++;
        else if (end === "SIGKILL" || end === 137) this.#tally.kills++;
        const where = `seed ${seed}, process ${i} (${disturbance})`;
        const acknowledged = Math.max(expected.commit, ...child.linesWith("ack").map(Number));
        const { commit, lost, wrong, problems } = await checkIndex(folder, expected, acknowledged);
        lines.push(
          ...child.lines
            .filter((line) => /^(wrong|failed)/.test(line))
            .map((line) => line.replace(/^failed/, `wrong ${where}:`)),
        );
        if (lost > 0) lines.push(`lost ${where}: acknowledged ${acknowledged}, found ${commit}`);
        lines.push(...wrong.map((difference) => `wrong ${where}: ${difference}`));
        lines.push(...problems.map((problem) => `repair ${where}: ${problem}`));
        backedUp = Math.max(backedUp, ...child.linesWith("backup").map(Number));
        const backup = await checkBackup(`${folder}.backup`, new Expected(seed), { acknowledged, backedUp });
        lines.push(...backup.map((problem) => `repair ${where}: ${problem}`));
        if (disturbance === "error" && isCrashOfLmdb(end)) this.#tally["crashes of LMDB"]++;
        else if (disturbance !== "kill") lines.push(...endLine(child, end, where));
      }
      next.child.kill();
      reader.endInput();
      await Promise.all([next.child.ended, reader.ended]);
      this.#tally["reads beside a writer"] += Number(reader.linesWith("read")[0] ?? 0);
      const seen = reader.lines.map((line) => line.replace(/^wrong/, `wrong seed ${seed}:`));
      return this.#faults([...lines, ...seen]);
    });
  }

  /** Lets calls of our own file layer fail. */
  async errors(seed: number): Promise<string[]> {
    return inScratch(async (scratch) => {
      const command = this.#command("fault-worker", join(scratch, "index"), seed, this.#size.errors);
      const child = new TortureChild(command);
      const end = await child.ended;
      const [operations, faults, commits] = (child.linesWith("done")[0] ?? "0 0 0").split(" ").map(Number);
      this.#tally.operations += operations;
      this.#tally.commits += commits;
      this.#tally["failed calls"] += faults;
      return this.#faults([...child.lines, ...endLine(child, end, `seed ${seed}`)]);
    });
  }

  /** A process that waits for a word to begin, and what will happen to it. */
  #disturbed(folder: string, seed: number, canTrace: boolean, random: () => number) {
    const command = this.#command("worker", folder, seed, MOST_COMMITS);
    const chance = canTrace ? random() : 0;
    const call = 1 + Math.floor(random() * 60);
    const traced = (what: string) => [
      // Without --seccomp-bpf, with which strace 6.1 injects nothing.
      ...["strace", "-f", "-o", "/dev/null", "-e", `trace=${WRITES}`],
      ...["-e", `inject=${WRITES}:${what}:when=${call}`, ...command],
    ];
    const error = ERRORS[Math.floor(random() * ERRORS.length)];
    const [disturbance, run] =
      chance < 0.9
        ? (["kill", command] as const)
        : chance < 0.95
          ? (["kill at a call", traced("signal=SIGKILL")] as const)
          : (["error", traced(`error=${error}`)] as const);
    return { disturbance, child: new TortureChild(run, { WAIT: "1" }) };
  }

  #command(program: string, ...args: (string | number)[]): string[] {
    return [process.execPath, join(this.#programs, `${program}.mjs`), ...args.map(String)];
  }

  #countWork(worker: TortureChild): void {
    const commits = worker.linesWith("ack").length;
    this.#tally.commits += commits;
    this.#tally.operations += Number(worker.linesWith("done")[0] ?? commits * 3);
  }

  #faults(lines: readonly string[]): string[] {
    return countFaults(this.#tally, lines);
  }
}

/**
 * Whether LMDB ended the process because one of its calls failed: its own C code damages memory then, see bench/runs/torture.md. No
 * caller can prevent that. JavaScript ends with an error, never with these signals.
 */
const isCrashOfLmdb = (end: NodeJS.Signals | number) =>
  end === "SIGSEGV" || end === "SIGABRT" || end === 134 || end === 139;

/** A line if a process ended in a way nobody asked for. */
function endLine({ errors }: TortureChild, end: NodeJS.Signals | number, where: string): string[] {
  const isAsked = end === 0 || end === "SIGKILL" || end === 137;
  return isAsked ? [] : [`repair ${where}: a process ended with ${end}: ${errors.slice(-2000)}`];
}

async function inScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(process.env.TORTURE_SCRATCH ?? tmpdir(), "sluice-torture-"));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
