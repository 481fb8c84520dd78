// What an index recorded of its encoder → the files with which a page encodes queries as that encoder does.

import type { EncoderRecord } from "./encoder-record.ts";
import { openRecordedEncoder } from "./open-encoder.ts";
import { StaticEncoder } from "./static/static-encoder.ts";

/** The table of a static encoder, cut to its dims, and the word pieces of its rows, one a line. */
export interface StaticQueryFiles {
  readonly table: Uint8Array<ArrayBuffer>;
  readonly pieces: string;
}

/** The files of the encoder of queries; undefined if it is not a static one. */
export async function readStaticQueryFiles(encoder: EncoderRecord): Promise<StaticQueryFiles | undefined> {
  const record = encoder.queries ?? encoder;
  if (record.description.kind !== "static") return undefined;
  const opened = await openRecordedEncoder(record);
  return opened instanceof StaticEncoder ? opened.files() : undefined;
}
