// A document whose vector is in float16 already, as an index stores it. A thread rounds the vectors of many documents, which then
// wait side by side: an array for each would keep the garbage collector busy.

import type { Document } from "../../documents/document.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";

/** A vector beside others. */
export interface HalfVector {
  /** float16 bits of vectors, one after another. Nobody changes them. */
  readonly halves: Uint16Array;
  /** Which of the vectors it is. */
  readonly number: number;
  /** Its length. */
  readonly length: number;
}

export class EncodedDocument {
  /** The document as the user gave it: without a vector. */
  readonly document: Document;
  readonly vector: HalfVector;

  constructor(document: Document, vector: HalfVector) {
    this.document = document;
    this.vector = vector;
  }

  /** The document with its vector, for whoever has no use for float16. */
  withVector(): Document {
    const { halves, number, length } = this.vector;
    return { ...this.document, vector: toFloat32s(halves.subarray(number * length, (number + 1) * length)) };
  }
}
