// Writes and reads the log of a run: one JSON object per line, for each step and each evaluation.

import { type FileHandle, open, readFile, truncate } from "node:fs/promises";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { withFileErrors } from "../../../support/files/file-error.ts";
import { parseObject } from "../../../support/files/json.ts";
import { readLines } from "../../../support/files/lines.ts";
import type { Rates } from "../model/settings.ts";

/** One step. */
export interface StepEntry {
  /** Number of the step, from 1. */
  readonly step: number;
  readonly loss: number;
  /** The recent average of the loss. */
  readonly smoothed: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly gradientNorm: number;
  readonly rates: Rates;
  /** Seconds that the step took, including the teacher. */
  readonly seconds: number;
}

/** The result of an evaluation after a step. */
export interface EvaluationEntry {
  readonly step: number;
  readonly metric: string;
  readonly value: number;
}

export type LogEntry = StepEntry | EvaluationEntry;

export class TrainingLog {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Opens a log to continue after `step`. Entries of later steps, which were lost, are deleted. */
  static async open(path: string, step: number): Promise<TrainingLog> {
    return withFileErrors(path, async () => {
      await (await open(path, "a")).close();
      await truncate(path, await measureBytesUpTo(path, step));
      return new TrainingLog(path, await open(path, "a"));
    });
  }

  async add(entry: LogEntry): Promise<void> {
    await withFileErrors(this.#path, () => this.#file.appendFile(`${JSON.stringify(entry)}\n`));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

export async function readLog(path: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const line of readLines(path)) {
    const entry = parseObject(line);
    if (typeof entry.step !== "number") throw new SluiceError(`${line.where}: not a line of a training log`);
    entries.push(entry as unknown as LogEntry);
  }
  return entries;
}

/** Returns the bytes of all entries up to `step`. An incomplete last line does not count. */
async function measureBytesUpTo(path: string, step: number): Promise<number> {
  const text = await readFile(path, "utf8");
  let bytes = 0;
  try {
    for (const line of text.split("\n").slice(0, -1)) {
      if ((JSON.parse(line) as LogEntry).step > step) break;
      bytes += Buffer.byteLength(line) + 1;
    }
  } catch (error) {
    throw new SluiceError(`${path}: not a training log: ${(error as Error).message}`);
  }
  return bytes;
}
