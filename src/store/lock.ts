// One writer at a time. Who writes has a file beside the database that says who it is; whoever finds a file looks whether
// that process still lives, and takes over from one that was killed. Looking and taking happen while LMDB holds off
// every other process, so that of two who find the same dead writer only one wins.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { fileError } from "../files/errors.ts";
import type { Database } from "./database.ts";

export const LOCK_FILE = "writer.lock";

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as the system counts it: a number that is used again belongs to another process. */
  readonly started?: string;
  readonly since: string;
}

export class WriterLock {
  readonly #path: string;
  readonly #database: Database;
  #held = true;

  private constructor(path: string, database: Database) {
    this.#path = path;
    this.#database = database;
  }

  /** Becomes the writer, or throws an error that names the one there is. */
  static take(folder: string, database: Database): WriterLock {
    const path = join(folder, LOCK_FILE);
    const started = startOf(process.pid);
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      ...(started !== undefined && { started }),
      since: new Date().toISOString(),
    };
    database.exclusively(() => {
      database.requireInPlace();
      const other = holderOf(path);
      if (other && isAlive(other)) throw held(path, other);
      try {
        writeFileSync(path, `${JSON.stringify(holder)}\n`);
      } catch (error) {
        throw fileError(error, path);
      }
    });
    return new WriterLock(path, database);
  }

  /** Lets others write; with `leftovers`, after removing the database, in which nothing was ever committed. */
  release({ leftovers }: { leftovers: boolean } = { leftovers: false }): void {
    if (!this.#held) return;
    this.#held = false;
    this.#database.exclusively(() => {
      if (leftovers) this.#database.removeFiles();
      rmSync(this.#path, { force: true });
    });
  }
}

function held(path: string, { pid, host, since }: Holder): UsageError {
  const who = pid === process.pid && host === hostname() ? "this process" : `process ${pid} on ${host}`;
  return new UsageError(
    `${path}: ${who} is writing to the index, since ${since}`,
    host === hostname()
      ? "close it there first, or open the index with readOnly"
      : `a process on another machine cannot be looked at from here; if it is gone, remove ${path}`,
    "ERR_SLUICE_LOCKED",
  );
}

/** Who holds the lock. A file that cannot be read as such was never finished. */
function holderOf(path: string): Holder | undefined {
  try {
    const { pid, host, started, since } = JSON.parse(readFileSync(path, "utf8")) as Holder;
    return Number.isInteger(pid) && typeof host === "string" ? { pid, host, started, since } : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || code === "ENOENT") return undefined;
    throw fileError(error, path);
  }
}

function isAlive({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true; // for all that is known here
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = startOf(pid);
  return started === undefined || now === undefined || started === now;
}

/** When a process began, where the system tells (Linux); with the boot, since the count begins there. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may hold anything; the 20th field behind it is the start.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${boot}:${ticks}`;
  } catch {
    return undefined;
  }
}
