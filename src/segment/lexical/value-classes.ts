// Values of postings ↔ small numbers. A BM25 value depends on how often a term occurs in a document and on the document's
// length. So documents with the same smallest value have the same few values: once, twice, three times. They are a class. A
// value is kept as its rank among the values of its document's class, which is nearly always 0 or 1. Learned weights depend
// on no length; all documents are then one class.

import { damagedSegmentError } from "../container/segment-error.ts";
import { splitIntoWindows } from "../rows/windows.ts";
import type { PostingLists } from "./postings.ts";

export interface ValueClasses {
  /** By document: its class. Empty if all documents have the same class. */
  readonly valueClasses: Uint8Array;
  /** By class, and once more at the end: where its values begin. */
  readonly classStarts: Uint32Array;
  /** By class: its values, ascending, float16 bits. */
  readonly classValues: Uint16Array;
}

/** How many float16 numbers are not negative. */
const VALUES = 0x8000;

/** The most classes: the numbers of a byte. */
export const MOST_CLASSES = 256;

/** Chooses classes, and counts how often each value occurs. */
export function classifyValues(
  lists: PostingLists,
  docs: number,
  windowDocs: number,
): { classes: ValueClasses; counts: Uint32Array } {
  const smallest = smallestValues(lists, docs, windowDocs);
  const classOf = new Map([...new Set(smallest)].sort((a, b) => a - b).map((value, i) => [value, i]));
  if (classOf.size > MOST_CLASSES) return oneClass(countValues(lists.postingValues));
  const valueClasses = Uint8Array.from(smallest, (value) => classOf.get(value)!);
  const table = countByClass(lists, valueClasses, Math.max(1, classOf.size), windowDocs);
  const counts = new Uint32Array(VALUES);
  for (let i = 0; i < table.length; i++) counts[i % VALUES] += table[i];
  const single = oneClass(counts);
  const { chains, bits } = chainValues(table);
  // A byte a document must be saved again by its postings.
  if (bits + 8 * docs >= chainValues(counts).bits) return single;
  return { classes: { valueClasses, ...joinChains(chains) }, counts };
}

function oneClass(counts: Uint32Array): { classes: ValueClasses; counts: Uint32Array } {
  return { classes: { valueClasses: new Uint8Array(0), ...joinChains(chainValues(counts).chains) }, counts };
}

/** By class: its values, ascending. `bits`: about what the ranks of all postings and the values themselves take. */
function chainValues(table: Uint32Array): { chains: number[][]; bits: number } {
  const chains: number[][] = [];
  let bits = 0;
  for (let start = 0; start < table.length; start += VALUES) {
    const chain: number[] = [];
    for (let value = 0; value < VALUES; value++) {
      const count = table[start + value];
      if (count === 0) continue;
      bits += count * (32 - Math.clz32(chain.length)) + 16;
      chain.push(value);
    }
    chains.push(chain);
  }
  return { chains, bits };
}

function joinChains(chains: readonly number[][]): Pick<ValueClasses, "classStarts" | "classValues"> {
  const classStarts = new Uint32Array(chains.length + 1);
  for (const [i, { length }] of chains.entries()) classStarts[i + 1] = classStarts[i] + length;
  return { classStarts, classValues: Uint16Array.from(chains.flat()) };
}

/** Throws if a document has a class, or a class a value, that does not exist. Do it before lists are read. */
export function requireClasses({ valueClasses, classStarts, classValues }: ValueClasses): void {
  const classes = classStarts.length - 1;
  let isSound = classes > 0 && classStarts[0] === 0 && classStarts[classes] === classValues.length;
  for (let own = 0; own < classes; own++) {
    const values = classStarts[own + 1] - classStarts[own];
    if (values < 0 || values > VALUES) isSound = false;
  }
  for (let doc = 0; doc < valueClasses.length; doc++) if (valueClasses[doc] >= classes) isSound = false;
  if (!isSound) throw damagedSegmentError("its classes of values are out of range");
}

/** By class and value: the rank of the value. */
export function rankValues({ classStarts, classValues }: ValueClasses): Uint16Array {
  const classes = classStarts.length - 1;
  const ranks = new Uint16Array(classes * VALUES);
  for (let own = 0; own < classes; own++) {
    for (let i = classStarts[own]; i < classStarts[own + 1]; i++)
      ranks[own * VALUES + classValues[i]] = i - classStarts[own];
  }
  return ranks;
}

/** Where the ranks of a class are in `rankValues`. */
export function ranksAt(valueClass: number): number {
  return valueClass * VALUES;
}

function countValues(values: Uint16Array): Uint32Array {
  const counts = new Uint32Array(VALUES);
  for (let i = 0; i < values.length; i++) counts[values[i]]++;
  return counts;
}

/** By document: its smallest value; larger than any value if it has none. */
function smallestValues(
  { windowCells, cellStarts, postingDocs, postingValues }: PostingLists,
  docs: number,
  windowDocs: number,
): Uint16Array {
  const smallest = new Uint16Array(docs).fill(VALUES);
  for (const [w, { first }] of splitIntoWindows(docs, windowDocs).entries()) {
    const end = cellStarts[windowCells[w + 1]];
    for (let i = cellStarts[windowCells[w]]; i < end; i++) {
      const doc = first + postingDocs[i];
      if (postingValues[i] < smallest[doc]) smallest[doc] = postingValues[i];
    }
  }
  return smallest;
}

/** By class and value: how often it occurs. */
function countByClass(
  { windowCells, cellStarts, postingDocs, postingValues }: PostingLists,
  valueClasses: Uint8Array,
  classes: number,
  windowDocs: number,
): Uint32Array {
  const table = new Uint32Array(classes * VALUES);
  for (const [w, { first }] of splitIntoWindows(valueClasses.length, windowDocs).entries()) {
    const end = cellStarts[windowCells[w + 1]];
    for (let i = cellStarts[windowCells[w]]; i < end; i++) {
      table[valueClasses[first + postingDocs[i]] * VALUES + postingValues[i]]++;
    }
  }
  return table;
}
