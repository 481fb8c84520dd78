// Bytes that may be gzip → bytes.

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { withFileErrors } from "./file-error.ts";

/** The first bytes of gzip data. */
const GZIP = [0x1f, 0x8b];

/** The bytes of a stream, unpacked if they begin like gzip. It looks at the content because a pipe has no name. */
export async function* gunzipStream(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = (async function* () {
    yield* source;
  })();
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes < GZIP.length; ) {
    const next = await chunks.next();
    if (next.done) break;
    first.push(next.value);
    bytes += next.value.byteLength;
  }
  const rest = async function* () {
    yield* first.splice(0);
    yield* chunks;
  };
  const start = first.flatMap((chunk) => [...chunk.subarray(0, GZIP.length)]);
  if (!GZIP.every((byte, i) => start[i] === byte)) {
    yield* rest();
    return;
  }
  const gunzip = createGunzip();
  pipeline(rest(), gunzip).catch(() => {}); // the reader of gunzip gets the error
  yield* gunzip as AsyncIterable<Uint8Array>;
}

/** Throws if a file is gzip data that is damaged. It reads the whole file. */
export async function requireWholeGzip(path: string): Promise<void> {
  await withFileErrors(path, async () => {
    for await (const _ of gunzipStream(createReadStream(path))) {
      // only an error counts
    }
  });
}
