// The first stages that there are, behind one type: the CPU reads segments in WebAssembly memory, a GPU reads its own.

import type { FirstStage } from "./contract/first-stage.ts";
import type { ScanPool } from "./wasm/scan-pool.ts";
import type { Scanner } from "./wasm/scanner.ts";
import { WasmFirstStage } from "./wasm/wasm-first-stage.ts";
import type { DeviceIndex } from "./webgpu/device-index.ts";
import type { ResidentSegment } from "./webgpu/resident-segment.ts";

/** What every first stage can load a segment from. */
export interface ScanSources {
  /** The layout of the segment in WebAssembly memory. The first call loads the layout. */
  scanner(): Promise<Scanner>;
  /** The rows of the segment on a GPU. The first call uploads the rows. Absent without a GPU. */
  resident?(): Promise<ResidentSegment>;
}

/** What is loaded of a segment: one of the two. */
export interface ScannedMemory {
  readonly scanner: Scanner | undefined;
  readonly resident: ResidentSegment | undefined;
}

type AnyFirstStage = FirstStage<ScanSources, ScannedMemory>;

/** The CPU, on the calling thread. */
export const ON_THIS_THREAD: AnyFirstStage = new WasmFirstStage();

/** The first stages that answer a search, in the order in which they are asked. The last one answers every request. */
export function chooseFirstStages(pool?: ScanPool, device?: DeviceIndex): readonly AnyFirstStage[] {
  const cpu = pool ? new WasmFirstStage(pool) : ON_THIS_THREAD;
  return device ? [device.firstStage, cpu] : [cpu];
}
