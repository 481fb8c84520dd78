// A sample of documents → the table of a spread slicing. Terms that occur together go to different slices, so that they do
// not compete for a slot.
//
// Terms are placed one by one, the heaviest first, each in the slice where it costs least. The cost of a slice is the weight
// that would be lost there: summed over the documents that hold the term, the smaller of its squared weight and the heaviest
// squared weight that the slice already has. Weights are squared because one heavy term lost changes a ranking more than
// many light ones. This was chosen on training queries, where the plain weight lost about a third more. Moving terms
// afterwards, with the others in place, changed almost nothing.
//
// There is no training, and a sample of the documents is enough. Terms that are not in the sample go to the slice of their
// hash. Slices are kept balanced, so that indices stay small.

import { PROGRESS_STEP } from "../support/options/progress.ts";
import type { TermWeights } from "../weigh/term-weights.ts";
import { hashedSlice } from "./slicing.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A slice may hold this many times its fair share of the terms. Larger: fewer collisions, larger indices. */
const IMBALANCE = 1.5;

/** The slice of every id: the table of a `spread` slicing. `importance` (idf) is by id, as in densify.ts. */
export function spread(
  vocabulary: Vocabulary,
  dims: number,
  sample: Iterable<TermWeights>,
  importance?: ArrayLike<number>,
  onProgress?: (done: number, total: number) => void,
): Uint32Array {
  const postings = collectPostings(sample, vocabulary.size, importance);
  const mostTerms = mostTermsPerSlice(vocabulary.size, dims);
  const table = new Uint32Array(vocabulary.size);
  const sizes = new Uint32Array(dims);
  const assign = (id: number, slice: number) => {
    table[id] = slice;
    sizes[slice]++;
  };

  const held = new HeaviestBySlice(postings.docStarts);
  const costs = new Float64Array(dims);
  for (const [done, id] of postings.heaviestFirst.entries()) {
    if (done % PROGRESS_STEP === 0) onProgress?.(done, postings.heaviestFirst.length);
    costs.fill(0);
    postings.each(id, (doc, weight) => held.addCosts(doc, weight, costs));
    let best = -1;
    for (let slice = 0; slice < dims; slice++) {
      if (sizes[slice] >= mostTerms) continue;
      if (
        best < 0 ||
        costs[slice] < costs[best] ||
        (costs[slice] === costs[best] && sizes[slice] < sizes[best])
      ) {
        best = slice;
      }
    }
    assign(id, best);
    postings.each(id, (doc, weight) => held.raise(doc, best, weight));
  }

  for (let id = 0; id < vocabulary.size; id++) {
    if (postings.seen(id)) continue;
    let slice = hashedSlice(vocabulary.term(id), dims);
    while (sizes[slice] >= mostTerms) slice = (slice + 1) % dims;
    assign(id, slice);
  }
  return table;
}

/** The most terms that a slice may get, so that slices stay balanced. */
function mostTermsPerSlice(terms: number, dims: number): number {
  const fair = Math.ceil(terms / dims);
  const uneven = Math.ceil((terms / dims) * IMBALANCE);
  // At most 256 if possible: one-byte indices are worth more than a better spread.
  return fair <= 256 ? Math.max(fair, Math.min(uneven, 256)) : uneven;
}

/** For each document, its filled slices and the heaviest weight in each. */
class HeaviestBySlice {
  readonly #starts: Uint32Array;
  readonly #filled: Uint32Array;
  readonly #slices: Uint32Array;
  readonly #weights: Float32Array;

  constructor(starts: Uint32Array) {
    this.#starts = starts;
    this.#filled = starts.slice(0, -1); // for each document, the end of its list so far
    this.#slices = new Uint32Array(starts[starts.length - 1]);
    this.#weights = new Float32Array(starts[starts.length - 1]);
  }

  /** Adds, for each slice of the document, the weight that would be lost if a term of this weight went there. */
  addCosts(doc: number, weight: number, costs: Float64Array): void {
    for (let i = this.#starts[doc]; i < this.#filled[doc]; i++) {
      costs[this.#slices[i]] += Math.min(weight, this.#weights[i]);
    }
  }

  raise(doc: number, slice: number, weight: number): void {
    let i = this.#starts[doc];
    while (i < this.#filled[doc] && this.#slices[i] !== slice) i++;
    if (i === this.#filled[doc]) this.#filled[doc]++;
    this.#slices[i] = slice;
    this.#weights[i] = Math.max(this.#weights[i], weight);
  }
}

/** The sample by term: the documents that hold it, and its squared weights. */
function collectPostings(sample: Iterable<TermWeights>, terms: number, importance?: ArrayLike<number>) {
  const docStarts = [0];
  const ids: number[] = [];
  const claims: number[] = [];
  for (const doc of sample) {
    for (let i = 0; i < doc.ids.length; i++) {
      ids.push(doc.ids[i]);
      claims.push((doc.weights[i] * (importance?.[doc.ids[i]] ?? 1)) ** 2);
    }
    docStarts.push(ids.length);
  }

  const starts = new Uint32Array(terms + 1);
  const totals = new Float64Array(terms);
  ids.forEach((id, i) => {
    starts[id + 1]++;
    totals[id] += claims[i];
  });
  for (let id = 0; id < terms; id++) starts[id + 1] += starts[id];

  const docs = new Uint32Array(ids.length);
  const weights = new Float32Array(ids.length);
  const next = starts.slice();
  for (let doc = 0; doc + 1 < docStarts.length; doc++) {
    for (let i = docStarts[doc]; i < docStarts[doc + 1]; i++) {
      const at = next[ids[i]]++;
      docs[at] = doc;
      weights[at] = claims[i];
    }
  }

  const seen = (id: number) => starts[id + 1] > starts[id];
  const order = Array.from({ length: terms }, (_, id) => id).filter(seen);
  return {
    docStarts: Uint32Array.from(docStarts),
    heaviestFirst: order.sort((a, b) => totals[b] - totals[a] || a - b),
    seen,
    each(id: number, visit: (doc: number, weight: number) => void) {
      for (let i = starts[id]; i < starts[id + 1]; i++) visit(docs[i], weights[i]);
    },
  };
}
