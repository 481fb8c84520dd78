// Term → cell: which slice a term competes in, and which of the slice's terms it is. The rule lives here and nowhere
// else; an index, a file of queries and a model carry its settings, and refuse each other when they differ.

import { UsageError } from "../errors.ts";
import { Fingerprint, hash32 } from "../support/hash.ts";
import { shuffled } from "../support/random.ts";
import type { Vocabulary } from "./vocabulary.ts";

export const STRATEGIES = ["stride", "contiguous", "random", "hashed", "spread", "full"] as const;

/**
 * - `stride`: neighbouring ids go to neighbouring slices (the paper's default)
 * - `contiguous`: neighbouring ids share a slice (the paper's counter-example)
 * - `random`: stride over a seeded permutation of the ids
 * - `hashed`: the cell is a hash of the word itself, so that indexes agree on it without sharing a vocabulary
 * - `spread`: words that occur together go to different slices (spread.ts)
 * - `full`: a slice for every term, nothing lost
 */
export type Strategy = (typeof STRATEGIES)[number];

/** Everything that decides a cell. Two rows can be compared when their settings are equal field by field. */
export interface Settings {
  readonly strategy: Strategy;
  /** Slices: M in the paper. */
  readonly dims: number;
  /** Terms a slice has room for: N in the paper. */
  readonly perSlice: number;
  /** Leading vocabulary ids thrown away: D in the paper. */
  readonly discard: number;
  /** Vocabulary size: V in the paper. */
  readonly terms: number;
  /** Fingerprint of the vocabulary. */
  readonly vocabulary: string;
  /** `random`: seed of the permutation, made by mulberry32 and Fisher–Yates. */
  readonly seed?: number;
  /** `spread`, or `random` with a permutation of its own: fingerprint of the table. */
  readonly table?: string;
}

export interface SlicingOptions {
  strategy: Strategy;
  /** Ignored by `full`. */
  dims?: number;
  /** Leading ids to throw away, instead of what the rule of SPEC 1.2 says. */
  discard?: number;
  /** For `random`; 0 when left out. */
  seed?: number;
  /** For `random`, instead of a seed: a permutation of 0 … dims·perSlice − 1. For `spread`: the slice of each id. */
  table?: Uint32Array;
}

/** The slice of an id that was thrown away. */
export const DISCARDED = 0xffff_ffff;

/** uint16 indices reach this far. */
const MOST_PER_SLICE = 65_536;

export class Slicing {
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  /** By id: the slice, or DISCARDED. */
  readonly slices: Uint32Array;
  /** By id: the index within the slice. */
  readonly indices: Uint16Array;
  /** What `settings.table` is the fingerprint of. */
  readonly table: Uint32Array | undefined;
  #idOfCell: Map<number, number> | undefined;
  #sharers: Map<number, string[]> | undefined;

  /** `begun` is the slicing of a shorter vocabulary, of the same strategy: its cells are taken over. */
  constructor(vocabulary: Vocabulary, options: SlicingOptions, begun?: Slicing) {
    const { strategy, table, seed = 0 } = options;
    this.vocabulary = vocabulary;
    this.table = table;
    const dims = strategy === "full" ? Math.max(1, vocabulary.size) : checkedDims(options.dims);
    const room = roomFor(vocabulary, dims, options);
    if (room.perSlice > MOST_PER_SLICE) {
      const enough = Math.ceil(vocabulary.size / MOST_PER_SLICE);
      throw new UsageError(
        `${vocabulary.size} terms in ${dims} slices make ${room.perSlice} a slice; at most ${MOST_PER_SLICE} fit`,
        `use at least ${enough} dims`,
      );
    }
    this.settings = {
      strategy,
      dims,
      ...room,
      terms: vocabulary.size,
      vocabulary: vocabulary.fingerprint,
      ...(strategy === "random" && !table && { seed }),
      ...(table && { table: fingerprintOf(table) }),
    };
    this.slices = new Uint32Array(vocabulary.size).fill(DISCARDED);
    this.indices = new Uint16Array(vocabulary.size);
    this.slices.set(begun?.slices ?? []);
    this.indices.set(begun?.indices ?? []);
    this.#place(seed, begun?.vocabulary.size ?? this.settings.discard);
  }

  /** The slicing of a longer vocabulary that begins with this one's: no term of this one moves. */
  extended(vocabulary: Vocabulary): Slicing {
    const { strategy, dims } = this.settings;
    if (vocabulary.size === this.vocabulary.size) return this;
    if (!isExtendable(strategy)) {
      throw new UsageError(
        `${strategy} slicing has no place for new terms, such as ${JSON.stringify(vocabulary.term(this.vocabulary.size))}`,
        "use spread, hashed or full slicing for documents that come later",
      );
    }
    const table = strategy === "spread" ? this.#longerTable(vocabulary) : undefined;
    return new Slicing(vocabulary, { strategy, dims, ...(table && { table }) }, this);
  }

  /** New terms go to the slice of their hash, or to the next one with room. */
  #longerTable(vocabulary: Vocabulary): Uint32Array {
    const { dims } = this.settings;
    const known = this.vocabulary.size;
    if (vocabulary.size > dims * MOST_PER_SLICE) {
      throw new UsageError(`${vocabulary.size} terms do not fit into ${dims} slices of ${MOST_PER_SLICE}`);
    }
    const table = new Uint32Array(vocabulary.size);
    table.set(this.slices);
    const sizes = sizesOf(this.slices, dims);
    for (let id = known; id < vocabulary.size; id++) {
      let slice = hashedSlice(vocabulary.term(id), dims);
      while (sizes[slice] >= MOST_PER_SLICE) slice = (slice + 1) % dims;
      table[id] = slice;
      sizes[slice]++;
    }
    return table;
  }

  /** Terms that share their cell with an earlier one: possible only where cells are hashed. */
  get sharedCells(): number {
    let kept = 0;
    for (const slice of this.slices) if (slice !== DISCARDED) kept++;
    return kept - this.#cells().size;
  }

  /** The id a cell stands for; undefined for padding. Where two hashed words share a cell, the lower id. */
  idAt(slice: number, index: number): number | undefined {
    return this.#cells().get(slice * this.settings.perSlice + index);
  }

  /** The term a cell stands for, as text; all of them where hashed words share it; undefined for padding. */
  termAt(slice: number, index: number): string | undefined {
    const id = this.idAt(slice, index);
    if (id === undefined || this.settings.strategy !== "hashed")
      return id === undefined ? id : this.vocabulary.term(id);
    this.#sharers ??= this.#sharing();
    return [this.vocabulary.term(id), ...(this.#sharers.get(id) ?? [])].join(" | ");
  }

  /** By the lowest id of a cell, the other terms in it. */
  #sharing(): Map<number, string[]> {
    const sharers = new Map<number, string[]>();
    for (let id = 0; id < this.slices.length; id++) {
      const first = this.idAt(this.slices[id], this.indices[id])!;
      if (first !== id) sharers.set(first, [...(sharers.get(first) ?? []), this.vocabulary.term(id)]);
    }
    return sharers;
  }

  #cells(): Map<number, number> {
    if (!this.#idOfCell) {
      this.#idOfCell = new Map();
      for (let id = this.slices.length - 1; id >= 0; id--) {
        if (this.slices[id] === DISCARDED) continue;
        this.#idOfCell.set(this.slices[id] * this.settings.perSlice + this.indices[id], id);
      }
    }
    return this.#idOfCell;
  }

  /** Gives every id its cell, beginning with `first`. */
  #place(seed: number, first: number): void {
    const { strategy, dims, perSlice, discard } = this.settings;
    const { slices, indices, vocabulary, table } = this;
    const permutation = strategy === "random" ? (table ?? shuffled(dims * perSlice, seed)) : undefined;
    const next = strategy === "spread" ? sizesOf(slices.subarray(0, first), dims) : undefined;
    for (let id = first; id < vocabulary.size; id++) {
      const r = id - discard;
      if (permutation) {
        slices[id] = permutation[r] % dims;
        indices[id] = Math.floor(permutation[r] / dims);
      } else if (next && table) {
        slices[id] = table[id];
        indices[id] = next[table[id]]++;
      } else if (strategy === "hashed") {
        slices[id] = hashedSlice(vocabulary.term(id), dims);
        indices[id] = hash32(vocabulary.term(id), INDEX_SEED) & 0xffff;
      } else if (strategy === "contiguous") {
        slices[id] = Math.floor(r / perSlice);
        indices[id] = r % perSlice;
      } else {
        slices[id] = r % dims;
        indices[id] = Math.floor(r / dims);
      }
    }
  }
}

/** Whether terms can be appended to the vocabulary without moving those that are there. */
export function isExtendable(strategy: Strategy): boolean {
  return strategy === "spread" || strategy === "hashed" || strategy === "full";
}

const INDEX_SEED = 1;

/** The slice a word falls into by its hash alone. */
export function hashedSlice(term: string, dims: number): number {
  return hash32(term) % dims;
}

/** Refuses rows that were densified in another way; `what` names them. */
export function requireSame(expected: Settings, found: Settings, what: string): void {
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)] as (keyof Settings)[]);
  if (expected.strategy === "hashed" && found.strategy === "hashed") {
    for (const key of ["terms", "vocabulary"] as const) keys.delete(key); // the words alone decide
  }
  const differing = [...keys].filter((key) => expected[key] !== found[key]);
  if (differing.length === 0) return;
  const list = differing.map((key) => `${key} ${found[key] ?? "none"} instead of ${expected[key] ?? "none"}`);
  throw new UsageError(
    `${what} was densified with other settings: ${list.join(", ")}`,
    "densify queries and documents with the same vocabulary, slicing and dims",
  );
}

/** How many leading ids go and how many terms a slice must hold (SPEC 1.2). */
function roomFor(vocabulary: Vocabulary, dims: number, options: SlicingOptions) {
  const terms = vocabulary.size;
  if (options.strategy === "full") return { discard: 0, perSlice: 1 };
  if (options.strategy === "hashed") return { discard: 0, perSlice: MOST_PER_SLICE };
  if (options.strategy === "spread") {
    return { discard: 0, perSlice: largestSlice(checkedTable(options.table, terms, dims), dims) };
  }
  const discard = options.discard ?? usualDiscard(terms, dims, vocabulary.markers);
  if (!Number.isInteger(discard) || discard < 0 || discard > terms) {
    throw new UsageError(`cannot discard ${discard} of ${terms} vocabulary ids`);
  }
  const perSlice = Math.max(1, Math.ceil((terms - discard) / dims));
  const { table } = options;
  if (table && (table.length !== dims * perSlice || !isPermutation(table))) {
    throw new UsageError(
      `expected a permutation of 0 … ${dims * perSlice - 1}, found ${table.length} entries`,
    );
  }
  return { discard, perSlice };
}

/**
 * The remainder goes when it consists of markers alone; otherwise nothing goes and the last slots stay empty. The
 * widths of the paper all divide 768, and taking the remainder by 768 gives them the same 570 for BERT.
 */
function usualDiscard(terms: number, dims: number, markers: number): number {
  const remainder = terms % (768 % dims === 0 ? 768 : dims);
  return remainder <= markers ? remainder : 0;
}

function isPermutation(table: Uint32Array): boolean {
  const seen = new Uint8Array(table.length);
  return table.every((entry) => entry < table.length && seen[entry]++ === 0);
}

function checkedDims(dims: number | undefined): number {
  if (dims === undefined || !Number.isInteger(dims) || dims < 1 || dims > 65_536) {
    throw new UsageError(`dims must be a whole number from 1 to 65,536, not ${dims}`);
  }
  return dims;
}

function checkedTable(table: Uint32Array | undefined, terms: number, dims: number): Uint32Array {
  if (table?.length !== terms || table.some((slice) => slice >= dims)) {
    throw new UsageError(`spread slicing needs a slice below ${dims} for each of ${terms} terms`);
  }
  return table;
}

function largestSlice(table: Uint32Array, dims: number): number {
  return Math.max(
    1,
    sizesOf(table, dims).reduce((a, b) => Math.max(a, b), 0),
  );
}

/** How many of the ids are in each slice. */
function sizesOf(slices: Uint32Array, dims: number): Uint32Array {
  const sizes = new Uint32Array(dims);
  for (let id = 0; id < slices.length; id++) sizes[slices[id]]++;
  return sizes;
}

function fingerprintOf(table: Uint32Array): string {
  // Little-endian on every machine, so that the fingerprint travels.
  const bytes = new DataView(new ArrayBuffer(table.length * 4));
  table.forEach((value, i) => {
    bytes.setUint32(i * 4, value, true);
  });
  return new Fingerprint().add(new Uint8Array(bytes.buffer)).toString();
}
