// Defines a bench, runs one as a program of its own, and finds its data.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Bench {
  readonly name: string;
  /** The flags it takes, for the help. */
  readonly flags?: string;
  /** What it measures, on what data, and what it leaves out. */
  readonly about: string;
  /** Prints Markdown as it goes. `args` are the flags of this run. */
  run(print: (text: string) => void, args: readonly string[]): Promise<void>;
}

/** Runs a bench as a program: node dist/bench/NAME.js. A machine with a GPU may have neither npm nor the other packages. */
export async function runAlone(bench: Bench): Promise<never> {
  try {
    await bench.run((text) => console.log(text), process.argv.slice(2));
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    console.error(`bench ${bench.name}: ${message}${hint ? `\n${hint}` : ""}`);
    process.exit(2);
  }
  process.exit(0); // a GPU device keeps a thread
}

/** Writes the results so far, as Markdown and as JSON, to the folder $OUT if it is set. */
export function keepInOut(name: string, lines: readonly string[], found: object): void {
  const out = process.env.OUT;
  if (!out) return;
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, `${name}.md`), `${lines.join("\n")}\n`);
  writeFileSync(
    join(out, `${name}.json`),
    JSON.stringify({ date: new Date().toISOString(), ...found }, null, 1),
  );
}

/** Returns the path of a file or folder in SLUICE_DATA. Throws if it does not exist. */
export function dataPath(...names: string[]): string {
  const root = process.env.SLUICE_DATA;
  if (!root)
    throw new Error("SLUICE_DATA is not set: it names the folder with collections, topics and models");
  const path = join(root, ...names);
  if (!existsSync(path)) throw new Error(`${path}: no such file or folder`);
  return path;
}
