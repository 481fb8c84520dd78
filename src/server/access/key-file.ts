// A file of keys. A line is a key with its bounds:
//
//   LINE := ACCESS KEY [index=NAME,NAME…] [expires=DAY] [name=NAME] [# COMMENT]
//   ACCESS := read | write | admin
//   KEY := the key itself | sha256:HEX
//
// A hash instead of a key means that a stolen file opens nothing.

import { randomBytes } from "node:crypto";
import { SluiceError } from "../../index.ts";
import { KEY_ACCESS, type KeyAccess } from "../../schemas/shared/key-access.ts";
import { readText } from "../../support/files/text-file.ts";
import { type KeyEntry, type KeyOptions, keyHash, knownKey } from "./keys.ts";

/** The bounds of a key in a line, by their names, and the options that they are. */
const BOUNDS: Readonly<Record<string, (value: string) => Partial<KeyEntry>>> = {
  index: (value) => ({ indexes: value.split(",").filter((name) => name !== "") }),
  expires: (expires) => ({ expires }),
  name: (name) => ({ name }),
};

/** Reads keys from a file. */
export async function keysOfFile(path: string): Promise<KeyOptions> {
  const keys: Record<KeyAccess, KeyEntry[]> = { read: [], write: [], admin: [] };
  for (const [i, line] of (await readText(path)).split(/\r?\n/).entries()) {
    const words = line.replace(/#.*/, "").split(/\s+/).filter(Boolean);
    if (words.length === 0) continue;
    try {
      const [access, entry] = entryOf(words);
      knownKey(access, entry);
      keys[access].push(entry);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      throw new SluiceError(`${path}:${i + 1}: ${error.problem}`, error.hint);
    }
  }
  if (Object.values(keys).every((entries) => entries.length === 0))
    throw new SluiceError(`${path}: there is no key in this file`, "make one: sluice key");
  return keys;
}

function entryOf([access, key, ...bounds]: string[]): [KeyAccess, KeyEntry] {
  if (!KEY_ACCESS.includes(access as KeyAccess) || key === undefined)
    throw new SluiceError('expected "read KEY", "write KEY" or "admin KEY"');
  let entry: KeyEntry = { key };
  for (const bound of bounds) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(bound) ?? [];
    // The word itself is not told: it may be a part of a key.
    if (!Object.hasOwn(BOUNDS, name))
      throw new SluiceError("expected index=NAMES, expires=DAY or name=NAME after the key");
    entry = { ...entry, ...BOUNDS[name](value) };
  }
  return [access as KeyAccess, entry];
}

/** Makes a random key of 256 bits, and the line of a file of keys that lets it in: the line has its hash, not the key. */
export function newKey(
  access: KeyAccess,
  bounds: Omit<KeyEntry, "key"> = {},
): { readonly key: string; readonly line: string } {
  const key = `sluice_${randomBytes(32).toString("base64url")}`;
  const hashed = `sha256:${keyHash(key).toString("hex")}`;
  const known = knownKey(access, { ...bounds, key: hashed });
  if (Date.now() >= known.expires) {
    throw new SluiceError(
      `the key would expire at ${new Date(known.expires).toISOString()}, which is past`,
      "name a day in the future",
    );
  }
  const { indexes, expires, name } = bounds;
  const words = [
    access,
    hashed,
    ...(indexes ? [`index=${indexes.join(",")}`] : []),
    ...(expires !== undefined ? [`expires=${expires}`] : []),
    ...(name !== undefined ? [`name=${name}`] : []),
  ];
  return { key, line: words.join(" ") };
}
