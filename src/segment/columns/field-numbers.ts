// A column → the number of every document in the field, and the range of the numbers in each block of documents. A segment
// makes them once for a field, when a search is first boosted by it.

import { toNumber } from "../../documents/boost.ts";
import { WINDOW_DOCS } from "../rows/windows.ts";
import type { Column } from "./column.ts";

/** The numbers of a field. Plain data over shared memory, if there is any, so that threads get it without a copy. */
export interface FieldNumbers {
  /** By local; NaN: the document has no number. */
  readonly numbers: Float64Array;
  readonly blockDocs: number;
  readonly blocks: readonly NumberRange[];
}

/** The range of some documents' numbers. `least` is above `greatest` if none has a number. */
interface NumberRange {
  readonly least: number;
  readonly greatest: number;
  /** Whether every document has a number. */
  readonly isComplete: boolean;
}

export function readFieldNumbers(column: Column, docs: number): FieldNumbers {
  const numbers = new Float64Array(sharedBuffer(docs * Float64Array.BYTES_PER_ELEMENT)).fill(Number.NaN);
  const ofCode = new Map<number, number>();
  const numberOfCode = (code: number) => {
    let number = ofCode.get(code);
    if (number === undefined) {
      number = toNumber(column.entry(code)) ?? Number.NaN;
      ofCode.set(code, number);
    }
    return number;
  };
  for (let i = 0; i < column.codes.length; i++) {
    if (column.codes[i] !== 0) numbers[column.docs ? column.docs[i] : i] = numberOfCode(column.codes[i]);
  }
  return withBlocks(numbers);
}

/** Numbers with the ranges of their blocks. */
export function withBlocks(numbers: Float64Array, blockDocs = WINDOW_DOCS): FieldNumbers {
  const blocks = Array.from({ length: Math.ceil(numbers.length / blockDocs) }, (_, block) => {
    let [least, greatest, isComplete] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true];
    for (const number of numbers.subarray(block * blockDocs, (block + 1) * blockDocs)) {
      if (Number.isNaN(number)) isComplete = false;
      else [least, greatest] = [Math.min(least, number), Math.max(greatest, number)];
    }
    return { least, greatest, isComplete };
  });
  return { numbers, blockDocs, blocks };
}

/** Pages have no shared memory unless their server isolates them. They have no threads that scan, either. */
function sharedBuffer(bytes: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}
