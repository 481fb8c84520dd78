// A document that is about to be written → the parts that are kept of it, checked. Errors name it by its ordinal in the call.

import { checkNumbers, checkVector, type Document, type Fields } from "../../documents/document.ts";
import { collectMetadata, type Metadata } from "../../documents/filter.ts";
import type { HalfVector } from "../../encode/contract/encoded-document.ts";
import { isPassage, parsePassageId } from "../../passages/passage.ts";
import { LONGEST_ID } from "../../segment/rows/ids.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { BufferedVector } from "./buffer.ts";

/** The most bytes of UTF-8 that a unit of UTF-16 takes. */
const MOST_UTF8 = 3;

/** The parts of a document that are kept. */
interface KeptParts {
  /** The fields of the document, as JSON: all but id, weights, termFactors and vector. */
  readonly json: string;
  /** The fields that can be filtered. */
  readonly metadata: Metadata;
  readonly vector: BufferedVector | undefined;
}

/**
 * What is kept of a document. `semanticDims` is the width of the vectors before it; undefined if there are no documents. A vector
 * that an encoder gave it in float16 is not checked again.
 */
export function toKeptParts(
  document: Document,
  where: string,
  semanticDims: number | undefined,
  encoded?: HalfVector,
): KeptParts {
  const { id, weights, termFactors, vector, ...fields } = document;
  checkDims(encoded ?? vector, where, semanticDims);
  const checked = vector === undefined ? undefined : checkVector(vector, `${where}: its vector`);
  const json = toJson(fields, where);
  checkNumbers(fields, json, where);
  return { vector: encoded ?? checked, json, metadata: collectMetadata(fields) };
}

/** Throws if an id is too long for a key of the database. Whether it is a text was checked before: see documents/document.ts. */
export function checkIdLength(id: string, ordinal: number): void {
  if (MOST_UTF8 * id.length <= LONGEST_ID) return;
  const bytes = Buffer.byteLength(id);
  if (bytes <= LONGEST_ID) return;
  throw new SluiceError(
    `document ${ordinal}: the id takes ${bytes} bytes, at most ${LONGEST_ID} fit: ${JSON.stringify(id.slice(0, 40))}…`,
  );
}

/** The error for a document whose id another one has: one of the same call or of an earlier one, or one of the last commit. */
export function duplicateIdError(id: string, ordinal: number, isCommitted: boolean): SluiceError {
  const named = `document ${ordinal}: the id ${JSON.stringify(id)}`;
  return isCommitted
    ? new SluiceError(
        `${named} is in the index already`,
        "upsert replaces a document",
        "ERR_SLUICE_DUPLICATE_ID",
      )
    : new SluiceError(`${named} comes twice`, undefined, "ERR_SLUICE_DUPLICATE_ID");
}

/**
 * Throws if a passage would replace a document that is no passage, or such a document a passage: only their ids are alike.
 * `readFields` gives the fields of the document that is there.
 */
export function checkReplaced(document: Document, ordinal: number, readFields: () => Fields): void {
  const { id } = document;
  const parts = parsePassageId(id);
  if (!parts) return;
  const isNewPassage = isPassage(id, document);
  if (isNewPassage === isPassage(id, readFields())) return;
  const passage = `passage ${parts.number} of ${JSON.stringify(parts.of)}`;
  throw new SluiceError(
    isNewPassage
      ? `document ${ordinal}: ${passage} has the id ${JSON.stringify(id)}, and so has a document of its own`
      : `document ${ordinal}: the id ${JSON.stringify(id)} is that of ${passage}`,
    "give one of them another id, or delete the older one first",
  );
}

function toJson(fields: object, where: string): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    throw new SluiceError(`${where}: its fields cannot be stored as JSON: ${(error as Error).message}`);
  }
}

function checkDims(
  vector: { readonly length: number } | undefined,
  where: string,
  width: number | undefined,
): void {
  if (width !== undefined && (vector?.length ?? 0) !== width) {
    throw new SluiceError(
      `${where}: ${describeVector(vector?.length ?? 0)}, but the documents before it have ${describeVector(width)}`,
      "all documents of an index have vectors with the same number of dims, or none has",
    );
  }
}

function describeVector(dims: number): string {
  return dims === 0 ? "no vector" : `a vector with ${dims} dims`;
}
