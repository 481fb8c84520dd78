// Who may do what. Keys come from the environment or a file; only their hashes are kept, and comparing takes the same
// time whatever was sent.

import { createHash, timingSafeEqual } from "node:crypto";
import { readText, UsageError } from "../index.ts";
import { HttpError } from "./http-errors.ts";
import type { Access } from "./routes.ts";

/** Shorter keys can be guessed. */
const SHORTEST = 16;

export interface KeyOptions {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

export class Keys {
  readonly #read: readonly Buffer[];
  readonly #write: readonly Buffer[];

  constructor({ read = [], write = [] }: KeyOptions = {}) {
    for (const key of [...read, ...write]) {
      if (key.length < SHORTEST) {
        throw new UsageError(
          `a key has ${key.length} characters, expected at least ${SHORTEST}`,
          "make one: openssl rand -hex 32",
        );
      }
      if (!/^[\x21-\x7e]+$/.test(key))
        throw new UsageError("a key has characters that a header cannot carry");
    }
    this.#read = read.map(hashOf);
    this.#write = write.map(hashOf);
  }

  /** Whether there is any: without, everyone who can reach the server may do everything. */
  get any(): boolean {
    return this.#read.length + this.#write.length > 0;
  }

  /** Refuses who may not. A write key opens everything, a read key what only reads. */
  check(authorization: string | undefined, access: Access): void {
    if (access === "open" || !this.any) return;
    const key = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (key === undefined) throw unauthorized("no_key", "this server asks for a key");
    const hash = hashOf(key);
    const [reads, writes] = [isAmong(hash, this.#read), isAmong(hash, this.#write)];
    if (writes || (reads && access === "read")) return;
    if (!reads) throw unauthorized("wrong_key", "the key is not one of this server's");
    throw new HttpError(403, "read_key", "the key allows to read, not to write");
  }
}

function unauthorized(code: string, message: string): HttpError {
  return new HttpError(401, code, message, {
    hint: "send the header Authorization: Bearer KEY",
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** Looks at all of them, found or not. */
function isAmong(hash: Buffer, hashes: readonly Buffer[]): boolean {
  let found = false;
  for (const other of hashes) found = timingSafeEqual(hash, other) || found;
  return found;
}

/** Keys of SLUICE_READ_KEYS and SLUICE_WRITE_KEYS, separated by commas or white space. */
export function keysOfEnvironment(env: Readonly<Record<string, string | undefined>>): KeyOptions {
  const listed = (text = "") => text.split(/[\s,]+/).filter((key) => key !== "");
  return { read: listed(env.SLUICE_READ_KEYS), write: listed(env.SLUICE_WRITE_KEYS) };
}

/** Keys of a file: a line is `read KEY` or `write KEY`; # begins a comment. */
export async function keysOfFile(path: string): Promise<KeyOptions> {
  const keys = { read: [] as string[], write: [] as string[] };
  for (const [i, line] of (await readText(path)).split(/\r?\n/).entries()) {
    const words = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
    if (words.length === 0) continue;
    const [access, key] = words;
    if (words.length !== 2 || (access !== "read" && access !== "write")) {
      throw new UsageError(`${path}:${i + 1}: expected read KEY or write KEY`);
    }
    keys[access].push(key);
  }
  if (keys.read.length + keys.write.length === 0) throw new UsageError(`${path}: no key`);
  return keys;
}
