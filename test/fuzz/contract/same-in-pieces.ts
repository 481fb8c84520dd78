// A reader of a stream gives the same documents however the bytes are cut, or an error both times.

import type { FileDocument } from "../../../src/documents/document.ts";
import { readFiles } from "../../../src/read/formats.ts";
import type { FileOptions } from "../../../src/read/index.ts";
import { outcome, requireSameOutcome } from "./target.ts";

/** Lengths of the pieces, one after another. */
const PIECES = [1, 2, 5, 3, 11];

export async function requireSameInPieces(bytes: Uint8Array, options: FileOptions): Promise<void> {
  const whole = await outcome(() => documentsOf([bytes], options));
  const cut = await outcome(() => documentsOf(pieces(bytes), options));
  requireSameOutcome("documents of pieces", cut, whole);
}

async function documentsOf(parts: Iterable<Uint8Array>, options: FileOptions): Promise<FileDocument[]> {
  const found: FileDocument[] = [];
  for await (const document of readFiles({ name: "stream", bytes: parts }, options)) found.push(document);
  return found;
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const length = PIECES[i % PIECES.length];
    yield bytes.slice(at, at + length);
    at += length;
  }
}
