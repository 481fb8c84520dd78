// A term → its cell: the slice it competes in, and its index among the terms of that slice. The rule is here and nowhere
// else. An index, a file of queries and an encoder record its settings, and refuse each other if these differ.

import { Fingerprint, hash32 } from "../support/bytes/hash.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { shuffle } from "../support/numbers/random.ts";
import type { Vocabulary } from "./vocabulary.ts";

export const STRATEGIES = ["stride", "contiguous", "random", "hashed", "spread", "full"] as const;

/**
 * - `stride`: neighboring ids go to neighboring slices (the paper's default)
 * - `contiguous`: neighboring ids share a slice (the paper's counter-example)
 * - `random`: stride over a seeded permutation of the ids
 * - `hashed`: the cell is a hash of the term, so indexes agree on it without sharing a vocabulary
 * - `spread`: terms that occur together go to different slices (spread.ts)
 * - `full`: one slice for every term, so no term is dropped
 */
export type Strategy = (typeof STRATEGIES)[number];

/** The strategies of rows with a given number of slots. `full` has a slot for every term. */
export type SlotStrategy = Exclude<Strategy, "full">;
export const SLOT_STRATEGIES = STRATEGIES.filter((name): name is SlotStrategy => name !== "full");
export const DEFAULT_STRATEGY: SlotStrategy = "spread";
/** The number of slots if rows of slots are needed and none is given. */
export const DEFAULT_DIMS = 768;

/** Everything that decides a cell. Two rows can be compared only if all fields of their settings are equal. */
export interface SlicingSettings {
  readonly strategy: Strategy;
  /** Slices: M in the paper. */
  readonly dims: number;
  /** The most terms of a slice: N in the paper. */
  readonly perSlice: number;
  /** Leading vocabulary ids that are discarded: D in the paper. */
  readonly discard: number;
  /** How many terms the vocabulary has: V in the paper. */
  readonly vocabularySize: number;
  readonly vocabularyFingerprint: string;
  /** `random`: seed of the permutation, made by mulberry32 and Fisher–Yates. */
  readonly seed?: number;
  /** `spread`, or `random` with a given permutation: fingerprint of the table. */
  readonly table?: string;
}

/** The settings as files and clusters keep them: two of them have shorter names there. */
export type StoredSlicing = Omit<SlicingSettings, "vocabularySize" | "vocabularyFingerprint"> & {
  readonly terms: number;
  readonly vocabulary: string;
};

export function toStoredSlicing(settings: SlicingSettings): StoredSlicing {
  const { vocabularySize, vocabularyFingerprint, ...others } = settings;
  return { ...others, terms: vocabularySize, vocabulary: vocabularyFingerprint };
}

export function toSlicingSettings({ terms, vocabulary, ...others }: StoredSlicing): SlicingSettings {
  return { ...others, vocabularySize: terms, vocabularyFingerprint: vocabulary };
}

export interface SlicingOptions {
  readonly strategy: Strategy;
  /** Ignored by `full`. */
  readonly dims?: number | undefined;
  /** Leading ids to discard, instead of the number that specification.md, 1.2, gives. */
  readonly discard?: number | undefined;
  /** For `random`; 0 by default. */
  readonly seed?: number | undefined;
  /** For `random`, instead of a seed: a permutation of 0 … dims·perSlice − 1. For `spread`: the slice of each id. */
  readonly table?: Uint32Array | undefined;
}

/** The slice of an id that is discarded. */
export const DISCARDED = 0xffff_ffff;

/** The most terms of a slice: indices are uint16. */
const MOST_PER_SLICE = 65_536;

export class Slicing {
  readonly settings: SlicingSettings;
  readonly vocabulary: Vocabulary;
  /** For each id, its slice, or DISCARDED. */
  readonly slices: Uint32Array;
  /** For each id, its index in the slice. */
  readonly indices: Uint16Array;
  /** The table whose fingerprint is `settings.table`. */
  readonly table: Uint32Array | undefined;
  #idOfCell: Map<number, number> | undefined;
  #sharers: Map<number, string[]> | undefined;

  /** `begun` is the slicing of a shorter vocabulary with the same strategy; its cells are copied. */
  constructor(vocabulary: Vocabulary, options: SlicingOptions, begun?: Slicing) {
    const { strategy, table, seed = 0 } = options;
    this.vocabulary = vocabulary;
    this.table = table;
    const dims = strategy === "full" ? Math.max(1, vocabulary.size) : checkDims(options.dims);
    const fit = fitTerms(vocabulary, dims, options);
    if (fit.perSlice > MOST_PER_SLICE) {
      const enough = Math.ceil(vocabulary.size / MOST_PER_SLICE);
      throw new SluiceError(
        `${vocabulary.size} terms in ${dims} slices make ${fit.perSlice} a slice; at most ${MOST_PER_SLICE} fit`,
        `use at least ${enough} dims`,
      );
    }
    this.settings = {
      strategy,
      dims,
      ...fit,
      vocabularySize: vocabulary.size,
      vocabularyFingerprint: vocabulary.fingerprint,
      ...(strategy === "random" && !table && { seed }),
      ...(table && { table: fingerprintTable(table) }),
    };
    this.slices = new Uint32Array(vocabulary.size).fill(DISCARDED);
    this.indices = new Uint16Array(vocabulary.size);
    this.slices.set(begun?.slices ?? []);
    this.indices.set(begun?.indices ?? []);
    this.#fillCells(seed, begun?.vocabulary.size ?? this.settings.discard);
  }

  /** The slicing of a longer vocabulary that begins with this one. The terms of this one keep their cells. */
  extended(vocabulary: Vocabulary): Slicing {
    const { strategy, dims } = this.settings;
    if (vocabulary.size === this.vocabulary.size) return this;
    if (!isExtendable(strategy)) {
      throw new SluiceError(
        `${strategy} slicing has no place for new terms, such as ${JSON.stringify(vocabulary.term(this.vocabulary.size))}`,
        "use spread, hashed or full slicing for documents that come later",
      );
    }
    const table = strategy === "spread" ? this.#longerTable(vocabulary) : undefined;
    return new Slicing(vocabulary, { strategy, dims, ...(table && { table }) }, this);
  }

  /** The table with new terms. Each goes to the slice of its hash, or to the next one with room. */
  #longerTable(vocabulary: Vocabulary): Uint32Array {
    const { dims } = this.settings;
    const termCount = this.vocabulary.size;
    if (vocabulary.size > dims * MOST_PER_SLICE) {
      throw new SluiceError(`${vocabulary.size} terms do not fit into ${dims} slices of ${MOST_PER_SLICE}`);
    }
    const table = new Uint32Array(vocabulary.size);
    table.set(this.slices);
    const sizes = countBySlice(this.slices, dims);
    for (let id = termCount; id < vocabulary.size; id++) {
      let slice = hashedSlice(vocabulary.term(id), dims);
      while (sizes[slice] >= MOST_PER_SLICE) slice = (slice + 1) % dims;
      table[id] = slice;
      sizes[slice]++;
    }
    return table;
  }

  /** How many terms share their cell with an earlier one. Only hashed cells can be shared. */
  get sharedCells(): number {
    let kept = 0;
    for (const slice of this.slices) if (slice !== DISCARDED) kept++;
    return kept - this.#cells().size;
  }

  /** The id of a cell; undefined for padding. If hashed terms share a cell, the lowest id. */
  idAt(slice: number, index: number): number | undefined {
    return this.#cells().get(slice * this.settings.perSlice + index);
  }

  /** The term of a cell; undefined for padding. If hashed terms share a cell, all of them, joined by " | ". */
  termAt(slice: number, index: number): string | undefined {
    const id = this.idAt(slice, index);
    if (id === undefined || this.settings.strategy !== "hashed")
      return id === undefined ? id : this.vocabulary.term(id);
    this.#sharers ??= this.#findSharers();
    return [this.vocabulary.term(id), ...(this.#sharers.get(id) ?? [])].join(" | ");
  }

  /** For the lowest id of each shared cell, the other terms in it. */
  #findSharers(): Map<number, string[]> {
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

  /** Gives every id from `first` on its cell. */
  #fillCells(seed: number, first: number): void {
    const { strategy, dims, perSlice, discard } = this.settings;
    const { slices, indices, vocabulary, table } = this;
    const permutation = strategy === "random" ? (table ?? shuffle(dims * perSlice, seed)) : undefined;
    const next = strategy === "spread" ? countBySlice(slices.subarray(0, first), dims) : undefined;
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

/** Whether terms can be added to the vocabulary without moving the others. */
export function isExtendable(strategy: Strategy): boolean {
  return strategy === "spread" || strategy === "hashed" || strategy === "full";
}

/** The seed of the hash that gives the index; the slice has seed 0. Part of the format: never change it. */
const INDEX_SEED = 1;

/** The slice that a term's hash gives. */
export function hashedSlice(term: string, dims: number): number {
  return hash32(term) % dims;
}

/** Throws if rows were densified with other settings. `what` names the rows. */
export function requireSameSlicing(expected: SlicingSettings, found: SlicingSettings, what: string): void {
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)] as (keyof SlicingSettings)[]);
  if (expected.strategy === "hashed" && found.strategy === "hashed") {
    // With hashes only the terms decide.
    for (const key of ["vocabularySize", "vocabularyFingerprint"] as const) keys.delete(key);
  }
  const differing = [...keys].filter((key) => expected[key] !== found[key]);
  if (differing.length === 0) return;
  const list = differing.map((key) => `${key} ${found[key] ?? "none"} instead of ${expected[key] ?? "none"}`);
  throw new SluiceError(
    `${what} was densified with other settings: ${list.join(", ")}`,
    "densify queries and documents with the same vocabulary, slicing and dims",
  );
}

/** How many leading ids are discarded, and how many terms a slice must hold (specification.md, 1.2). */
function fitTerms(vocabulary: Vocabulary, dims: number, options: SlicingOptions) {
  const terms = vocabulary.size;
  if (options.strategy === "full") return { discard: 0, perSlice: 1 };
  if (options.strategy === "hashed") return { discard: 0, perSlice: MOST_PER_SLICE };
  if (options.strategy === "spread") {
    return { discard: 0, perSlice: largestSlice(checkTable(options.table, terms, dims), dims) };
  }
  const discard = options.discard ?? usualDiscard(terms, dims, vocabulary.markers);
  if (!Number.isInteger(discard) || discard < 0 || discard > terms) {
    throw new SluiceError(`cannot discard ${discard} of ${terms} vocabulary ids`);
  }
  const perSlice = Math.max(1, Math.ceil((terms - discard) / dims));
  const { table } = options;
  if (table && (table.length !== dims * perSlice || !isPermutation(table))) {
    throw new SluiceError(
      `expected a permutation of 0 … ${dims * perSlice - 1}, found ${table.length} entries`,
    );
  }
  return { discard, perSlice };
}

/**
 * The remainder of terms / dims is discarded if all of it is markers. Otherwise nothing is, and the last cells stay empty.
 * The paper's dims all divide 768; taking the remainder by 768 gives each of them the same 570 for BERT.
 */
function usualDiscard(terms: number, dims: number, markers: number): number {
  const remainder = terms % (768 % dims === 0 ? 768 : dims);
  return remainder <= markers ? remainder : 0;
}

function isPermutation(table: Uint32Array): boolean {
  const seen = new Uint8Array(table.length);
  return table.every((entry) => entry < table.length && seen[entry]++ === 0);
}

function checkDims(dims: number | undefined): number {
  if (dims === undefined || !Number.isInteger(dims) || dims < 1 || dims > 65_536) {
    throw new SluiceError(`dims must be a whole number from 1 to 65,536, not ${dims}`);
  }
  return dims;
}

function checkTable(table: Uint32Array | undefined, terms: number, dims: number): Uint32Array {
  if (table?.length !== terms || table.some((slice) => slice >= dims)) {
    throw new SluiceError(`spread slicing needs a slice below ${dims} for each of ${terms} terms`);
  }
  return table;
}

function largestSlice(table: Uint32Array, dims: number): number {
  return Math.max(
    1,
    countBySlice(table, dims).reduce((a, b) => Math.max(a, b), 0),
  );
}

/** How many of the ids are in each slice. */
function countBySlice(slices: Uint32Array, dims: number): Uint32Array {
  const sizes = new Uint32Array(dims);
  for (let id = 0; id < slices.length; id++) sizes[slices[id]]++;
  return sizes;
}

function fingerprintTable(table: Uint32Array): string {
  // Little-endian, so that the fingerprint is the same on every machine.
  const bytes = new DataView(new ArrayBuffer(table.length * 4));
  table.forEach((value, i) => {
    bytes.setUint32(i * 4, value, true);
  });
  return new Fingerprint().add(new Uint8Array(bytes.buffer)).toString();
}
