// A document as a user gives it: its type, and the checks before anything is done with it.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { FLOAT16_MAX } from "../support/numbers/float16.ts";
import { isObject, showValue } from "../support/options/options.ts";
import { plainValue } from "./dotted-names.ts";
import { findEmptied, isEmptiedFile } from "./emptied-file.ts";
import { readTextsByField, type TextField } from "./text-fields.ts";

/** The fields of a document that an index reads. */
export interface DocumentFields {
  readonly id: string;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
  /** Weights by term that you computed yourself, for an index whose `lexical` is "weights". */
  readonly weights?: ReadonlyMap<string, number> | Readonly<Record<string, number>> | undefined;
  /**
   * Factors by term that multiply BM25's weights of the document, for an index whose `lexical` is "bm25". A term that is left
   * out has the factor 1. Encoders of the kind "anchored" give them.
   */
  readonly termFactors?: ReadonlyMap<string, number> | Readonly<Record<string, number>> | undefined;
  /** A vector for the meaning of the text. Either all documents have one, all of the same length, or none has. */
  readonly vector?: ArrayLike<number> | undefined;
}

/** A document whose other fields can be read by name. The readers of files return it. */
export interface FileDocument extends DocumentFields {
  readonly [field: string]: unknown;
}

/**
 * A document to index. All other fields are kept, and come back with every hit.
 *
 * It is two types because TypeScript never gives an interface an index signature. The first accepts objects of your own
 * `interface Article { id: string; … }`; the second accepts literals with more fields, such as `{ id: "1", year: 1919 }`.
 */
export type Document = DocumentFields | FileDocument;

/**
 * A document as it comes back: as it was given, without id, weights, termFactors and vector. `Fields<Article>` knows your own
 * fields. A union of documents stays a union: `Omit` alone would leave only the fields that all of them have.
 */
// The names are those in ROW_PART_FIELDS, written out for readers of the published types.
export type Fields<DocumentType extends Document = Document> = Document extends DocumentType
  ? Readonly<Record<string, unknown>>
  : DocumentType extends unknown
    ? Readonly<Omit<DocumentType, "id" | "weights" | "termFactors" | "vector">>
    : never;

/** What a caller gives, one after another. */
export type GivenDocuments = Iterable<Document> | AsyncIterable<Document>;

/**
 * Documents, each checked to be an object with an id; an error says which one is not. `whileReading` wraps each call of the source
 * for its next document, or a promise of it. The names of files without words go to `emptied`, which is complete at the end.
 */
export function checkDocuments(
  documents: GivenDocuments,
  whileReading: <T>(next: () => T) => T,
  emptied: Set<string>,
): GivenDocuments {
  let count = 0;
  const checked = (next: IteratorResult<Document>): IteratorResult<Document> => {
    if (!next.done) checkDocument(next.value, `document ${++count}`);
    return next;
  };
  const stream = findEmptied(documents);
  if (stream) {
    const source = stream[Symbol.asyncIterator]();
    return checkedAsync(source, async () => {
      for (;;) {
        const next = await whileReading(() => source.next());
        if (next.done || !isEmptiedFile(next.value)) {
          // The source read the file again, and found words.
          if (!next.done && emptied.size > 0) emptied.delete(fileOf(next.value as Document));
          return checked(next as IteratorResult<Document>);
        }
        emptied.add(next.value.emptied);
      }
    });
  }
  if (Symbol.asyncIterator in documents) {
    const source = documents[Symbol.asyncIterator]();
    return checkedAsync(source, async () => checked(await whileReading(() => source.next())));
  }
  const source = documents[Symbol.iterator]();
  const end = source.return?.bind(source) as Iterator<Document>["return"];
  const iterator: Iterator<Document> = {
    next: () => checked(whileReading(() => source.next())),
    ...(end && { return: end }),
  };
  return { [Symbol.iterator]: () => iterator };
}

/** What `next` gives, with the end of the source. */
function checkedAsync(
  source: AsyncIterator<unknown>,
  next: () => Promise<IteratorResult<Document>>,
): AsyncIterable<Document> {
  const end = source.return?.bind(source) as AsyncIterator<Document>["return"];
  const iterator: AsyncIterator<Document> = { next, ...(end && { return: end }) };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** The name of the file that a passage is from; "" for other documents. */
function fileOf(document: Document): string {
  return (document as { passage?: { of: string } | null }).passage?.of ?? "";
}

/** Throws if the value is not a document. `where` names it in the error. */
function checkDocument(document: unknown, where: string): asserts document is Document {
  if (!isObject(document)) {
    const expected = `${where} is ${showValue(document)}, expected an object with an id`;
    throw new SluiceError(expected);
  }
  const { id } = document as { id?: unknown };
  if (id !== undefined && typeof id !== "string") {
    throw new SluiceError(`${where}: the id is ${showValue(id)}; it must be a text`);
  }
  if (id === undefined)
    throw new SluiceError(
      `${where}: no id; it must be a text`,
      "a document that an index returned gets its id back so: { id, ...document }",
    );
  if (id === "") throw new SluiceError(`${where}: the id is empty`);
  if (!isWellFormed(id)) {
    throw new SluiceError(`${where}: the id ${JSON.stringify(id)} is not well-formed Unicode`);
  }
}

/** Whether every surrogate has its other half. A single half would be lost when it is written as UTF-8. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Throws if a number of the fields is NaN or infinite: JSON would make null of it. `json` is the text of the fields. */
export function checkNumbers(fields: Readonly<Record<string, unknown>>, json: string, where: string): void {
  if (!Object.values(fields).some(mayHoldNumbers) || !json.includes("null")) return;
  const found = findNonFinite(fields, "", "");
  if (!found) return;
  throw new SluiceError(
    `${where}: the field ${JSON.stringify(found.name)} is ${found.value}, which JSON cannot hold`,
    "give a finite number or null, or leave the field out",
  );
}

/** False for what JSON keeps as it is. Most documents have nothing else, so their text need not be searched. */
function mayHoldNumbers(value: unknown): boolean {
  return typeof value === "number"
    ? !Number.isFinite(value)
    : typeof value !== "string" && typeof value !== "boolean";
}

/** The first number that is NaN or infinite, with its dotted name. Elements of a list have the name of the list. */
function findNonFinite(
  given: unknown,
  key: string,
  name: string,
): { readonly name: string; readonly value: number } | undefined {
  const value = plainValue(given, key);
  if (typeof value === "number" && !Number.isFinite(value)) return { name, value };
  if (typeof value !== "object" || value === null) return undefined;
  const prefix = name === "" ? "" : `${name}.`;
  const isList = Array.isArray(value);
  for (const [inner, inside] of Object.entries(value)) {
    const found = findNonFinite(inside, inner, isList ? name : prefix + inner);
    if (found) return found;
  }
  return undefined;
}

/** Whether a document brings what an encoder would give, so that none may encode it. */
export function hasOwnEncoding({ vector, weights, termFactors }: Document): boolean {
  return vector !== undefined || weights !== undefined || termFactors !== undefined;
}

/** The text that is indexed: the title, a space, the text; or the texts of the text fields, with spaces between them. */
export function indexedText(document: Document, where: string, fields?: readonly TextField[]): string {
  if (fields) return readTextsByField(document, fields, where).flat().join(" ");
  const { title, text } = document;
  if (!isTextOrAbsent(title)) throw wrongTextError("title", title, where);
  if (!isTextOrAbsent(text)) throw wrongTextError("text", text, where);
  return title && text ? [title, text].join(" ") : title || text || "";
}

function isTextOrAbsent(value: unknown): boolean {
  return typeof value === "string" || value === undefined || value === null;
}

function wrongTextError(field: string, value: unknown, where: string): SluiceError {
  const found = typeof value === "object" ? showValue(value) : `a ${typeof value}`;
  return new SluiceError(`${where}: "${field}" is ${found}, expected a text`);
}

/**
 * A vector in float32: itself, if it is so already. Throws if an entry is not a number that float16 can hold; `what` names the
 * vector.
 */
export function checkVector(vector: ArrayLike<number>, what: string): Float32Array {
  if (!Array.isArray(vector) && !(ArrayBuffer.isView(vector) && !(vector instanceof DataView))) {
    throw new SluiceError(`${what} is ${showValue(vector)}, expected a list of numbers`);
  }
  if (vector.length === 0) {
    throw new SluiceError(
      `${what} is an empty list, expected a list of numbers`,
      "leave the vector out if there is none",
    );
  }
  const bad = vector instanceof Float32Array ? firstTooLarge(vector) : firstInvalid(vector);
  if (bad >= 0) {
    throw new SluiceError(
      `${what}: entry ${bad} is ${showValue(vector[bad])}, expected a number of at most ${FLOAT16_MAX}`,
    );
  }
  return vector instanceof Float32Array ? vector : new Float32Array(vector);
}

/** The bits of the largest float16, as a float32. Those of larger numbers, infinity and NaN are higher. */
const FLOAT16_MAX_BITS = new Uint32Array(Float32Array.of(FLOAT16_MAX).buffer)[0];

/** The first entry that float16 cannot hold, or −1. It compares bits, which takes a third of the time of comparing numbers. */
function firstTooLarge(vector: Float32Array): number {
  const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length);
  for (let i = 0; i < bits.length; i++) if ((bits[i] & 0x7fffffff) > FLOAT16_MAX_BITS) return i;
  return -1;
}

/** The first entry that is not a number, or that float16 cannot hold; −1 if there is none. */
function firstInvalid(vector: ArrayLike<number>): number {
  for (let i = 0; i < vector.length; i++) {
    if (typeof vector[i] !== "number" || !(Math.abs(vector[i]) <= FLOAT16_MAX)) return i;
  }
  return -1;
}
