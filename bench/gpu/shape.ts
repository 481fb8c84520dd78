// Makes rows in the shape of DeLADE+[CLS] on the device, and any of them again on the host. Everything is computed from whole
// numbers, hashes and tables, so both make the same bits.
//
// A document is about three topics. A topic has terms in some slices; a document keeps seven in ten of them, with most of
// their weight. Every other slot holds a background term with a small weight (log-normal, as in bench/scale) and a cell
// drawn from a Zipf-like table. Topics differ in popularity: with 4096 topics and 8.8 million documents, the rarest topic has
// 3,200 documents, the median one 4,600, and a tenth of them more than 10,000. A vector is the sum of its topics' directions
// and noise.
// A query is about one topic. It keeps eight in ten of the topic's terms and has ten other terms; all other slots have values
// near 0.01. So a few dozen slots are heavy and hundreds are light.

import { type QueryRow, type Rows, RowsBuilder } from "../../src/densify/rows.ts";
import { type RowShape, rowWords } from "../../src/scan/webgpu/document-chunks.ts";
import type { ResidentRows } from "../../src/scan/webgpu/resident-rows.ts";
import { roundToFloat16, toFloat16 } from "../../src/support/numbers/float16.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

/** Entries of a table. Twelve bits of a hash choose one. */
const TABLE = 4096;
/** Skews of the cells; slice s uses entry s mod 4. */
const SKEWS = [0.7, 0.9, 1.1, 1.3];
const TOPICS_PER_DOC = 3;
/** Terms of a topic that a document keeps, of 1024. */
const WORDS_KEPT = 717;
/** Lexical values of topics are whole numbers / 256, vectors' whole numbers / 2048: both exact in float16. */
const VALUE_UNIT = 256;
const VECTOR_UNIT = 2048;
/** Added to the number of a dimension, so that the hashes of directions differ from those of terms. */
const DIRECTIONS = 1_000_003;

/** Indices per slice, as BERT's vocabulary has them at 768 and at 128 slices. */
const perSliceOf = (dims: number): number => Math.ceil(29_952 / dims);

export class GpuShape implements RowShape {
  readonly docs: number;
  readonly dims: number;
  readonly semanticDims: number;
  readonly perSlice: number;
  readonly #topics: number;
  /** Slots in which a topic has a term, of 1024. */
  readonly #density: number;
  /** Cells by skew, background values (float16 bits), weights of topics' terms, directions, noise (both + 1024). */
  readonly #tables: Uint32Array<ArrayBuffer>;

  constructor(docs: number, dims: number, semanticDims: number) {
    this.docs = docs;
    this.dims = dims;
    this.semanticDims = semanticDims;
    this.perSlice = perSliceOf(dims);
    this.#topics = Math.min(4096, Math.max(4, Math.round(docs / 2159)));
    this.#density = Math.round((1024 * 36) / Math.max(dims, 128));
    const random = mulberry32(11);
    const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const table = (entry: (i: number) => number) => Array.from({ length: TABLE }, (_, i) => entry(i));
    const whole = (deviation: number, most: number) =>
      1024 + Math.max(-most, Math.min(most, Math.round(deviation * gauss())));
    this.#tables = Uint32Array.from([
      ...SKEWS.flatMap((skew) => zipf(this.perSlice, skew)),
      ...table(() => toFloat16(Math.min(1.5, 0.08 * Math.exp(0.8 * gauss())))),
      ...table(() => Math.max(40, Math.min(1000, Math.round(200 * Math.exp(0.5 * gauss()))))),
      ...table(() => whole(120, 480)),
      ...table(() => whole(60, 240)),
    ]);
  }

  /** Fills the resident rows on the device, block by block. Only the tables are copied from the host. */
  async fill(resident: ResidentRows): Promise<void> {
    const { device, staging, stagedDocs } = resident;
    const pipeline = await device.pipeline(this.#shader(), "generator");
    const tables = device.storage(this.#tables.byteLength, "generator's tables");
    device.gpu.queue.writeBuffer(tables, 0, this.#tables);
    for (let first = 0; first < this.docs; first += stagedDocs) {
      const docs = Math.min(stagedDocs, this.docs - first);
      const block = device.uniform([first, docs, this.#topics, 0], "block");
      const encoder = device.gpu.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.bindGroup(pipeline, [block, tables, staging]));
      pass.dispatchWorkgroups(Math.ceil(rowWords(this).row / 64), Math.min(docs, 32_768));
      pass.end();
      device.gpu.queue.submit([encoder.finish()]);
      resident.place(docs);
      await device.idle();
      device.free([block]);
    }
    device.free([tables]);
    await resident.finish();
  }

  #shader(): string {
    const { indices, semantic, row } = rowWords(this);
    const [background, weights, directions, noise] = [4, 5, 6, 7].map((i) => i * TABLE);
    return /* wgsl */ `
struct Block { first: u32, docs: u32, topics: u32 }
@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read_write> rows: array<u32>;
fn hash(x: u32) -> u32 {
  var v = x * 747796405u + 2891336453u;
  v = ((v >> ((v >> 28u) + 4u)) ^ v) * 277803737u;
  return (v >> 22u) ^ v;
}
fn hash2(a: u32, b: u32) -> u32 { return hash(a ^ hash(b)); }
fn topicOf(doc: u32, i: u32) -> u32 {
  let u = hash2(doc, i + 77u) >> 16u;
  return (((u * u) >> 16u) * block.topics) >> 16u;
}
// float16 bits of the value in the low half, the cell in the high half.
fn slot(doc: u32, slice: u32) -> u32 {
  if (slice >= ${this.dims}u) { return 0u; }
  let r = hash2(doc, slice);
  let cells = (slice & 3u) * ${TABLE}u;
  var value = tables[${background}u + ((r >> 12u) & 4095u)];
  var cell = tables[cells + (r & 4095u)];
  var most = 0u;
  for (var i = 0u; i < ${TOPICS_PER_DOC}u; i++) {
    let word = hash2(topicOf(doc, i) + 500000u, slice);
    if ((word & 1023u) >= ${this.#density}u) { continue; }
    let kept = hash(r + i + 1u);
    if ((kept & 1023u) >= ${WORDS_KEPT}u) { continue; }
    let weight = (tables[${weights}u + ((word >> 8u) & 4095u)] * (102u + ((kept >> 10u) & 255u))) >> 8u;
    if (weight <= most) { continue; }
    most = weight;
    value = pack2x16float(vec2<f32>(f32(weight) / ${VALUE_UNIT}.0, 0.0));
    cell = tables[cells + (word >> 20u)];
  }
  return value | (cell << 16u);
}
fn dimension(doc: u32, dim: u32) -> u32 {
  if (dim >= ${this.semanticDims}u) { return 0u; }
  var sum = i32(tables[${noise}u + (hash2(doc, ${DIRECTIONS}u + dim) & 4095u)]) - 1024;
  for (var i = 0u; i < ${TOPICS_PER_DOC}u; i++) {
    sum += i32(tables[${directions}u + (hash2(topicOf(doc, i) + 500000u, ${DIRECTIONS}u + dim) & 4095u)]) - 1024;
  }
  return pack2x16float(vec2<f32>(f32(sum) / ${VECTOR_UNIT}.0, 0.0));
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let word = id.x;
  if (word >= ${row}u) { return; }
  for (var own = id.y; own < block.docs; own += groups.y) {
    let doc = block.first + own;
    var bits = 0u;
    if (word < ${indices}u) {
      bits = (slot(doc, word * 2u) & 0xffffu) | (slot(doc, word * 2u + 1u) << 16u);
    } else if (word < ${semantic}u) {
      for (var i = 0u; i < 4u; i++) { bits |= (slot(doc, (word - ${indices}u) * 4u + i) >> 16u) << (8u * i); }
    } else {
      let dim = (word - ${semantic}u) * 2u;
      bits = dimension(doc, dim) | (dimension(doc, dim + 1u) << 16u);
    }
    rows[own * ${row}u + word] = bits;
  }
}`;
  }

  #topicOf(doc: number, i: number): number {
    const u = hash2(doc, i + 77) >>> 16;
    return ((((u * u) >>> 16) * this.#topics) / 65_536) | 0;
  }

  /** The term of a topic in a slice: its weight in 256ths and its cell; weight 0 if there is none. */
  #word(topic: number, slice: number): { weight: number; cell: number } {
    const word = hash2(topic + 500_000, slice);
    if ((word & 1023) >= this.#density) return { weight: 0, cell: 0 };
    return { weight: this.#tables[5 * TABLE + ((word >>> 8) & 4095)], cell: this.#cell(slice, word >>> 20) };
  }

  #cell(slice: number, at: number): number {
    return this.#tables[(slice & 3) * TABLE + at];
  }

  /** Makes these documents on the host. */
  rows(docs: ArrayLike<number>): Rows {
    const builder = new RowsBuilder(this.dims, this.perSlice, this.semanticDims);
    const slices = Uint32Array.from({ length: this.dims }, (_, slice) => slice);
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i];
      const topics = Array.from({ length: TOPICS_PER_DOC }, (_, t) => this.#topicOf(doc, t));
      const indices = new Uint16Array(this.dims);
      const values = new Float32Array(this.dims);
      for (let slice = 0; slice < this.dims; slice++) {
        const r = hash2(doc, slice);
        let value = float16At(this.#tables[4 * TABLE + ((r >>> 12) & 4095)]);
        let cell = this.#cell(slice, r & 4095);
        let most = 0;
        for (let t = 0; t < TOPICS_PER_DOC; t++) {
          const word = this.#word(topics[t], slice);
          if (word.weight === 0) continue;
          const kept = hash((r + t + 1) >>> 0);
          if ((kept & 1023) >= WORDS_KEPT) continue;
          const weight = (word.weight * (102 + ((kept >>> 10) & 255))) >>> 8;
          if (weight <= most) continue;
          most = weight;
          value = weight / VALUE_UNIT;
          cell = word.cell;
        }
        values[slice] = value;
        indices[slice] = cell;
      }
      const vector = Float32Array.from({ length: this.semanticDims }, (_, dim) => {
        let sum = this.#tables[7 * TABLE + (hash2(doc, DIRECTIONS + dim) & 4095)] - 1024;
        for (const topic of topics) sum += this.#direction(topic, dim);
        return sum / VECTOR_UNIT;
      });
      builder.add({ slices, indices, values }, vector);
    }
    return builder.finish();
  }

  #direction(topic: number, dim: number): number {
    return this.#tables[6 * TABLE + (hash2(topic + 500_000, DIRECTIONS + dim) & 4095)] - 1024;
  }

  /** Makes a query from a seed. λ is 1. */
  query(seed: number): QueryRow {
    const random = mulberry32(seed + 40_000);
    const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const topic = Math.floor(random() * this.#topics);
    const slices = Uint32Array.from({ length: this.dims }, (_, slice) => slice);
    const indices = Uint16Array.from(slices, (slice) => this.#cell(slice, Math.floor(random() * TABLE)));
    const values = Float32Array.from(slices, () =>
      roundToFloat16(Math.min(0.09, 0.01 * Math.exp(0.8 * gauss()))),
    );
    for (let i = 0; i < 10; i++)
      values[Math.floor(random() * this.dims)] = roundToFloat16(0.1 + 0.4 * random());
    for (let slice = 0; slice < this.dims; slice++) {
      const { weight, cell } = this.#word(topic, slice);
      if (weight === 0 || random() > 0.8) continue;
      indices[slice] = cell;
      values[slice] = roundToFloat16((weight / VALUE_UNIT) * (0.7 + 0.6 * random()));
    }
    const semantic = Float32Array.from({ length: this.semanticDims }, (_, dim) =>
      roundToFloat16((1.6 * this.#direction(topic, dim) + 60 * gauss()) / VECTOR_UNIT),
    );
    return { slices, indices, values, semantic };
  }
}

function hash(x: number): number {
  let v = (Math.imul(x, 747_796_405) + 2_891_336_453) >>> 0;
  v = Math.imul((v >>> ((v >>> 28) + 4)) ^ v, 277_803_737) >>> 0;
  return ((v >>> 22) ^ v) >>> 0;
}

const hash2 = (a: number, b: number): number => hash((a ^ hash(b)) >>> 0);

function float16At(bits: number): number {
  const exponent = (bits >>> 10) & 31;
  return exponent === 0 ? (bits & 1023) * 2 ** -24 : (1024 + (bits & 1023)) * 2 ** (exponent - 25);
}

/** A table of 4096 cells to draw from. The frequency of the i-th cell is proportional to (i + 2)^−skew. */
function zipf(cells: number, skew: number): number[] {
  const shares = Array.from({ length: cells }, (_, i) => (i + 2) ** -skew);
  const total = shares.reduce((sum, x) => sum + x, 0);
  let [cell, reached] = [0, shares[0]];
  return Array.from({ length: TABLE }, (_, i) => {
    while (reached / total < (i + 0.5) / TABLE && cell < cells - 1) reached += shares[++cell];
    return cell;
  });
}
