// Keeps encodings in a folder and reads them again, because encoding is slow. They are used only if the encoder and the
// texts are the same, which their fingerprints tell.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readVectors, writeVectors } from "../read/vector-files.ts";
import { Fingerprint } from "../support/hash.ts";
import { readTermWeights } from "../weigh/term-weight-files.ts";
import type { Role } from "./description.ts";
import type { EncodeOptions, Encoder, Encoding } from "./encoder.ts";

export interface NamedText {
  readonly id: string;
  readonly text: string;
}

export interface KeptEncodings {
  readonly encodings: Encoding[];
  /** Whether they were read from the folder. If not, `reason` says why. */
  readonly reused: boolean;
  readonly reason?: "nothing kept" | "another model" | "other texts";
}

interface Manifest {
  readonly model: string;
  readonly texts: string;
  readonly count: number;
}

/** Encodes texts, or reads their encodings if `folder` has them under `name`. */
export async function encodeKept(
  encoder: Encoder,
  texts: readonly NamedText[],
  role: Role,
  folder: string,
  name: string,
  options: EncodeOptions = {},
): Promise<KeptEncodings> {
  const fingerprint = new Fingerprint();
  for (const { id, text } of texts) fingerprint.add(id).add(text);
  const manifest: Manifest = {
    model: encoder.fingerprint,
    texts: fingerprint.toString(),
    count: texts.length,
  };
  const path = join(folder, `${name}.${role}`);
  const reason = await staleness(`${path}.json`, manifest);
  if (!reason) return { encodings: await read(path, encoder, texts), reused: true };
  const encodings = await encoder.encode(
    texts.map(({ text }) => text),
    role,
    options,
  );
  await mkdir(folder, { recursive: true });
  await rm(`${path}.json`, { force: true }); // the files that it describes are about to change
  await write(path, encoder, texts, encodings);
  // The manifest is written last, and in one step: without it the other files are ignored.
  await writeFile(`${path}.json.tmp`, JSON.stringify(manifest));
  await rename(`${path}.json.tmp`, `${path}.json`);
  return { encodings, reused: false, reason };
}

async function staleness(path: string, wanted: Manifest): Promise<KeptEncodings["reason"] | undefined> {
  let kept: Manifest;
  try {
    kept = JSON.parse(await readFile(path, "utf8")) as Manifest;
  } catch {
    return "nothing kept";
  }
  if (kept.model !== wanted.model) return "another model";
  return kept.texts === wanted.texts && kept.count === wanted.count ? undefined : "other texts";
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
  if (encoder.gives.weights) {
    const line = ({ id }: NamedText, i: number) =>
      `${JSON.stringify({ id, vector: Object.fromEntries(encodings[i].weights!) })}\n`;
    await writeFile(`${path}.jsonl`, texts.map(line).join(""));
  }
}

async function read(path: string, encoder: Encoder, texts: readonly NamedText[]): Promise<Encoding[]> {
  const vectors = encoder.gives.vector ? await readVectors(`${path}.npy`) : undefined;
  const weights = new Map<string, ReadonlyMap<string, number>>();
  if (encoder.gives.weights) {
    for await (const { id, weights: bag } of readTermWeights(`${path}.jsonl`)) weights.set(id, bag);
  }
  return texts.map(({ id }) => ({
    ...(vectors && { vector: vectors.get(id)! }),
    ...(encoder.gives.weights && { weights: weights.get(id)! }),
  }));
}
