// The folder of a run: config.json (complete, with absolute paths), tokenizer.json, log.jsonl, checkpoints/ and curve.svg.

import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { readText, writeText } from "../../../support/files/text-file.ts";
import { type Checkpoint, findNewestCheckpoint, readNewestCheckpoint } from "./checkpoint.ts";
import type { TrainConfig } from "./config.ts";

export class RunFolder {
  readonly path: string;
  readonly config: string;
  readonly tokenizer: string;
  readonly log: string;
  readonly checkpoints: string;
  readonly curve: string;

  private constructor(path: string) {
    this.path = path;
    this.config = join(path, "config.json");
    this.tokenizer = join(path, "tokenizer.json");
    this.log = join(path, "log.jsonl");
    this.checkpoints = join(path, "checkpoints");
    this.curve = join(path, "curve.svg");
  }

  /** Creates the folder of a new run. Throws if the folder already holds one. */
  static async create(path: string, config: TrainConfig, tokenizerJson: string): Promise<RunFolder> {
    const run = new RunFolder(path);
    if (await RunFolder.holdsRun(path)) {
      throw new SluiceError(
        `${path} already holds a run`,
        "continue it with the option resume, or choose another folder",
      );
    }
    await writeText(run.tokenizer, tokenizerJson);
    await writeText(run.config, `${JSON.stringify(config, undefined, 2)}\n`);
    return run;
  }

  /** Opens the folder of an existing run. */
  static async open(path: string): Promise<RunFolder> {
    if (!(await RunFolder.holdsRun(path))) {
      throw new SluiceError(
        `${path} holds no training run`,
        "the folder of a run has config.json and checkpoints/",
      );
    }
    return new RunFolder(path);
  }

  static async holdsRun(path: string): Promise<boolean> {
    const { checkpoints, log } = new RunFolder(path);
    return (await findNewestCheckpoint(checkpoints)) !== undefined || (await isFile(log));
  }

  /** Returns the path of the newest checkpoint. A run has one from its start. */
  async findNewest(): Promise<string> {
    return (await findNewestCheckpoint(this.checkpoints)) ?? this.#refuseWithoutCheckpoint();
  }

  /** Reads the newest checkpoint, to go on from there. */
  async readNewest(): Promise<Checkpoint> {
    return (await readNewestCheckpoint(this.checkpoints)) ?? this.#refuseWithoutCheckpoint();
  }

  #refuseWithoutCheckpoint(): never {
    throw new SluiceError(`${this.checkpoints}: no checkpoint`, "start the run again in another folder");
  }
}

/** Returns the path of a checkpoint: the given file, or the newest checkpoint of the given run. */
export async function findCheckpoint(path: string): Promise<string> {
  return (await isFile(path)) ? path : (await RunFolder.open(path)).findNewest();
}

/** Returns the path of a checkpoint's tokenizer. It is in the folder of the run, beside the folder of its checkpoints. */
export function tokenizerPathOf(checkpoint: string): string {
  return join(dirname(dirname(checkpoint)), "tokenizer.json");
}

export async function openTokenizer(path: string): Promise<TextTokenizer> {
  return new TextTokenizer(await readText(path), path);
}

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
