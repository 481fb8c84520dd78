// What comes in: a document as a user has it.

import { UsageError } from "../errors.ts";
import { FLOAT16_MAX } from "../support/float16.ts";
import { isObject, shown } from "../support/options.ts";

/** A document as it comes back: as it was given, without id, weights and vector. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a document that an index reads. */
export interface DocumentFields {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  /** Weights of terms, made elsewhere: for an index whose `lexical` is "weights". */
  readonly weights?: ReadonlyMap<string, number> | Readonly<Record<string, number>>;
  /** The semantic part: an embedding of the text. All documents have one of the same width, or none has. */
  readonly vector?: ArrayLike<number>;
}

/** A document whose other fields can be read by name: what the readers of files return. */
export interface ReadDocument extends DocumentFields {
  readonly [field: string]: unknown;
}

/**
 * What an index is made of. Fields beyond those named here are kept and come back with every hit.
 *
 * Two types, because TypeScript never gives an interface an index signature: the first takes objects of a user's own
 * `interface Article { id: string; … }`, the second takes literals with more fields, such as `{ id: "1", year: 1919 }`.
 */
export type Document = DocumentFields | ReadDocument;

/**
 * Documents, each checked to be an object with an id; an error says which one is not. `around` runs whatever the source
 * does before it returns the next document, or a promise of it.
 */
export function checkedDocuments(
  documents: Iterable<Document> | AsyncIterable<Document>,
  around: <T>(next: () => T) => T,
): Iterable<Document> | AsyncIterable<Document> {
  let count = 0;
  const checked = (next: IteratorResult<Document>) => {
    if (!next.done) checkDocument(next.value, `document ${++count}`);
    return next;
  };
  if (Symbol.asyncIterator in documents) {
    const source = documents[Symbol.asyncIterator]();
    const end = source.return?.bind(source);
    const iterator: AsyncIterator<Document> = {
      next: async () => checked(await around(() => source.next())),
      ...(end && { return: end }),
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }
  const source = documents[Symbol.iterator]();
  const end = source.return?.bind(source);
  const iterator: Iterator<Document> = {
    next: () => checked(around(() => source.next())),
    ...(end && { return: end }),
  };
  return { [Symbol.iterator]: () => iterator };
}

/** Refuses what is no document. `where` names it. */
export function checkDocument(document: unknown, where: string): asserts document is Document {
  if (!isObject(document)) {
    const expected = `${where} is ${shown(document)}, expected an object with an id`;
    throw new UsageError(expected);
  }
  const { id } = document as { id?: unknown };
  if (typeof id !== "string" || id === "") throw new UsageError(`${where}: no id; it must be a text`);
  if (!isWellFormed(id)) {
    throw new UsageError(`${where}: the id ${JSON.stringify(id)} is not well-formed Unicode`);
  }
}

/** Whether every surrogate has its other half: what has not is lost when it is written as UTF-8. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Keeps fields as JSON; an error of JSON, about a BigInt or a cycle, names the document. */
export function keepAsJson(where: string, keep: () => void): void {
  try {
    keep();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${where}: its fields cannot be kept as JSON: ${error.message.split("\n")[0]}`);
  }
}

/** The text that is indexed: the title, a space, the text. */
export function textOf(document: Document, where: string): string {
  for (const field of ["title", "text"] as const) {
    const value = document[field];
    if (value !== undefined && value !== null && typeof value !== "string") {
      throw new UsageError(`${where}: "${field}" is a ${typeof value}, expected a text`);
    }
  }
  return [document.title, document.text].filter(Boolean).join(" ");
}

/** A vector in float32, when every entry is a number that float16 can hold; `what` names it in an error. */
export function checkedVector(vector: ArrayLike<number>, what: string): Float32Array {
  if (!Array.isArray(vector) && !(ArrayBuffer.isView(vector) && !(vector instanceof DataView))) {
    throw new UsageError(`${what} is ${shown(vector)}, expected a list of numbers`);
  }
  const bad = vector instanceof Float32Array ? firstTooLarge(vector) : firstUnsound(vector);
  if (bad >= 0) {
    throw new UsageError(
      `${what}: entry ${bad} is ${shown(vector[bad])}, expected a number of at most ${FLOAT16_MAX}`,
    );
  }
  return new Float32Array(vector);
}

/** Where the first entry is that float16 cannot hold, or −1. By itself, since code for one kind of array is faster. */
function firstTooLarge(vector: Float32Array): number {
  for (let i = 0; i < vector.length; i++) if (!(Math.abs(vector[i]) <= FLOAT16_MAX)) return i;
  return -1;
}

function firstUnsound(vector: ArrayLike<number>): number {
  for (let i = 0; i < vector.length; i++) {
    if (typeof vector[i] !== "number" || !(Math.abs(vector[i]) <= FLOAT16_MAX)) return i;
  }
  return -1;
}
