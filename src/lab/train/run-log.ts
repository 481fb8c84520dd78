// What a run said about its steps, one JSON object a line, as it happened.

import { type FileHandle, open, truncate } from "node:fs/promises";
import { UsageError } from "../../errors.ts";
import { lines, parseObject } from "../../read/lines.ts";
import { fileError } from "../../support/file-error.ts";
import type { Rates } from "./model/settings.ts";

/** One step. */
export interface StepEntry {
  /** Steps made, this one included. */
  readonly step: number;
  readonly loss: number;
  /** Its recent average. */
  readonly smoothed: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly gradientNorm: number;
  readonly rates: Rates;
  /** The step's own time, a teacher's included. */
  readonly seconds: number;
}

/** What an evaluation found after a step. */
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

  /** Goes on behind `step`: what was written about later ones, which were lost, is forgotten. */
  static async open(path: string, step: number): Promise<TrainingLog> {
    try {
      await (await open(path, "a")).close();
      await truncate(path, await bytesUpTo(path, step));
      return new TrainingLog(path, await open(path, "a"));
    } catch (error) {
      throw fileError(error, path);
    }
  }

  async add(entry: LogEntry): Promise<void> {
    try {
      await this.#file.appendFile(`${JSON.stringify(entry)}\n`);
    } catch (error) {
      throw fileError(error, this.#path);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

export async function readLog(path: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const line of lines(path)) {
    const entry = parseObject(line);
    if (typeof entry.step !== "number") throw new UsageError(`${line.where}: no line of a training log`);
    entries.push(entry as unknown as LogEntry);
  }
  return entries;
}

/** A last line that was cut off in the middle does not count. */
async function bytesUpTo(path: string, step: number): Promise<number> {
  const file = await open(path, "r");
  try {
    const text = await file.readFile("utf8");
    let bytes = 0;
    for (const line of text.split("\n").slice(0, -1)) {
      if ((JSON.parse(line) as LogEntry).step > step) break;
      bytes += Buffer.byteLength(line) + 1;
    }
    return bytes;
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path}: no training log: ${error.message}`);
    throw error;
  } finally {
    await file.close();
  }
}
