// The buffers and bind groups that searches need beside the rows. They are made once for a number of queries, and reused.

import { batchTableQuads } from "./batch-shader.ts";
import { BufferUsage, type Device } from "./device.ts";
import { chunkWords } from "./document-chunks.ts";
import { QueryWords } from "./query-words.ts";
import type { Step } from "./recorder.ts";
import { denseWords } from "./rescore-shaders.ts";
import type { ResidentRows } from "./resident-rows.ts";
import { LIST_HEADER_PAIRS, STATE_WORDS } from "./select-shaders.ts";
import { BINS } from "./wgsl.ts";

interface WorkspaceSize {
  /** Queries at a time. */
  readonly queries: number;
  /** Documents that a query's list of candidates may hold. */
  readonly candidates: number;
  /** Documents that a query may collect before they are ranked. */
  readonly capacity: number;
}

/** The most queries in a group that shares a scan. */
export const BATCH_WIDTH = 16;

/** The largest `unroll` of a scan: entries are padded to a multiple of it. */
const UNROLL_PADDING = 8;

export class Workspace {
  readonly size: WorkspaceSize;
  /** By chunk: the fields of the shaders' `Chunk`. */
  readonly chunkUniforms: readonly GPUBuffer[];
  /** By chunk: a key for every query and document. */
  readonly keys: readonly GPUBuffer[];
  /** What is sent for a search, in one write: queries with their entries, and the same with all slices for rescoring. */
  readonly input: GPUBuffer;
  readonly inputWords: Uint32Array<ArrayBuffer>;
  readonly asked: GPUBufferBinding;
  readonly counts: GPUBuffer;
  readonly state: GPUBuffer;
  readonly collected: GPUBuffer;
  readonly candidates: GPUBuffer;
  readonly results: GPUBuffer;
  readonly dense: GPUBufferBinding;
  readonly table: GPUBuffer;
  readonly readback: GPUBuffer;
  readonly queryWords: QueryWords;
  /** By kind of search: its dispatches. */
  readonly steps = new Map<string, readonly Step[]>();
  readonly denseWords: Uint32Array<ArrayBuffer>;
  readonly tableWords: Uint32Array<ArrayBuffer>;
  readonly #device: Device;
  readonly #buffers: GPUBuffer[] = [];
  readonly #groups = new Map<string, GPUBindGroup>();

  static create(rows: ResidentRows, size: WorkspaceSize): Promise<Workspace> {
    return rows.device.allocate(
      `buffers for ${size.queries} queries`,
      (keep) => new Workspace(rows, size, keep),
    );
  }

  private constructor(rows: ResidentRows, size: WorkspaceSize, keep: (buffer: GPUBuffer) => GPUBuffer) {
    const { device, shape, chunks } = rows;
    const { queries, candidates, capacity } = size;
    this.#device = device;
    this.size = size;
    const own = (buffer: GPUBuffer) => {
      this.#buffers.push(keep(buffer));
      return buffer;
    };
    const storage = (words: number, label: string) => own(device.storage(words * 4, label));
    this.chunkUniforms = chunks.map(({ stride }) => own(device.uniform(chunkWords(stride, shape), "chunk")));
    this.keys = chunks.map(({ stride }) => storage(queries * stride, "keys"));
    const terms = shape.dims + shape.semanticDims;
    const padded = Math.ceil(queries / BATCH_WIDTH) * BATCH_WIDTH;
    const askedWords = Math.ceil(QueryWords.words(padded, terms + 2 * UNROLL_PADDING) / 64) * 64; // bindings begin every 256 bytes
    const inputWords = askedWords + queries * denseWords(shape);
    this.input = storage(inputWords, "input");
    this.inputWords = new Uint32Array(inputWords);
    this.queryWords = new QueryWords(this.inputWords.subarray(0, askedWords));
    this.asked = { buffer: this.input, offset: 0, size: askedWords * 4 };
    this.denseWords = this.inputWords.subarray(askedWords);
    this.dense = { buffer: this.input, offset: askedWords * 4, size: this.denseWords.byteLength };
    this.counts = storage(queries * BINS, "counts");
    this.state = storage(queries * STATE_WORDS, "state");
    this.collected = storage(queries * capacity * 2, "collected");
    const listWords = queries * (candidates + LIST_HEADER_PAIRS) * 2;
    this.candidates = storage(listWords, "candidates");
    this.results = storage(listWords, "results");
    this.readback = own(
      device.buffer(listWords * 4, BufferUsage.mapRead | BufferUsage.copyTarget, "results to read"),
    );
    const quads = queries > 1 ? batchTableQuads(shape, BATCH_WIDTH) : 0;
    this.tableWords = new Uint32Array((padded / BATCH_WIDTH) * quads * 4);
    this.table = storage(this.tableWords.length, "table of queries");
  }

  /** A uniform buffer that lives as long as the workspace. */
  uniform(words: readonly number[]): GPUBuffer {
    const buffer = this.#device.uniform(words, "uniform");
    this.#buffers.push(buffer);
    return buffer;
  }

  /** A bind group, made on first use. */
  group(
    name: string,
    pipeline: GPUComputePipeline,
    buffers: () => (GPUBuffer | GPUBufferBinding)[],
  ): GPUBindGroup {
    let group = this.#groups.get(name);
    if (!group) {
      group = this.#device.bindGroup(pipeline, buffers());
      this.#groups.set(name, group);
    }
    return group;
  }

  get bytes(): number {
    return this.#buffers.reduce((sum, { size }) => sum + size, 0);
  }

  close(): void {
    this.#device.free(this.#buffers);
  }
}
