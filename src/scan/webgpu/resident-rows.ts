// Rows → buffers on a device, in the forms that searches need. Columns are always there. Two more forms are optional:
// bytes, rounded up (half of what an exact scan reads), and whole rows (a candidate is then rescored from one contiguous
// range of memory).

import type { Rows } from "../../densify/rows.ts";
import { type Device, formatBytes } from "./device.ts";
import { DeviceMemory } from "./device-errors.ts";
import {
  BYTE_VECTOR_FACTS,
  chunkWords,
  type DocumentChunk,
  indexBytes,
  type RowShape,
  type RowWords,
  rowWords,
  splitIntoChunks,
} from "./document-chunks.ts";
import {
  bytesShader,
  byteVectorsShader,
  CELL_BUCKETS,
  cellMaximaShader,
  groupsOfEight,
  lengthsShader,
  transposeShader,
} from "./prepare-shaders.ts";
import { RowPacker } from "./row-packer.ts";

export interface RowForms {
  /** Also values and vectors as bytes, for upper bounds on scores. */
  readonly bytes?: boolean;
  /** Also whole rows, for rescoring. */
  readonly rows?: boolean;
}

/** The buffers of a chunk. */
interface ResidentChunk extends DocumentChunk {
  readonly values: GPUBuffer;
  readonly indices: GPUBuffer;
  readonly semantic: GPUBuffer;
  /** The squared length of every document, rounded up. */
  readonly lengths: GPUBuffer;
  /** Vectors of bytes are followed by each document's scale and error in the same buffer, because bindings are few. */
  readonly bytes?: { readonly values: GPUBuffer; readonly semantic: GPUBuffer };
}

/** Statistics of all documents, for bounds that are computed on the host. */
export interface ResidentStatistics {
  /** By slice and bucket of its cells: the largest magnitude of a value. */
  readonly cellMaxima: Float32Array;
  /** By slice: the largest magnitude of a value. */
  readonly sliceMaxima: Float32Array;
  /** By slice: what one step of a byte is worth. */
  readonly byteScales: Float32Array;
  /** The length of the longest row, semantic part included. */
  readonly maxLength: number;
  /** The length of the longest semantic part. */
  readonly maxSemanticLength: number;
}

/** Bytes of rows that go to the device at a time. More need more memory on the host and on the device. */
const STAGING_BYTES = 64 * 2 ** 20;

export class ResidentRows {
  readonly device: Device;
  readonly shape: RowShape;
  readonly forms: RowForms;
  readonly chunks: readonly ResidentChunk[];
  /** Which documents may be found: a bit each. Each chunk begins at a multiple of 256 bytes. */
  readonly allowed: GPUBuffer;
  readonly words: RowWords;
  /** Buffers of whole rows; none if that form was not asked for. */
  readonly rowBuffers: readonly GPUBuffer[];
  readonly docsPerRowBuffer: number;
  readonly #buffers: readonly GPUBuffer[];
  readonly #staging: GPUBuffer;
  readonly stagedDocs: number;
  readonly #transpose: GPUComputePipeline;
  #placed = 0;
  #statistics: ResidentStatistics | undefined;

  /** Makes the buffers; `place` then fills them in order. Throws `DeviceMemory`, with the numbers, if they do not fit. */
  static async reserve(device: Device, shape: RowShape, forms: RowForms = {}): Promise<ResidentRows> {
    if (shape.dims < 1 || shape.dims > 65_536)
      throw new RangeError(`${shape.dims} slices, expected 1 to 65,536`);
    const needed = residentBytes(shape, forms);
    device.reserve(needed, `${shape.docs} rows of ${shape.dims} + ${shape.semanticDims} dims`);
    const transpose = await device.pipeline(transposeShader(indexBytes(shape) === 2), "transpose");
    return device.allocate(`${shape.docs} rows (${formatBytes(needed)})`, (keep) => {
      return new ResidentRows(device, shape, forms, transpose, keep);
    });
  }

  /** Uploads blocks of rows, in order, and measures them. */
  static async upload(
    device: Device,
    shape: RowShape,
    blocks: Iterable<Rows> | AsyncIterable<Rows>,
    options: RowForms & { readonly onPlaced?: (docs: number) => void } = {},
  ): Promise<ResidentRows> {
    const resident = await ResidentRows.reserve(device, shape, options);
    try {
      const packer = new RowPacker(shape, resident.stagedDocs);
      const send = async () => {
        device.gpu.queue.writeBuffer(resident.#staging, 0, packer.words, 0, packer.docs * resident.words.row);
        resident.place(packer.docs);
        await device.idle(); // one block at a time, so that memory on the host stays bounded
        options.onPlaced?.(resident.#placed);
        packer.clear();
      };
      for await (const rows of blocks) {
        for (let doc = 0; doc < rows.docs; doc++) {
          packer.add(rows, doc);
          if (packer.isFull) await send();
        }
      }
      if (packer.docs > 0) await send();
      await resident.finish();
      return resident;
    } catch (error) {
      resident.close();
      throw error;
    }
  }

  private constructor(
    device: Device,
    shape: RowShape,
    forms: RowForms,
    transpose: GPUComputePipeline,
    keep: (buffer: GPUBuffer) => GPUBuffer,
  ) {
    this.device = device;
    this.shape = shape;
    this.forms = forms;
    this.#transpose = transpose;
    const buffers: GPUBuffer[] = [];
    const storage = (bytes: number, label: string) => {
      const buffer = keep(device.storage(bytes, label));
      buffers.push(buffer);
      return buffer;
    };
    const { dims, semanticDims } = shape;
    this.chunks = splitIntoChunks(shape, device.limits).map((chunk) => ({
      ...chunk,
      values: storage(chunk.stride * dims * 2, "values"),
      indices: storage(chunk.stride * dims * indexBytes(shape), "indices"),
      semantic: storage(chunk.stride * semanticDims * 2, "semantic"),
      lengths: storage(chunk.stride * 4, "lengths"),
      ...(forms.bytes && {
        bytes: {
          values: storage(chunk.stride * dims, "bytes of values"),
          semantic: storage(chunk.stride * (semanticDims + BYTE_VECTOR_FACTS), "bytes of vectors"),
        },
      }),
    }));
    const padded = this.chunks.reduce((sum, { stride }) => sum + stride, 0);
    this.allowed = storage(padded / 8, "allowed documents");
    this.words = rowWords(shape);
    const bytesPerRow = this.words.row * 4;
    const { bindingBytes } = device.limits;
    this.docsPerRowBuffer = Math.min(Math.floor(bindingBytes / bytesPerRow), Math.max(1, shape.docs));
    const rowBuffers = forms.rows ? Math.ceil(Math.max(1, shape.docs) / this.docsPerRowBuffer) : 0;
    this.rowBuffers = Array.from({ length: rowBuffers }, () =>
      storage(this.docsPerRowBuffer * bytesPerRow, "rows"),
    );
    // A multiple of sixteen: a thread transposes eight rows, and a binding may begin every 256 bytes.
    const most = Math.floor(Math.min(STAGING_BYTES, bindingBytes) / bytesPerRow / 16) * 16;
    if (most === 0) throw new DeviceMemory(`sixteen rows of ${bytesPerRow} bytes do not fit a binding`);
    this.stagedDocs = Math.min(most, Math.ceil(Math.max(1, shape.docs) / 16) * 16);
    this.#staging = storage(this.stagedDocs * bytesPerRow, "staging");
    this.#buffers = buffers;
    this.allow(undefined);
  }

  /** Bytes on the device. */
  get bytes(): number {
    return this.#buffers.reduce((sum, { size }) => sum + size, 0);
  }

  get docs(): number {
    return this.shape.docs;
  }

  get statistics(): ResidentStatistics {
    if (!this.#statistics) throw new Error("there are no statistics before finish() was called");
    return this.#statistics;
  }

  /** The buffer that `place` reads rows from, for callers who make rows on the device. */
  get staging(): GPUBuffer {
    return this.#staging;
  }

  /** Adds the first `docs` rows of the staging buffer. `docs` is a multiple of sixteen, except in the last call. */
  place(docs: number): void {
    if (this.#placed + docs > this.shape.docs) {
      throw new RangeError(`${this.#placed + docs} rows were placed, expected ${this.shape.docs}`);
    }
    const { gpu } = this.device;
    const { row } = this.words;
    const encoder = gpu.createCommandEncoder();
    for (let at = 0; at < docs && this.rowBuffers.length > 0; ) {
      const doc = this.#placed + at;
      const own = doc % this.docsPerRowBuffer;
      const n = Math.min(docs - at, this.docsPerRowBuffer - own);
      const to = this.rowBuffers[Math.floor(doc / this.docsPerRowBuffer)];
      encoder.copyBufferToBuffer(this.#staging, at * row * 4, to, own * row * 4, n * row * 4);
      at += n;
    }
    const temporary: GPUBuffer[] = [];
    for (const chunk of this.chunks) {
      const from = Math.max(chunk.first, this.#placed);
      const to = Math.min(chunk.first + chunk.docs, this.#placed + docs);
      if (from >= to) continue;
      const { dims, semanticDims } = this.shape;
      const { indices, semantic } = this.words;
      const place = this.device.uniform(
        [to - from, (from - chunk.first) / 8, chunk.stride / 8, dims, semanticDims, row, indices, semantic],
        "place",
      );
      temporary.push(place);
      const group = this.device.bindGroup(this.#transpose, [
        place,
        { buffer: this.#staging, offset: (from - this.#placed) * row * 4 },
        chunk.values,
        chunk.indices,
        chunk.semantic,
      ]);
      const pass = encoder.beginComputePass();
      pass.setPipeline(this.#transpose);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(groupsOfEight(to - from), this.shape.dims + this.shape.semanticDims);
      pass.end();
    }
    gpu.queue.submit([encoder.finish()]);
    this.device.free(temporary);
    this.#placed += docs;
  }

  /** Measures all rows and makes the bytes. Call it after the last row was placed and before the first search. */
  async finish(): Promise<ResidentStatistics> {
    if (this.#placed !== this.shape.docs) {
      throw new RangeError(`${this.#placed} rows were placed, expected ${this.shape.docs}`);
    }
    const { device, shape } = this;
    const cells = shape.dims * CELL_BUCKETS;
    const cellMaxima = device.storage(cells * 4, "largest values");
    const longest = device.storage(16, "longest rows");
    await this.#runOnChunks("cell maxima", cellMaximaShader(indexBytes(shape) === 2), (chunk, uniform) => ({
      buffers: [uniform, chunk.values, chunk.indices, cellMaxima],
      groups: [Math.min(64, groupsOfEight(chunk.stride)), shape.dims],
    }));
    await this.#runOnChunks("lengths", lengthsShader(), (chunk, uniform) => ({
      buffers: [uniform, chunk.values, chunk.semantic, chunk.lengths, longest],
      groups: [groupsOfEight(chunk.stride), 1],
    }));
    const bits = await this.#read(cellMaxima);
    const [length, semanticLength] = new Float32Array((await this.#read(longest)).buffer);
    device.free([cellMaxima, longest]);
    const maxima = Float32Array.from(bits.subarray(0, cells), float16Magnitude);
    const sliceMaxima = Float32Array.from({ length: shape.dims }, (_, slice) =>
      maxima.subarray(slice * CELL_BUCKETS, (slice + 1) * CELL_BUCKETS).reduce((a, b) => Math.max(a, b), 0),
    );
    this.#statistics = {
      cellMaxima: maxima,
      sliceMaxima,
      byteScales: sliceMaxima.map(byteScale),
      maxLength: Math.sqrt(length) * 1.000_001,
      maxSemanticLength: Math.sqrt(semanticLength) * 1.000_001,
    };
    if (!Number.isFinite(this.#statistics.maxLength)) {
      throw new RangeError("a row has a value that is not a finite number");
    }
    if (this.forms.bytes) await this.#makeBytes(this.#statistics);
    return this.#statistics;
  }

  async #makeBytes({ byteScales }: ResidentStatistics): Promise<void> {
    const { device, shape } = this;
    const scales = device.storage(byteScales.byteLength, "scales");
    device.gpu.queue.writeBuffer(scales, 0, byteScales as Float32Array<ArrayBuffer>);
    await this.#runOnChunks("bytes", bytesShader(), (chunk, uniform) => ({
      buffers: [uniform, scales, chunk.values, chunk.bytes!.values],
      groups: [groupsOfEight(chunk.stride), shape.dims],
    }));
    if (shape.semanticDims > 0) {
      await this.#runOnChunks("bytes of vectors", byteVectorsShader(), (chunk, uniform) => {
        const buffer = chunk.bytes!.semantic;
        const size = chunk.stride * shape.semanticDims;
        const facts = { buffer, offset: size, size: chunk.stride * BYTE_VECTOR_FACTS };
        return {
          buffers: [uniform, chunk.semantic, { buffer, offset: 0, size }, facts],
          groups: [groupsOfEight(chunk.stride) * 2, 1],
        };
      });
    }
    device.free([scales]);
  }

  /** Runs a shader once for each chunk, and waits for it. */
  async #runOnChunks(
    name: string,
    code: string,
    step: (
      chunk: ResidentChunk,
      uniform: GPUBuffer,
    ) => { readonly buffers: (GPUBuffer | GPUBufferBinding)[]; readonly groups: readonly [number, number] },
  ): Promise<void> {
    const pipeline = await this.device.pipeline(code, name);
    const uniforms: GPUBuffer[] = [];
    const encoder = this.device.gpu.createCommandEncoder();
    for (const chunk of this.chunks) {
      const uniform = this.device.uniform(chunkWords(chunk.stride, this.shape), "chunk");
      uniforms.push(uniform);
      const { buffers, groups } = step(chunk, uniform);
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, this.device.bindGroup(pipeline, buffers));
      pass.dispatchWorkgroups(...groups);
      pass.end();
    }
    this.device.gpu.queue.submit([encoder.finish()]);
    await this.device.idle();
    this.device.free(uniforms);
  }

  /** Copies a buffer to the host. */
  async #read(buffer: GPUBuffer): Promise<Uint32Array> {
    const target = this.device.buffer(buffer.size, 0x1 | 0x8, "read back");
    const encoder = this.device.gpu.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, target, 0, buffer.size);
    this.device.gpu.queue.submit([encoder.finish()]);
    await this.device.waitUnlessLost(target.mapAsync(1));
    const words = new Uint32Array(target.getMappedRange().slice(0));
    target.unmap();
    this.device.free([target]);
    return words;
  }

  /** Sets which documents may be found: a bit each, the lowest bit first. Undefined: all. */
  allow(bits: Uint32Array | undefined): void {
    for (const chunk of this.chunks) {
      const words = new Uint32Array(chunk.stride / 32);
      const [first, whole, rest] = [chunk.first / 32, chunk.docs >>> 5, chunk.docs & 31];
      for (let i = 0; i < whole; i++) words[i] = bits ? bits[first + i] : 0xffff_ffff;
      if (rest) words[whole] = (bits ? bits[first + whole] : 0xffff_ffff) & (2 ** rest - 1);
      this.device.gpu.queue.writeBuffer(this.allowed, chunk.first / 8, words);
    }
  }

  /** The part of `allowed` that belongs to a chunk. */
  allowedOf({ first, stride }: DocumentChunk): GPUBufferBinding {
    return { buffer: this.allowed, offset: first / 8, size: stride / 8 };
  }

  close(): void {
    this.device.free(this.#buffers);
  }
}

/** Bytes that these rows take on a device, without padding. */
function residentBytes(shape: RowShape, forms: RowForms): number {
  const columns = shape.dims * (2 + indexBytes(shape)) + shape.semanticDims * 2 + 4;
  const bytes = forms.bytes ? shape.dims + shape.semanticDims + BYTE_VECTOR_FACTS : 0;
  const rows = forms.rows ? rowWords(shape).row * 4 : 0;
  return shape.docs * (columns + bytes + rows);
}

/** A slice's largest value / 255, rounded up to 16 significant bits; `bytesShader` says why. */
function byteScale(most: number): number {
  if (most === 0) return 1;
  const unit = 2 ** (Math.floor(Math.log2(most / 255)) - 15);
  return Math.ceil(most / 255 / unit) * unit;
}

function float16Magnitude(bits: number): number {
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return Number.POSITIVE_INFINITY;
  return exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
}
