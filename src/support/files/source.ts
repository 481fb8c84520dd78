// Where the bytes to read come from: a path, or a stream with a name, such as standard input.

/** Bytes that are not in a file. They can be read once. */
export interface ByteStream {
  /** The name in error messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The path of a file, or a stream. Either may be gzip. */
export type FileSource = string | ByteStream;

export function sourceName(source: FileSource): string {
  return typeof source === "string" ? source : source.name;
}
