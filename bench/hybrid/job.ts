// Runs each engine in its own process, one after another. So memory is measured per engine, and a crash does not stop the
// bench.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureFolderBytes } from "../support/folder-bytes.ts";
import type { EngineSpec } from "./engines.ts";
import type { MeasuredWay } from "./measure.ts";

export interface BuildResult {
  readonly buildMs: number;
  /** Nothing was written: the engine builds its index when it is opened. */
  readonly isInMemory: boolean;
  readonly peakBytes: number;
}

export interface QueryTimes {
  readonly note?: string;
  readonly openMs: number;
  readonly ways: readonly MeasuredWay[];
  /** Ways that could not be measured, and why. */
  readonly failed: readonly string[];
  /** Resident memory right after the last query and a garbage collection. */
  readonly busyBytes: number;
  /** Resident memory after some idle seconds. */
  readonly rssBytes: number;
  readonly peakBytes: number;
}

export interface Sized {
  readonly bytes: Readonly<Record<string, number>>;
}

export type Job = "build" | "ask" | "sizes";

/** All measurements of one engine on one data set. */
export interface EngineResult {
  readonly engine: string;
  readonly note?: string;
  readonly ways: readonly MeasuredWay[];
  readonly failed: readonly string[];
  /** Milliseconds until the index can be searched. */
  readonly buildMs: number;
  /** Milliseconds to open an index on disk; undefined for engines in memory. */
  readonly openMs?: number;
  readonly diskBytes?: number;
  readonly busyBytes: number;
  readonly rssBytes: number;
  /** The most memory that building or searching took. */
  readonly peakBytes: number;
}

/** An engine that takes longer is stopped and left out. */
const TIMEOUT_MS = 30 * 60_000;

/** Builds and searches an engine's index. The index is in a folder beside the data and is deleted at the end. */
export async function measureEngine(spec: EngineSpec, data: string): Promise<EngineResult> {
  const index = join(data, "index");
  await rm(index, { recursive: true, force: true });
  await mkdir(index);
  const built = await run<BuildResult>("build", spec, data, index);
  const asked = await run<QueryTimes>("ask", spec, data, index);
  const diskBytes = built.isInMemory ? undefined : await measureFolderBytes(index);
  await rm(index, { recursive: true, force: true });
  return {
    engine: spec.name,
    note: asked.note,
    ways: asked.ways,
    failed: asked.failed,
    buildMs: built.isInMemory ? asked.openMs : built.buildMs,
    ...(!built.isInMemory && { openMs: asked.openMs, diskBytes }),
    busyBytes: asked.busyBytes,
    rssBytes: asked.rssBytes,
    peakBytes: Math.max(built.peakBytes, asked.peakBytes),
  };
}

/** The sizes of an engine's lexical index alone. */
export async function measureLexicalSizes(spec: EngineSpec, data: string): Promise<Sized["bytes"]> {
  const index = join(data, "index");
  await rm(index, { recursive: true, force: true });
  await mkdir(index);
  const { bytes } = await run<Sized>("sizes", spec, data, index);
  await rm(index, { recursive: true, force: true });
  return bytes;
}

async function run<T>(job: Job, spec: EngineSpec, data: string, index: string): Promise<T> {
  const result = join(data, "result.json");
  await rm(result, { force: true });
  const program = fileURLToPath(new URL("child.js", import.meta.url));
  const heap = "--max-old-space-size=12288"; // engines in JavaScript keep everything in objects
  const child = spawn(
    process.execPath,
    ["--expose-gc", heap, program, job, spec.name, data, index, result],
    // Send an engine's output to stderr, so that it does not mix with the tables.
    { stdio: ["ignore", 2, 2], env: { ...process.env, ...spec.env }, timeout: TIMEOUT_MS },
  );
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (...ended) => resolve(ended));
  });
  if (!existsSync(result)) {
    throw new Error(`${job}: the process ended with ${signal ?? `code ${code}`}`);
  }
  const found = JSON.parse(await readFile(result, "utf8")) as T | { error: string };
  if (typeof found === "object" && found !== null && "error" in found) throw new Error(found.error);
  return found as T;
}
