// Where the bytes of a file come from: a path, or a stream that has a name, such as standard input.

/** Bytes that are in no file, to be read once. */
export interface ByteStream {
  /** What messages call it. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The path of a file, or a stream in its place. Either may be gzip. */
export type FileSource = string | ByteStream;

export function nameOf(source: FileSource): string {
  return typeof source === "string" ? source : source.name;
}
