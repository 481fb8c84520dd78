// Writes and reads the state of a run: a .safetensors file with the parameters and both moments. Its metadata holds
// everything else that a run needs to continue exactly. The file is written under a temporary name, synced to disk, and
// then renamed, so a checkpoint is never incomplete.

import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { viewBytes } from "../../../segment/container/container-format.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { fileError, withFileErrors } from "../../../support/files/file-error.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";
import { syncFolder } from "../../../support/files/sync-folder.ts";
import type { Tensors, TrainerState } from "../data/batch.ts";
import type { SamplerState } from "../data/sampler.ts";
import { parseSafetensors, safetensorsHead } from "../model/safetensors.ts";
import type { ModelSettings } from "../model/settings.ts";
import { checkedTrainConfig, type TrainConfig } from "./config.ts";
import type { SmoothedState } from "./smoothed.ts";

export interface Checkpoint {
  readonly trainer: TrainerState;
  readonly sampler: SamplerState;
  readonly smoothed: SmoothedState;
  readonly model: ModelSettings;
  readonly config: TrainConfig;
  /** Fingerprints of the data and of the teacher. */
  readonly learnsFrom: { readonly data: string; readonly teacher?: string };
}

const VERSION = 1;
const HEADER_LENGTH_BYTES = 8;
const NAME = /^step-(\d+)\.safetensors$/;
/** The parts of the trainer's state, and the prefixes of their tensors' names. */
const PARTS = { parameters: "", firstMoments: "first-moment/", secondMoments: "second-moment/" } as const;

type CheckpointPart = keyof typeof PARTS;

/** Writes a checkpoint into a folder and deletes the oldest beyond `keep`. Returns its path. */
export async function writeCheckpoint(folder: string, checkpoint: Checkpoint, keep: number): Promise<string> {
  const path = join(folder, `step-${String(checkpoint.trainer.step).padStart(7, "0")}.safetensors`);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await makeFolders(folder);
    const file = await open(temporary, "w");
    try {
      await writeAll(file, checkpoint);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}); // report the first error only
    throw fileError(error, path);
  }
  for (const { path: old } of (await listCheckpoints(folder)).slice(keep)) await rm(old, { force: true });
  return path;
}

/** Returns the path of the newest checkpoint in a folder. */
export async function findNewestCheckpoint(folder: string): Promise<string | undefined> {
  return (await listCheckpoints(folder))[0]?.path;
}

/** Reads the newest checkpoint in a folder. If that fails, the error names the newest one that is whole. */
export async function readNewestCheckpoint(folder: string): Promise<Checkpoint | undefined> {
  const [newest, ...older] = await listCheckpoints(folder);
  if (newest === undefined) return undefined;
  try {
    return await readCheckpoint(newest.path);
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    for (const { path } of older) {
      if (!(await readCheckpoint(path).catch(() => undefined))) continue;
      throw new SluiceError(
        error.problem,
        `${path} is whole: remove the newer one to go on from there`,
        error.code,
      );
    }
    throw error;
  }
}

export async function readCheckpoint(path: string): Promise<Checkpoint> {
  const bytes = await withFileErrors(path, () => readFile(path));
  const fail = (what: string) => new SluiceError(`${path}: ${what}`);
  const tensors = parseSafetensors(bytes, path);
  const metadata = metadataOf(bytes);
  if (metadata?.format !== "sluice-checkpoint") throw fail("not a checkpoint of a training run");
  if (Number(metadata.version) > VERSION) {
    throw fail(`the checkpoint has version ${metadata.version}, but this program reads up to ${VERSION}`);
  }
  if (checksumOf([...tensors.values()].map(({ data }) => data)) !== metadata.checksum) {
    throw fail("the checksum does not match: the file is damaged");
  }
  const part = (name: CheckpointPart): Tensors => {
    const mine = [...tensors].filter(([key]) => partOf(key) === name);
    return new Map(mine.map(([key, tensor]) => [key.slice(PARTS[name].length), tensor]));
  };
  const { step, sampler, smoothed, model, config, learnsFrom } = JSON.parse(metadata.run);
  return {
    trainer: {
      step,
      parameters: part("parameters"),
      firstMoments: part("firstMoments"),
      secondMoments: part("secondMoments"),
    },
    sampler,
    smoothed,
    model,
    config: checkedTrainConfig(config, path),
    learnsFrom,
  };
}

function partOf(key: string): CheckpointPart {
  const names = ["firstMoments", "secondMoments"] as const;
  return names.find((name) => key.startsWith(PARTS[name])) ?? "parameters";
}

async function writeAll(file: FileHandle, { trainer, ...run }: Checkpoint): Promise<void> {
  const tensors: Tensors = new Map(
    (Object.keys(PARTS) as CheckpointPart[]).flatMap((part) =>
      Array.from(trainer[part], ([name, tensor]) => [PARTS[part] + name, tensor] as const),
    ),
  );
  const arrays = Array.from(tensors.values(), ({ data }) => data);
  const metadata = {
    format: "sluice-checkpoint",
    version: String(VERSION),
    checksum: checksumOf(arrays),
    run: JSON.stringify({ step: trainer.step, ...run }),
  };
  await file.writeFile(safetensorsHead(tensors, metadata));
  for (const array of arrays) await file.writeFile(viewBytes(array));
}

function metadataOf(bytes: Buffer): Record<string, string> | undefined {
  const length = Number(bytes.readBigUInt64LE(0));
  return JSON.parse(bytes.toString("utf8", HEADER_LENGTH_BYTES, HEADER_LENGTH_BYTES + length)).__metadata__;
}

function checksumOf(arrays: readonly Float32Array[]): string {
  const hash = createHash("sha256");
  for (const array of arrays) hash.update(viewBytes(array));
  return hash.digest("hex").slice(0, 32);
}

/** Newest first. */
async function listCheckpoints(folder: string): Promise<{ path: string; step: number }[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names
    .flatMap((name) => {
      const step = NAME.exec(name)?.[1];
      return step === undefined ? [] : [{ path: join(folder, name), step: Number(step) }];
    })
    .sort((a, b) => b.step - a.step);
}
