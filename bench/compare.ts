// Runs one bench in two built checkouts, in turns, and compares the medians of its figures. Turns, because a machine that is busy
// for a minute then slows down both.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "../src/report/format-table.ts";
import type { Bench } from "./support/bench.ts";
import { figuresOf } from "./support/figures.ts";
import { printProgress } from "./support/progress.ts";

/** A ratio further from 1 than this is pointed out. */
const NOTABLE = 0.05;

export const compare: Bench = {
  name: "compare",
  flags: "BEFORE AFTER [--rounds N] -- NAME [FLAGS]",
  about:
    "Runs a bench in two checkouts, which `npm run build` has built, in turns. Shows the median of every figure and the ratio of both.",

  async run(print, args) {
    const end = args.includes("--") ? args.indexOf("--") : args.length;
    const { values, positionals } = parseArgs({
      args: args.slice(0, end),
      options: { rounds: { type: "string", default: "3" } },
      allowPositionals: true,
    });
    const command = args.slice(end + 1);
    if (positionals.length !== 2 || command.length === 0)
      throw new Error("expected two folders, then -- and the bench with its flags");
    const rounds = Number(values.rounds);
    const builds = positionals.map((folder) => ({
      folder: resolve(folder),
      found: new Map<string, number[]>(),
    }));
    for (let round = 1; round <= rounds; round++) {
      for (const { folder, found } of round % 2 === 1 ? builds : [...builds].reverse()) {
        printProgress(`round ${round} of ${rounds}: ${folder}`);
        for (const [name, value] of figuresOf(outputOf(folder, command)))
          found.set(name, [...(found.get(name) ?? []), value]);
      }
    }
    const [before, after] = builds.map(({ found }) => found);
    const shared = [...before.keys()].filter((name) => after.has(name));
    const rows = shared.map((name) => {
      const [old, now] = [median(before.get(name)!), median(after.get(name)!)];
      const ratio = old === now ? 1 : now / old;
      const isNotable = Math.abs(ratio - 1) > NOTABLE;
      const shown = [old, now].map((value) => String(Number(value.toPrecision(4))));
      return [name, ...shown, ratio.toFixed(3), isNotable ? (ratio > 1 ? "more" : "less") : ""];
    });
    print(`\n\`${command.join(" ")}\`, medians of ${rounds} rounds\n`);
    print(formatTable(["", "before", "after", "after / before", ""], rows));
    const alone = [...before.keys(), ...after.keys()].filter((name) => !shared.includes(name));
    if (alone.length > 0) print(`\nIn one build only: ${alone.join("; ")}`);
  },
};

function outputOf(folder: string, command: readonly string[]): string {
  const main = join(folder, "dist", "bench", "main.js");
  if (!existsSync(main)) throw new Error(`${main}: no such file; run npm run build there`);
  const { status, stdout } = spawnSync(process.execPath, [main, ...command], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${folder}: the bench ended with status ${status}`);
  return stdout;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
