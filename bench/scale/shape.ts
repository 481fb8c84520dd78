// Makes any number of rows in the shape of DeLADE+[CLS]: 128 slots, all filled, and a vector of 128 dimensions.
//
// The terms come from real SPLADE-v3 queries of MS MARCO. A passage is about three of these queries (never about one that is
// searched later) and holds their terms with most of their weight. Every other slot holds a background term, as frequent as
// word pieces are in all queries, with the small weights that a DeLADE head gives to everything. A vector is the sum of the
// directions of its terms, whose lengths fall off like those of trained embeddings, and noise. All vectors are rotated, so
// that no dimension carries more than the others.

import {
  Densifier,
  type Row,
  type Rows,
  roundToFloat16,
  Slicing,
  toFloat16,
  Vocabulary,
} from "../../src/densify/index.ts";
import { readTopics } from "../../src/lab/index.ts";
import { readText } from "../../src/support/files/text-file.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { dataPath } from "../support/bench.ts";

const DIMS = 128;
const SEMANTIC_DIMS = 128;

/** Scales the integer weights of the topic files to the range for which the paper's θ of 0.3 was chosen. */
const WEIGHT_SCALE = 1 / 100;

/** Topics that a passage is about. */
const TOPICS_PER_PASSAGE = 3;

/** Share of a topic's terms that a passage holds. */
const WORDS_KEPT = 0.7;

interface ShapedQuery {
  readonly row: Row;
  readonly vector: Float32Array;
}

export class Shape {
  readonly queries: ShapedQuery[];
  readonly #topics: ShapedQuery[];
  /** For each slice, a table of 65,536 indices to draw from. */
  readonly #drawn: Uint8Array[];
  readonly #background: Uint16Array;
  readonly #noise: Float32Array;

  static async load(asked: number): Promise<Shape> {
    const terms = (await readText(dataPath("models", "minilm-l6-v2", "vocab.txt"))).trimEnd().split("\n");
    const slicing = new Slicing(new Vocabulary(terms), { strategy: "stride", dims: DIMS });
    const densifier = new Densifier(slicing);
    const rows: Row[] = [];
    for await (const { weights } of readTopics(dataPath("topics", "msmarco-dev.splade-v3.tsv.gz"))) {
      const known = [...weights].filter(([term]) => slicing.vocabulary.findId(term) !== undefined);
      const ids = known.map(([term]) => slicing.vocabulary.findId(term)!);
      rows.push(densifier.densify({ ids, weights: known.map(([, weight]) => weight * WEIGHT_SCALE) }).row);
    }
    return new Shape(rows, slicing.settings.perSlice, asked);
  }

  private constructor(rows: readonly Row[], perSlice: number, asked: number) {
    const random = mulberry32(7);
    const gauss = gaussian(random);
    this.#drawn = drawingTables(rows, perSlice);
    this.#background = Uint16Array.from({ length: 65_536 }, () =>
      toFloat16(Math.min(1.5, 0.08 * Math.exp(0.8 * gauss()))),
    );
    this.#noise = Float32Array.from({ length: 65_536 }, gauss);
    const directions = new Map<number, Float32Array>();
    const directionOf = (cell: number) => {
      let direction = directions.get(cell);
      if (!direction) {
        direction = Float32Array.from({ length: SEMANTIC_DIMS }, (_, i) => gauss() * SPECTRUM[i]);
        directions.set(cell, direction);
      }
      return direction;
    };
    const all = rows.map((row): ShapedQuery => {
      const vector = new Float32Array(SEMANTIC_DIMS);
      row.slices.forEach((slice, i) => {
        const direction = directionOf(slice * perSlice + row.indices[i]);
        for (let dim = 0; dim < SEMANTIC_DIMS; dim++) vector[dim] += row.values[i] * direction[dim];
      });
      return { row, vector: scaled(vector) };
    });
    const every = Math.floor(all.length / asked);
    this.queries = all.filter((_, i) => i % every === 0).slice(0, asked);
    this.#topics = all.filter((_, i) => i % every !== 0);
    this.queries = this.queries.map(({ row, vector }) => ({
      row,
      vector: rotated(vector).map(roundToFloat16),
    }));
  }

  /** Passages, the same for the same seed. */
  passages(docs: number, seed: number): Rows {
    const random = mulberry32(seed);
    const slots = docs * DIMS;
    const starts = Uint32Array.from({ length: docs + 1 }, (_, doc) => doc * DIMS);
    const slices = new Uint16Array(slots);
    const indices = new Uint8Array(slots);
    const values = new Uint16Array(slots);
    const semantic = new Uint16Array(docs * SEMANTIC_DIMS);
    const weights = new Float32Array(DIMS);
    const vector = new Float32Array(SEMANTIC_DIMS);
    for (let doc = 0; doc < docs; doc++) {
      const base = doc * DIMS;
      for (let slice = 0; slice < DIMS; slice++) {
        slices[base + slice] = slice;
        indices[base + slice] = this.#drawn[slice][(random() * 65_536) | 0];
        values[base + slice] = this.#background[(random() * 65_536) | 0];
      }
      weights.fill(0);
      vector.fill(0);
      for (let t = 0; t < TOPICS_PER_PASSAGE; t++) {
        const topic = this.#topics[Math.floor(random() * this.#topics.length)];
        this.#addEntries(topic.row, base, weights, indices, values, random);
        const direction = topic.vector;
        for (let dim = 0; dim < SEMANTIC_DIMS; dim++) vector[dim] += direction[dim];
      }
      const shift = (random() * 65_536) | 0;
      for (let dim = 0; dim < SEMANTIC_DIMS; dim++) {
        vector[dim] += 0.5 * SPECTRUM[dim] * this.#noise[(shift + dim * 509) & 0xffff];
      }
      const finished = rotated(scaled(vector));
      for (let dim = 0; dim < SEMANTIC_DIMS; dim++) {
        semantic[doc * SEMANTIC_DIMS + dim] = toFloat16(finished[dim]);
      }
    }
    return { docs, dims: DIMS, starts, slices, indices, values, semanticDims: SEMANTIC_DIMS, semantic };
  }

  #addEntries(
    row: Row,
    base: number,
    weights: Float32Array,
    indices: Uint8Array,
    values: Uint16Array,
    random: () => number,
  ): void {
    for (let i = 0; i < row.slices.length; i++) {
      const slice = row.slices[i];
      const weight = row.values[i] * (0.4 + 0.9 * random());
      if (random() > WORDS_KEPT || weight <= weights[slice]) continue;
      weights[slice] = weight;
      indices[base + slice] = row.indices[i];
      values[base + slice] = toFloat16(weight);
    }
  }
}

/** The strength of each direction of an embedding. */
const SPECTRUM = Float32Array.from({ length: SEMANTIC_DIMS }, (_, i) => (1 + i / 12) ** -0.8);

/** Scales a vector to length 1.6, so that its part of a good match is about a third of the lexical part. Changes it in place. */
function scaled(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const scale = 1.6 / (Math.sqrt(squares) || 1);
  for (let i = 0; i < vector.length; i++) vector[i] *= scale;
  return vector;
}

/** The Walsh–Hadamard transform: a rotation that spreads every direction over all dimensions. Changes the vector in place. */
function rotated(vector: Float32Array): Float32Array {
  for (let half = 1; half < vector.length; half *= 2) {
    for (let i = 0; i < vector.length; i += 2 * half) {
      for (let j = i; j < i + half; j++) {
        const a = vector[j];
        const b = vector[j + half];
        vector[j] = a + b;
        vector[j + half] = a - b;
      }
    }
  }
  const scale = 1 / Math.sqrt(vector.length);
  for (let i = 0; i < vector.length; i++) vector[i] *= scale;
  return vector;
}

/** For each slice, a table of 65,536 indices. An index is as frequent as its word piece; every index occurs. */
function drawingTables(rows: readonly Row[], perSlice: number): Uint8Array[] {
  const counts = Array.from({ length: DIMS }, () => new Float64Array(perSlice).fill(0.2));
  for (const { slices, indices } of rows) {
    for (let i = 0; i < slices.length; i++) counts[slices[i]][indices[i]]++;
  }
  return counts.map((seen) => {
    const total = seen.reduce((sum, x) => sum + x, 0);
    const table = new Uint8Array(65_536);
    let [index, reached] = [0, seen[0]];
    for (let i = 0; i < table.length; i++) {
      while (reached / total < (i + 0.5) / table.length && index < perSlice - 1) reached += seen[++index];
      table[i] = index;
    }
    return table;
  });
}

function gaussian(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
