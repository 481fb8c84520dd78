// All texts of a collection → their encodings, kept in a folder for the next time, because encoding is slow. It is for
// experiments, which encode the same collection again and again: all is read, or all is encoded. The
// fingerprints of the encoder and of the texts decide. Commands that add documents keep encodings text by text instead
// (logged-encoder.ts).

import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readTermWeights } from "../read/weights/term-weight-files.ts";
import { readVectors, writeVectors } from "../read/weights/vector-files.ts";
import { Fingerprint } from "../support/bytes/hash.ts";
import { makeFolders } from "../support/files/make-folders.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { Role } from "./contract/description.ts";
import type { Encoder, Encoding } from "./encoder.ts";

export interface NamedText {
  readonly id: string;
  readonly text: string;
}

export interface CachedEncodings {
  readonly encodings: readonly Encoding[];
  /** Whether they were read from the folder. If not, `reason` says why. */
  readonly isReused: boolean;
  readonly reason?: "nothing kept" | "another model" | "other texts";
}

interface CacheManifest {
  readonly model: string;
  readonly texts: string;
  readonly count: number;
}

/** Encodes texts, or reads their encodings if `folder` has them under `name`. */
export async function encodeWithCache(
  encoder: Encoder,
  texts: readonly NamedText[],
  role: Role,
  folder: string,
  name: string,
  options: WorkOptions = {},
): Promise<CachedEncodings> {
  const fingerprint = new Fingerprint();
  for (const { id, text } of texts) fingerprint.add(id).add(text);
  const manifest: CacheManifest = {
    model: encoder.fingerprint,
    texts: fingerprint.toString(),
    count: texts.length,
  };
  const path = join(folder, `${name}.${role}`);
  const reason = await findReasonToEncode(`${path}.json`, manifest);
  if (!reason) return { encodings: await read(path, encoder, texts), isReused: true };
  const encodings = await encoder.encode(
    texts.map(({ text }) => text),
    role,
    options,
  );
  await makeFolders(folder);
  await rm(`${path}.json`, { force: true }); // the files that it describes are about to change
  await write(path, encoder, texts, encodings);
  // The manifest is written last, and in one step: without it the other files are ignored.
  await writeFile(`${path}.json.tmp`, JSON.stringify(manifest));
  await rename(`${path}.json.tmp`, `${path}.json`);
  return { encodings, isReused: false, reason };
}

/** Why the cached encodings cannot be used; undefined if they can. */
async function findReasonToEncode(
  path: string,
  wanted: CacheManifest,
): Promise<CachedEncodings["reason"] | undefined> {
  let cached: CacheManifest;
  try {
    cached = JSON.parse(await readFile(path, "utf8")) as CacheManifest;
  } catch {
    return "nothing kept";
  }
  if (cached.model !== wanted.model) return "another model";
  return cached.texts === wanted.texts && cached.count === wanted.count ? undefined : "other texts";
}

async function write(
  path: string,
  encoder: Encoder,
  texts: readonly NamedText[],
  encodings: readonly Encoding[],
): Promise<void> {
  if (encoder.gives.vector) {
    await writeVectors(`${path}.npy`, new Map(texts.map(({ id }, i) => [id, encodings[i].vector!])));
  }
  for (const [part, file] of TERM_FILES) {
    if (!encoder.gives[part]) continue;
    const line = ({ id }: NamedText, i: number) =>
      `${JSON.stringify({ id, vector: Object.fromEntries(encodings[i][part]!) })}\n`;
    await writeFile(`${path}${file}`, texts.map(line).join(""));
  }
}

/** What is cached by term, and the ending of its file. */
const TERM_FILES = [
  ["weights", ".jsonl"],
  ["termFactors", ".factors.jsonl"],
] as const;

async function read(path: string, encoder: Encoder, texts: readonly NamedText[]): Promise<Encoding[]> {
  const vectors = encoder.gives.vector ? await readVectors(`${path}.npy`) : undefined;
  const byTerm = new Map<string, Pick<Encoding, "weights" | "termFactors">>();
  for (const [part, file] of TERM_FILES) {
    if (!encoder.gives[part]) continue;
    for await (const { id, weights } of readTermWeights(`${path}${file}`))
      byTerm.set(id, { [part]: weights });
  }
  return texts.map(({ id }) => ({ ...(vectors && { vector: vectors.get(id)! }), ...byTerm.get(id) }));
}
