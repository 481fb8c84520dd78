// A GPU and the segments whose rows are on it. Rows are uploaded when a segment is searched first, and leave with it.

import { type Device, openDevice } from "../scan/webgpu/device.ts";
import { DeviceMemory } from "../scan/webgpu/device-errors.ts";
import { DeviceSearch } from "../scan/webgpu/device-search.ts";
import { ResidentRows } from "../scan/webgpu/resident.ts";
import type { SegmentSource } from "../segment/segment.ts";
import { Turns } from "../support/turns.ts";
import { notOnDevice, ResidentSegment, searchDevice } from "./gpu-engine.ts";
import type { GpuOptions } from "./kernel-options.ts";
import type { EngineRequest, Ranking } from "./request.ts";
import type { SearchSegment } from "./searched-segment.ts";

/** Slices that rows on a device can have. */
const MOST_DIMS = 65_536;

export class DeviceIndex {
  readonly device: Device;
  /** Whether the CPU may answer where rows do not fit the device. */
  readonly isOptional: boolean;
  readonly #options: GpuOptions;
  readonly #residents = new Map<SegmentSource, Promise<ResidentSegment>>();
  readonly #rows = new Map<SegmentSource, ResidentRows>();

  static async open(options: GpuOptions = {}, isOptional = false): Promise<DeviceIndex> {
    return new DeviceIndex(await openDevice(options), options, isOptional);
  }

  constructor(device: Device, options: GpuOptions = {}, isOptional = false) {
    this.device = device;
    this.isOptional = isOptional;
    this.#options = options;
  }

  /** Why rows such as these cannot be on a device; undefined when they can. */
  static refusal(dims: number): string | undefined {
    if (dims <= MOST_DIMS) return undefined;
    return `rows of ${dims} slices are not for a GPU: it takes ${MOST_DIMS} at most`;
  }

  /** Bytes on the device. */
  get bytes(): number {
    return this.device.usedBytes;
  }

  /** Why a request is not for the device; undefined when it is. */
  refuses(request: EngineRequest): string | undefined {
    return notOnDevice(request);
  }

  /** Segments and what they hold, in the same order. Undefined for questions that could not be answered for certain. */
  async search(
    segments: readonly SearchSegment[],
    sources: readonly SegmentSource[],
    requests: readonly EngineRequest[],
    turns = new Turns(),
  ): Promise<(Ranking | undefined)[]> {
    const resident = await Promise.all(
      segments.map(async (segment, i) =>
        segment.docs === 0 ? [] : [{ ...segment, resident: await this.resident(sources[i]) }],
      ),
    );
    return searchDevice(resident.flat(), requests, turns);
  }

  /** The rows of a segment on the device, uploaded where they are not there yet. */
  resident(source: SegmentSource): Promise<ResidentSegment> {
    let resident = this.#residents.get(source);
    if (!resident) {
      resident = this.#upload(source);
      this.#residents.set(source, resident);
      resident.catch(() => this.#residents.delete(source));
      source.onClose(() => this.#forget(source));
    }
    return resident;
  }

  async #upload(source: SegmentSource): Promise<ResidentSegment> {
    const { docs, meta } = source;
    const { dims, perSlice } = meta.settings;
    const refused = DeviceIndex.refusal(dims);
    if (refused) throw new DeviceMemory(refused, "build the index with fewer dims, or search on the CPU");
    const shape = { docs, dims, perSlice, semanticDims: meta.semanticDims };
    const { onUpload } = this.#options;
    const upload = async (withRows: boolean) =>
      ResidentRows.upload(this.device, shape, [await source.rows()], {
        rows: withRows,
        ...(onUpload && { onProgress: (done) => onUpload(done, docs) }),
      });
    // A copy of the rows beside the columns makes rescoring faster; where there is no room for it, columns serve.
    const rows = await upload(true).catch((error) => {
      if (error instanceof DeviceMemory) return upload(false);
      throw error;
    });
    this.#rows.set(source, rows);
    return new ResidentSegment(new DeviceSearch(rows));
  }

  #forget(source: SegmentSource): void {
    this.#residents.delete(source);
    this.#rows.get(source)?.close();
    this.#rows.delete(source);
  }

  close(): void {
    this.#residents.clear();
    this.#rows.clear();
    this.device.close();
  }
}
