// API keys: who may read and who may write. Keys come from the environment or a file. Only their hashes are kept, and a
// comparison takes the same time for every input.

import { createHash, timingSafeEqual } from "node:crypto";
import { UsageError } from "../../index.ts";
import { readText } from "../../support/files/text-file.ts";
import type { Access } from "../routes/routes.ts";
import { HttpError } from "../wire/http-errors.ts";

/** Characters of the shortest key; shorter ones could be guessed. */
const MIN_KEY_LENGTH = 16;

export interface KeyOptions {
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
}

export class Keys {
  readonly #read: readonly Buffer[];
  readonly #write: readonly Buffer[];

  constructor({ read = [], write = [] }: KeyOptions = {}) {
    for (const key of [...read, ...write]) {
      if (key.length < MIN_KEY_LENGTH) {
        throw new UsageError(
          `a key has ${key.length} characters, expected at least ${MIN_KEY_LENGTH}`,
          "make one: openssl rand -hex 32",
        );
      }
      if (!/^[\x21-\x7e]+$/.test(key))
        throw new UsageError(
          "a key has characters that an HTTP header cannot hold",
          "use letters, digits and punctuation, without spaces",
        );
    }
    this.#read = read.map(hashOf);
    this.#write = write.map(hashOf);
  }

  /** Whether there are keys. Without keys, everyone who can reach the server may read and write. */
  get any(): boolean {
    return this.#read.length + this.#write.length > 0;
  }

  /** Throws unless the header holds a key for this access. A write key opens everything, a read key only reads. */
  check(authorization: string | undefined, access: Access): void {
    if (access === "open" || !this.any) return;
    const key = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (key === undefined) throw unauthorized("no_key", "this server needs a key");
    const hash = hashOf(key);
    const [reads, writes] = [isAmong(hash, this.#read), isAmong(hash, this.#write)];
    if (writes || (reads && access === "read")) return;
    if (!reads) throw unauthorized("wrong_key", "this server does not know the key");
    throw new HttpError(403, "read_key", "the key may read, but not write");
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

/** Compares with every hash, so that the time does not tell which one matched. */
function isAmong(hash: Buffer, hashes: readonly Buffer[]): boolean {
  let found = false;
  for (const other of hashes) found = timingSafeEqual(hash, other) || found;
  return found;
}

/** Reads keys from SLUICE_READ_KEYS and SLUICE_WRITE_KEYS, separated by commas or white space. */
export function keysOfEnvironment(env: Readonly<Record<string, string | undefined>>): KeyOptions {
  const listed = (text = "") => text.split(/[\s,]+/).filter((key) => key !== "");
  return { read: listed(env.SLUICE_READ_KEYS), write: listed(env.SLUICE_WRITE_KEYS) };
}

/** Reads keys from a file: each line is `read KEY` or `write KEY`; # starts a comment. */
export async function keysOfFile(path: string): Promise<KeyOptions> {
  const keys = { read: [] as string[], write: [] as string[] };
  for (const [i, line] of (await readText(path)).split(/\r?\n/).entries()) {
    const words = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
    if (words.length === 0) continue;
    const [access, key] = words;
    if (words.length !== 2 || (access !== "read" && access !== "write")) {
      throw new UsageError(`${path}:${i + 1}: expected "read KEY" or "write KEY"`);
    }
    keys[access].push(key);
  }
  if (keys.read.length + keys.write.length === 0)
    throw new UsageError(`${path}: there is no key in this file`);
  return keys;
}
