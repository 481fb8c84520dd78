// The folder of a run: config.json (complete, with absolute paths), tokenizer.json, log.jsonl, checkpoints/, curve.svg.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../errors.ts";
import { readText, writeText } from "../../read/lines.ts";
import { newestCheckpoint } from "./checkpoint.ts";
import { readTrainConfig, type TrainConfig } from "./config.ts";

export class RunFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** A folder for a new run; one that holds a run is refused. */
  static async create(path: string, config: TrainConfig, tokenizerJson: string): Promise<RunFolder> {
    const run = new RunFolder(path);
    if (await RunFolder.holdsRun(path)) {
      throw new UsageError(`${path} holds a run already`, "go on with it (--resume), or take another folder");
    }
    await writeText(run.tokenizer, tokenizerJson);
    await writeText(run.config, `${JSON.stringify(config, undefined, 2)}\n`);
    return run;
  }

  /** The folder of a run that was begun. */
  static async open(path: string): Promise<RunFolder> {
    if (!(await RunFolder.holdsRun(path))) {
      throw new UsageError(
        `${path} holds no training run`,
        "a run's folder has config.json and checkpoints/",
      );
    }
    return new RunFolder(path);
  }

  static async holdsRun(path: string): Promise<boolean> {
    return (
      (await newestCheckpoint(join(path, "checkpoints"))) !== undefined ||
      (await isFile(join(path, "log.jsonl")))
    );
  }

  get config(): string {
    return join(this.path, "config.json");
  }

  get tokenizer(): string {
    return join(this.path, "tokenizer.json");
  }

  get log(): string {
    return join(this.path, "log.jsonl");
  }

  get checkpoints(): string {
    return join(this.path, "checkpoints");
  }

  get curve(): string {
    return join(this.path, "curve.svg");
  }

  async readConfig(): Promise<TrainConfig> {
    return readTrainConfig(this.config);
  }

  async readTokenizer(): Promise<string> {
    return readText(this.tokenizer);
  }

  /** The newest checkpoint; a run has one from its first moment on. */
  async newest(): Promise<string> {
    const newest = await newestCheckpoint(this.checkpoints);
    if (newest !== undefined) return newest;
    throw new UsageError(`${this.checkpoints}: no checkpoint`, "start the run again, in another folder");
  }
}

/** A checkpoint that is named by itself, or by its run: then the newest. */
export async function checkpointAt(path: string): Promise<string> {
  return (await isFile(path)) ? path : (await RunFolder.open(path)).newest();
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
