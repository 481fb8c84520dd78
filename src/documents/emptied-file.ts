// A file that was read and has no words. The readers of files return it among their documents, so that an upsert can delete the
// passages that the file had. Users do not meet it: a stream that they get hides it, and an index looks behind the stream.

/** What every document has. `Document` is in `document.ts`, which imports this file. */
interface Identified {
  readonly id: string;
}

/** Says that a file was read and has no words. */
export interface EmptiedFile {
  /** The name of the file, which the ids of its passages began with. */
  readonly emptied: string;
  readonly id?: undefined;
}

/** For a public stream: the same stream with the files that lost all their words. */
const streamsWithEmptied = new WeakMap<object, AsyncIterable<Identified | EmptiedFile>>();

export function isEmptiedFile(given: Identified | EmptiedFile): given is EmptiedFile {
  return given.id === undefined && "emptied" in given;
}

/** The documents of a stream. An index that is given what this returns sees the emptied files, too. */
export function hideEmptied<DocumentType extends Identified>(
  stream: AsyncIterable<DocumentType | EmptiedFile>,
): AsyncGenerator<DocumentType> {
  const documents = skipEmptied(stream);
  streamsWithEmptied.set(documents, stream);
  return documents;
}

/** The stream behind one of `hideEmptied`; undefined for other documents. */
export function findEmptied(documents: object): AsyncIterable<Identified | EmptiedFile> | undefined {
  return streamsWithEmptied.get(documents);
}

async function* skipEmptied<DocumentType extends Identified>(
  stream: AsyncIterable<DocumentType | EmptiedFile>,
): AsyncGenerator<DocumentType> {
  for await (const one of stream) if (!isEmptiedFile(one)) yield one;
}
