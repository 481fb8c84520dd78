// Texts → a teacher's vectors, turned so that their first dims hold the most, cut to the dims of the table and rounded to
// int8. They are kept in a folder, because a teacher takes hours on a CPU and minutes on a GPU.

import { readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Role } from "../../../encode/contract/description.ts";
import { Encoder } from "../../../encode/encoder.ts";
import { type Int8Table, packTable, parseTable, quantizeTable } from "../../../encode/static/table-file.ts";
import { Fingerprint } from "../../../support/bytes/hash.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { makeFolders } from "../../../support/files/make-folders.ts";
import type { OnProgress } from "../../../support/options/progress.ts";
import type { Pairs } from "./pairs.ts";
import { type Rotation, rotationOf, turnInto } from "./principal-rotation.ts";
import type { StaticConfig } from "./static-config.ts";

interface TeacherVectors {
  readonly queries: Int8Table;
  readonly passages: Int8Table;
  readonly rotation: Rotation;
}

/** Vectors that decide the rotation, half of them of queries. More change little. */
const ROTATION_SAMPLE = 8_000;
/** Texts that are encoded before their vectors are cut and rounded. */
const AT_ONCE = 16_384;

interface EncodingWork {
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the teacher's vectors from `teacher.keep`, or asks the teacher and keeps what it says. */
export async function loadTeacherVectors(
  config: StaticConfig,
  pairs: Pairs,
  work: EncodingWork = {},
): Promise<TeacherVectors> {
  const { keep } = config.teacher;
  const wanted = fingerprintOf(config, pairs);
  const kept = await readFile(join(keep, "texts.txt"), "utf8").catch(() => undefined);
  if (kept !== undefined && kept.trim() !== wanted) {
    throw new SluiceError(
      `${keep} has a teacher's vectors of other texts or another teacher`,
      "choose another folder for teacher.keep, or delete this one",
    );
  }
  if (kept === undefined) await keepVectors(config, pairs, wanted, work);
  const read = async (name: string) => {
    const path = join(keep, `${name}.table`);
    return parseTable(await readFile(path), path);
  };
  const directions = await readFile(join(keep, "rotation.f64"));
  return {
    queries: await read("queries"),
    passages: await read("passages"),
    rotation: {
      dims: config.dims,
      from: directions.length / Float64Array.BYTES_PER_ELEMENT / config.dims,
      directions: new Float64Array(new Uint8Array(directions).buffer),
    },
  };
}

/** Opens the teacher. */
export function openTeacherEncoder({ teacher }: StaticConfig): Promise<Encoder> {
  const { encoder, provider, description } = teacher;
  return Encoder.open(encoder, { provider, ...(description && { description }) });
}

async function keepVectors(
  config: StaticConfig,
  { queries, passages }: Pairs,
  fingerprint: string,
  { onProgress, signal }: EncodingWork,
): Promise<void> {
  const { keep } = config.teacher;
  const encoder = await openTeacherEncoder(config);
  try {
    let before = 0;
    const encode = async (texts: readonly string[], role: Role) => {
      const encodings = await encoder.encode(texts, role, {
        onProgress: ({ task, done }) =>
          onProgress?.({ task, done: before + done, total: queries.length + passages.length }),
        ...(signal && { signal }),
      });
      before += texts.length;
      return encodings.map(({ vector }) => vector!);
    };
    const rotation = rotationOf(
      [
        ...(await encode(queries.slice(0, ROTATION_SAMPLE / 2), "query")),
        ...(await encode(passages.slice(0, ROTATION_SAMPLE / 2), "passage")),
      ],
      config.dims,
    );
    before = 0;
    await makeFolders(keep);
    const { buffer } = rotation.directions;
    await writeFile(join(keep, "rotation.f64"), new Uint8Array(buffer));
    for (const [name, texts, role] of [
      ["queries", queries, "query"],
      ["passages", passages, "passage"],
    ] as const) {
      const table = await encodeTable(texts, rotation, (some) => encode(some, role));
      await writeFile(join(keep, `${name}.table`), packTable(table));
    }
    // Written last, and in one step: without it the other files are ignored.
    await writeFile(join(keep, "texts.tmp"), fingerprint);
    await rename(join(keep, "texts.tmp"), join(keep, "texts.txt"));
  } finally {
    await encoder.close();
  }
}

/** The turned and rounded vectors of texts. */
export async function encodeTable(
  texts: readonly string[],
  rotation: Rotation,
  encode: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<Int8Table> {
  const { dims } = rotation;
  const numbers = new Float32Array(texts.length * dims);
  for (let start = 0; start < texts.length; start += AT_ONCE) {
    const vectors = await encode(texts.slice(start, start + AT_ONCE));
    vectors.forEach((vector, i) => {
      turnInto(vector, rotation, numbers.subarray((start + i) * dims, (start + i + 1) * dims));
    });
  }
  return quantizeTable(numbers, dims);
}

/** A hash of what the vectors depend on. */
export function fingerprintOf(
  { teacher: { encoder, description }, dims }: StaticConfig,
  { queries, passages }: Pairs,
): string {
  const hash = new Fingerprint().add(JSON.stringify([basename(encoder), description, dims]));
  for (const texts of [queries, passages]) {
    for (const text of texts) hash.add(text);
  }
  return hash.toString();
}
