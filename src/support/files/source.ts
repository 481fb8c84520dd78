// Where the bytes to read come from: a path, or a stream with a name, such as standard input.

import { wrongValueError } from "../options/options.ts";
import { checkPath } from "./check-path.ts";

/** Bytes that are not in a file. They can be read once. */
export interface ByteStream {
  /** The name in error messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The path of a file, or a stream. Either may be gzip. */
export type FileSource = string | ByteStream;

/** Throws if the value is neither a path nor a stream with a name. */
export function checkFileSource(source: unknown): asserts source is FileSource {
  if (typeof source === "string" || source instanceof URL) {
    checkPath("the path of a file", source);
    return;
  }
  const { name, bytes } = (source ?? {}) as Partial<ByteStream>;
  if (typeof name !== "string" || typeof bytes !== "object" || bytes === null)
    throw wrongValueError("a file", "a path, or a stream: { name, bytes }", source);
}

export function sourceName(source: FileSource): string {
  return typeof source === "string" ? source : source.name;
}
