// Runs an engine in its own processes, one to build and one to search. So memory is measured per engine, and a crash does not
// stop the bench.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { measureFolderBytes } from "../support/folder-bytes.ts";
import type { BuildResult, Failed, Job, QueryTimes } from "./protocol.ts";

/** The command that starts an engine's program. The arguments of protocol.ts are appended. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface BuiltIndex extends BuildResult {
  /** Bytes of the index on disk, without other data in its folder; undefined if there is no index on disk. */
  readonly diskBytes?: number;
}

/** An engine that takes longer is stopped and left out. */
const TIMEOUT_MS = 20 * 60_000;

/** Builds an engine's index, passes it to `work`, and deletes it. */
export async function withIndex<T>(
  command: Command,
  data: string,
  work: (built: BuiltIndex, ask: () => Promise<QueryTimes>) => Promise<T>,
  variant?: string,
): Promise<T> {
  const index = join(data, "index");
  await rm(index, { recursive: true, force: true });
  await mkdir(index);
  try {
    const built = await run<BuildResult>(command, "build", data, index, variant);
    const diskBytes = built.isInMemory
      ? undefined
      : (await measureFolderBytes(index)) - (built.otherBytes ?? 0);
    return await work({ ...built, diskBytes }, () => run<QueryTimes>(command, "ask", data, index));
  } finally {
    await rm(index, { recursive: true, force: true });
  }
}

async function run<T extends object>(
  { program, args, env }: Command,
  job: Job,
  data: string,
  index: string,
  variant?: string,
): Promise<T> {
  const result = join(data, "result.json");
  await rm(result, { force: true });
  // Send an engine's output to stderr, so that it does not mix with the tables.
  const child = spawn(program, [...args, job, data, index, result, ...(variant ? [variant] : [])], {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (...ended) => resolve(ended));
  });
  if (!existsSync(result)) throw new Error(`${job}: the process ended with ${signal ?? `code ${code}`}`);
  const found = JSON.parse(await readFile(result, "utf8")) as T | Failed;
  if ("error" in found) throw new Error(`${job}: ${found.error}`);
  return found;
}
