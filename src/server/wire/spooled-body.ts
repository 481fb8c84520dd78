// The body of a request → a file in a folder of its own. A file that is uploaded is read only after it has arrived, because
// Parquet is read from its end, and a slow client must not hold up other changes.

import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { gunzipStream } from "../../support/files/gzip.ts";
import { limitBytes, receiveBytes, requireType } from "./body.ts";
import { HANG_UP, HttpError } from "./http-errors.ts";
import type { Limits } from "./limits.ts";

/** Types of files that are read, and the ending of a file without a name. A form can send only text/plain. */
export const UPLOAD_TYPES = {
  "application/octet-stream": "",
  "application/json": ".json",
  "application/x-ndjson": ".jsonl",
  "application/jsonl": ".jsonl",
  "text/csv": ".csv",
  "text/markdown": ".md",
  "text/plain": ".txt",
  "application/vnd.apache.parquet": ".parquet",
} as const;

/** Programs may send what a form can send; browsers, which say where they come from, may not. */
function typesFor(request: Request): string[] {
  const isBrowser = request.headers.has("origin") || request.headers.has("sec-fetch-site");
  return Object.keys(UPLOAD_TYPES).filter((type) => !isBrowser || type !== "text/plain");
}

/** A file that was uploaded. */
export interface SpooledFile {
  readonly path: string;
  /** What the client calls it, with an ending that says the format, if that is known. */
  readonly name: string;
  readonly bytes: number;
  remove(): Promise<void>;
}

/** Writes a body to the disk. A gzip file is unpacked, within the limit. */
export async function spoolBody(
  request: Request,
  given: string | undefined,
  limits: Limits,
  signal: AbortSignal,
): Promise<SpooledFile> {
  const type = requireType(request, typesFor(request)) as keyof typeof UPLOAD_TYPES;
  const name = (given ?? `upload${UPLOAD_TYPES[type]}`).replace(/\.gz$/i, "");
  const folder = await mkdtemp(join(tmpdir(), "sluice-upload-"));
  const path = join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const received = receiveBytes(request, limits.streamBytes, { left: () => limits.pauseMs }, signal);
    const plain = limitBytes(gunzipStream(received), limits.streamBytes);
    await pipeline(refuseZeros(plain), createWriteStream(path), { signal });
    await refuseGzip(path);
    return { path, name, bytes: (await stat(path)).size, remove };
  } catch (error) {
    await remove();
    if (signal.aborted) throw signal.reason;
    if (String((error as NodeJS.ErrnoException).code).startsWith("Z_"))
      throw new HttpError(400, "damaged_gzip", "the file is not valid gzip data", { headers: HANG_UP });
    throw error;
  }
}

/** How Parquet begins, with PAR1, and how gzip data does, which has an error of its own. */
const MAY_HAVE_ZEROS = [0x50, 0x1f];

/** Refuses NUL bytes, which no text has, as they arrive: a small gzip file may unpack to many. Parquet may have some. */
async function* refuseZeros(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let mayHaveZeros: boolean | undefined;
  for await (const part of bytes) {
    mayHaveZeros ??= MAY_HAVE_ZEROS.includes(part[0]);
    if (!mayHaveZeros && part.includes(0))
      throw new HttpError(400, "invalid", "the file contains NUL bytes, so it is neither text nor Parquet", {
        headers: HANG_UP,
      });
    yield part;
  }
}

/** A gzip file inside a gzip file would be unpacked again, without a limit. */
async function refuseGzip(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(2), 0, 2, 0);
    if (bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b)
      throw new HttpError(400, "damaged_gzip", "the file is gzip data inside gzip data");
  } finally {
    await file.close();
  }
}
