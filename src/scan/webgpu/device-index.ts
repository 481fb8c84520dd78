// A GPU and the segments whose rows are on it. The rows of a segment are uploaded at its first search, and removed when the
// segment is closed.

import type { SegmentSource } from "../../segment/segment.ts";
import type { GpuOptions } from "../contract/kernel-options.ts";
import { type Device, openDevice } from "./device.ts";
import { DeviceMemory } from "./device-errors.ts";
import { DeviceSearch } from "./device-search.ts";
import { GpuFirstStage } from "./gpu-first-stage.ts";
import { ResidentRows } from "./resident-rows.ts";
import { ResidentSegment } from "./resident-segment.ts";

/** The most slices of rows on a GPU. */
const MOST_DIMS = 65_536;

export class DeviceIndex {
  readonly device: Device;
  /** Whether the CPU may answer if rows do not fit the GPU. */
  readonly isOptional: boolean;
  readonly firstStage: GpuFirstStage;
  readonly #options: GpuOptions;
  readonly #residents = new Map<SegmentSource, Promise<ResidentSegment>>();
  readonly #rows = new Map<SegmentSource, ResidentRows>();

  static async open(options: GpuOptions = {}, isOptional = false): Promise<DeviceIndex> {
    return new DeviceIndex(await openDevice(options), options, isOptional);
  }

  constructor(device: Device, options: GpuOptions = {}, isOptional = false) {
    this.device = device;
    this.isOptional = isOptional;
    this.firstStage = new GpuFirstStage(isOptional);
    this.#options = options;
  }

  /** Why rows of `dims` slices cannot be on a GPU; undefined if they can. */
  static refusal(dims: number): string | undefined {
    if (dims <= MOST_DIMS) return undefined;
    return `rows of ${dims} slices do not fit a GPU: it takes at most ${MOST_DIMS}`;
  }

  /** The bytes that rows take on the GPU. */
  get bytes(): number {
    return this.device.usedBytes;
  }

  /** The rows of a segment on the GPU. Uploads them the first time. */
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
    const { rowCount, meta } = source;
    const { dims, perSlice } = meta.settings;
    const refused = DeviceIndex.refusal(dims);
    if (refused) throw new DeviceMemory(refused, "build the index with fewer dims, or search on the CPU");
    const shape = { docs: rowCount, dims, perSlice, semanticDims: meta.semanticDims };
    const { onUpload } = this.#options;
    const upload = async (needsRows: boolean) =>
      ResidentRows.upload(this.device, shape, [await source.loadRows()], {
        rows: needsRows,
        ...(onUpload && { onPlaced: (done) => onUpload({ task: "uploading", done, total: rowCount }) }),
      });
    // A copy of the rows beside the columns makes rescoring faster. If it does not fit, only the columns are uploaded.
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
