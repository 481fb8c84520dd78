// A folder with sluice.json, vectors.table and pieces.txt → a static encoder. That of this package is read once: all indexes
// of a program share its table.

import { join } from "node:path";
import { crc32 } from "../../support/bytes/crc32.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseJson } from "../../support/files/json.ts";
import { type EncoderFiles, readModelFile } from "../folder/encoder-folder.ts";
import { isPackaged } from "../folder/packaged-encoders.ts";
import { StaticEncoder } from "./static-encoder.ts";

/** The encoders of this package that are in use, by their names and by what was asked for. */
const shared = new Map<string, WeakRef<StaticEncoder>>();

/** Opens the static encoder of a folder. `described` is the description in an index; it replaces sluice.json. */
export async function openStaticEncoder(files: EncoderFiles, described?: unknown): Promise<StaticEncoder> {
  if (!isPackaged(files.path)) return readStatic(files, described);
  const key = (description: unknown, dims?: number) => JSON.stringify([files.path, description, dims]);
  const held = shared.get(key(described, files.dims))?.deref();
  if (held) return held;
  const encoder = await readStatic(files, described);
  for (const name of [key(described, files.dims), key(encoder.description)])
    shared.set(name, new WeakRef(encoder));
  return encoder;
}

async function readStatic(
  { path, folder, descriptionFile, dims }: EncoderFiles,
  described: unknown,
): Promise<StaticEncoder> {
  const read = async (name: string) => (await readModelFile(folder, name)).toString();
  const description =
    described ?? parseJson(await read(descriptionFile), join(folder, descriptionFile), "ERR_SLUICE_DAMAGED");
  const files = {
    description,
    table: await readModelFile(folder, "vectors.table"),
    pieces: await read("pieces.txt"),
  };
  requirePieces(files.pieces, description, join(folder, "pieces.txt"));
  return new StaticEncoder(path, files, dims);
}

/** The checksum of pieces.txt, whatever ends its lines. sluice.json has it as `pieces`. */
export function piecesChecksum(pieces: string): string {
  return crc32(new TextEncoder().encode(pieces.replaceAll("\r\n", "\n")))
    .toString(16)
    .padStart(8, "0");
}

/** Throws if the pieces do not belong to the rows of the table. A description in an index has no checksum, but a fingerprint. */
function requirePieces(pieces: string, description: unknown, path: string): void {
  const { pieces: expected } = (description ?? {}) as { pieces?: unknown };
  if (expected === undefined || expected === piecesChecksum(pieces)) return;
  throw new SluiceError(
    `${path}: its checksum is ${piecesChecksum(pieces)}, but sluice.json says ${JSON.stringify(expected)}`,
    "restore the files of the encoder",
    "ERR_SLUICE_DAMAGED",
  );
}
