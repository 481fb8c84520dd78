// Makes calls of Node's file layer fail as a bad disk does: writes that stop short, EIO, ENOSPC, EINTR. It replaces the functions
// of node:fs, so the code under test is the same. LMDB writes by itself: its calls fail through strace, see torture.ts.

import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CODES = ["EIO", "ENOSPC", "EINTR"];

/** Calls that change files. Of each, any argument and any result is as before unless it fails. */
const SYNC = [
  "truncateSync",
  "ftruncateSync",
  "fsyncSync",
  "fdatasyncSync",
  "rmSync",
  "mkdirSync",
  "linkSync",
] as const;
const ASYNC = ["rm", "rename", "mkdir", "rmdir", "unlink", "writeFile", "truncate"] as const;
const HANDLE = ["sync", "datasync", "truncate"] as const;

type Call = (...args: unknown[]) => unknown;

export class FaultyFiles {
  readonly #random: () => number;
  /** The share of calls that fail; 0 until told. */
  share = 0;
  /** How many calls failed or stopped short. */
  faults = 0;

  private constructor(random: () => number) {
    this.#random = random;
  }

  /** Replaces the functions of this process, for good. */
  static async install(random: () => number): Promise<FaultyFiles> {
    const faulty = new FaultyFiles(random);
    for (const name of SYNC) faulty.#replace(fs, name);
    for (const name of ASYNC) faulty.#replaceAsync(promises, name);
    faulty.#replaceWrite(fs, "writeSync", (written) => written as number);
    const handle = await promises.open(join(tmpdir(), `sluice-torture-${process.pid}`), "w");
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    fs.rmSync(join(tmpdir(), `sluice-torture-${process.pid}`));
    for (const name of HANDLE) faulty.#replaceAsync(prototype, name);
    faulty.#replaceWrite(prototype, "write", (written) => written);
    syncBuiltinESMExports();
    return faulty;
  }

  #replace(owner: object, name: string): void {
    const functions = owner as Record<string, Call>;
    const call = functions[name];
    const fails = () => this.#fails(name);
    functions[name] = function (this: unknown, ...args) {
      fails();
      return call.apply(this, args);
    };
  }

  /** Rejects, as Node's functions do. One that throws at once would pass by a `catch` of its promise. */
  #replaceAsync(owner: object, name: string): void {
    const functions = owner as Record<string, Call>;
    const call = functions[name];
    const fails = () => this.#fails(name);
    functions[name] = async function (this: unknown, ...args) {
      fails();
      return call.apply(this, args);
    };
  }

  /** A write may also stop in the middle, with or without an error. */
  #replaceWrite(owner: object, name: string, result: (written: unknown) => unknown): void {
    const functions = owner as Record<string, Call>;
    const call = functions[name];
    const isShort = () => this.#happens();
    const fails = () => this.#fails(name);
    functions[name] = function (this: unknown, ...args) {
      // A descriptor is a number; 1 and 2 are for people. Its bytes come next, then offset, length and position.
      const own = typeof this === "object" && this !== null && "fd" in this ? 0 : 1;
      if (own === 1 && (args[0] as number) <= 2) return call.apply(this, args);
      const length = args[own + 2];
      if (typeof length === "number" && length > 1 && isShort()) {
        args[own + 2] = Math.ceil(length / 2);
        return result(call.apply(this, args));
      }
      fails();
      return result(call.apply(this, args));
    };
  }

  #happens(): boolean {
    if (this.share === 0 || this.#random() >= this.share) return false;
    this.faults++;
    return true;
  }

  #fails(name: string): void {
    if (!this.#happens()) return;
    const code = CODES[Math.floor(this.#random() * CODES.length)];
    throw Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });
  }
}
