// API keys: who may do what, with which indexes, and until when. Only hashes of keys are kept, and a comparison takes the same
// time for every input.

import { createHash, timingSafeEqual } from "node:crypto";
import { SluiceError } from "../../index.ts";
import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { KEY_ACCESS, type KeyAccess } from "../../schemas/shared/key-access.ts";
import type { Access } from "../routes/routes.ts";
import { HttpError } from "../wire/http-errors.ts";

/** A key and its bounds. */
export interface KeyEntry {
  /** The key itself; or `sha256:` and its hash in 64 hexadecimal digits, so that the key is stored nowhere. */
  readonly key: string;
  /** The indexes that the key is for; all by default. */
  readonly indexes?: readonly string[] | undefined;
  /** When the key ends: a day, such as 2027-01-01, at its start in UTC, or a time with a zone. Never by default. */
  readonly expires?: string | undefined;
  /** What logs call the key; the first digits of its hash by default. */
  readonly name?: string | undefined;
}

/** Keys by what they may do. A read key searches and reads, a write key also changes documents, an admin key does everything. */
export interface KeyOptions {
  readonly read?: readonly (string | KeyEntry)[] | undefined;
  readonly write?: readonly (string | KeyEntry)[] | undefined;
  readonly admin?: readonly (string | KeyEntry)[] | undefined;
}

/** Who asks. */
export interface Caller {
  /** What logs call the key. Undefined: the server has no keys, or the route needs none. */
  readonly key: string | undefined;
  /** What the caller may do. Without keys, everyone may do everything. */
  readonly access: KeyAccess;
  /** Whether the key is for all indexes. */
  readonly seesAll: boolean;
  /** Whether the key is for this index. */
  sees(index: string): boolean;
}

/** Characters of the shortest key; shorter ones could be guessed. */
const MIN_KEY_LENGTH = 16;
const HASHED = /^sha256:([0-9a-f]{64})$/i;
const KEY_NAME = /^[\w.-]{1,64}$/;
/** Digits of a hash that stand for a key without a name. Too few to find the key by. */
const SHOWN_DIGITS = 8;

/** A caller of a server without keys. */
const ANYONE: Caller = { key: undefined, access: "admin", seesAll: true, sees: () => true };
/** A caller without a key, where there are keys. */
const NOBODY: Caller = { key: undefined, access: "read", seesAll: false, sees: () => false };

interface KnownKey extends Caller {
  readonly hash: Buffer;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export class Keys {
  #known: readonly KnownKey[];

  constructor(options: KeyOptions = {}) {
    this.#known = knownKeys(options);
  }

  /** Takes other keys from now on. */
  replace(options: KeyOptions): void {
    this.#known = knownKeys(options);
  }

  /** Whether there are keys. Without keys, everyone who can reach the server may do everything. */
  get hasKeys(): boolean {
    return this.#known.length > 0;
  }

  /** Whose key the header holds. Throws unless it may have this access. */
  identifyCaller(authorization: string | undefined, access: Access): Caller {
    if (access === "open" || !this.hasKeys) return ANYONE;
    const key = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (key === undefined)
      throw unauthorizedError(
        "no_key",
        "this server needs a key",
        "send the header Authorization: Bearer KEY",
      );
    const knownKey = this.#find(keyHash(key));
    if (!knownKey) throw unauthorizedError("wrong_key", "this server does not know the key", NEW_KEY);
    if (Date.now() >= knownKey.expires) {
      const since = new Date(knownKey.expires).toISOString();
      throw markRefusedError(
        unauthorizedError("expired_key", `the key expired at ${since}`, NEW_KEY),
        knownKey,
      );
    }
    if (KEY_ACCESS.indexOf(knownKey.access) >= KEY_ACCESS.indexOf(access)) return knownKey;
    throw markRefusedError(
      access === "admin"
        ? new HttpError(403, "not_admin", "this takes an admin key", { hint: "send an admin key" })
        : new HttpError(403, "read_key", "the key may read, but not write", {
            hint: "send a write key or an admin key",
          }),
      knownKey,
    );
  }

  /** Compares with every hash, so that the time does not tell which one matched. Of two that match, the later one may do more. */
  #find(hash: Buffer): KnownKey | undefined {
    let found: KnownKey | undefined;
    for (const known of this.#known) found = timingSafeEqual(hash, known.hash) ? known : found;
    return found;
  }
}

/** The caller of a public route: the key's caller if the key is valid, else NOBODY. */
export function identifyCallerOrNobody(check: () => Caller): Caller {
  try {
    return check();
  } catch {
    return NOBODY;
  }
}

/** Callers whose key was known and refused: the audit log names the key. */
const REFUSED = new WeakMap<HttpError, Caller>();

function markRefusedError(error: HttpError, caller: Caller): HttpError {
  REFUSED.set(error, caller);
  return error;
}

/** Whose request was refused with this error, if the key is known. */
export function refusedCaller(error: unknown): Caller | undefined {
  return error instanceof HttpError ? REFUSED.get(error) : undefined;
}

/** Refuses an index that the key is not for. Whether there is such an index, the answer does not tell. */
export function requireIndex(caller: Caller, index: string): void {
  if (caller.sees(index)) return;
  const error = new HttpError(403, "wrong_index", "the key is not for this index", {
    hint: "send a key for this index",
  });
  throw markRefusedError(error, caller);
}

/** What helps against a key that is unknown, or not good any more. */
const NEW_KEY = "ask the operator of the server for a key; sluice key makes one";

function unauthorizedError(code: string, message: string, hint: string): HttpError {
  return new HttpError(401, code, message, {
    hint,
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

function knownKeys(options: KeyOptions): KnownKey[] {
  return KEY_ACCESS.flatMap((access) =>
    (options[access] ?? []).map((given) =>
      knownKey(access, typeof given === "string" ? { key: given } : given),
    ),
  );
}

/** Checks a key, and keeps its hash. No message holds a part of the key. */
export function knownKey(access: KeyAccess, { key, indexes, expires, name }: KeyEntry): KnownKey {
  const hash = HASHED.test(key) ? Buffer.from(HASHED.exec(key)![1], "hex") : keyHash(checkedKey(key));
  for (const index of indexes ?? []) {
    if (!NAME_PATTERN.test(index))
      throw new SluiceError(`a key is for the index ${JSON.stringify(index)}, which cannot name an index`);
  }
  if (indexes?.length === 0)
    throw new SluiceError("a key is for no index", "name its indexes, or leave them out: all");
  if (name !== undefined && !KEY_NAME.test(name)) {
    throw new SluiceError(
      `${JSON.stringify(name)} cannot name a key`,
      "a name has 1 to 64 letters, digits, ., - and _",
    );
  }
  const ids = indexes && new Set(indexes);
  return {
    hash,
    access,
    expires: expires === undefined ? Number.POSITIVE_INFINITY : timeOf(expires),
    key: name ?? hash.toString("hex").slice(0, SHOWN_DIGITS),
    seesAll: ids === undefined,
    sees: (index) => ids?.has(index) ?? true,
  };
}

function checkedKey(key: string): string {
  if (key.startsWith("sha256:"))
    throw new SluiceError("a key has sha256: without 64 hexadecimal digits", "make one: sluice key");
  if (key.length < MIN_KEY_LENGTH) {
    throw new SluiceError(
      `a key has ${key.length} characters, expected at least ${MIN_KEY_LENGTH}`,
      "make one: sluice key",
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new SluiceError(
      "a key has characters that an HTTP header cannot hold",
      "use letters, digits and punctuation, without spaces",
    );
  return key;
}

/** A day, at its start in UTC, or a time with a zone. Other texts mean other times on other machines. */
function timeOf(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  // Date.parse takes the 30th of February for the 2nd of March.
  const isDay = isTime && new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10));
  const time = isDay ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new SluiceError(
    `${JSON.stringify(text)} is not a day on which a key can expire`,
    "write 2027-01-01, or 2027-01-01T12:00:00Z",
  );
}

export function keyHash(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** Reads keys from SLUICE_READ_KEYS, SLUICE_WRITE_KEYS and SLUICE_ADMIN_KEYS, separated by commas or white space. */
export function keysOfEnvironment(env: Readonly<Record<string, string | undefined>>): KeyOptions {
  const listed = (text = "") => text.split(/[\s,]+/).filter((key) => key !== "");
  return {
    read: listed(env.SLUICE_READ_KEYS),
    write: listed(env.SLUICE_WRITE_KEYS),
    admin: listed(env.SLUICE_ADMIN_KEYS),
  };
}
