// What an index searches with: threads, a GPU, and memory for rows. They are opened with the index and closed with it.

import { ScanPool } from "../scan/thread-pool.ts";
import type { KernelOptions, Means } from "./answer.ts";
import { type ChosenKernel, chooseKernel, kernelInfo, WASM } from "./choose-kernel.ts";
import type { DeviceIndex } from "./gpu-index.ts";
import type { KernelInfo } from "./kernel-options.ts";

interface MeansOptions extends KernelOptions {
  threads?: number;
  rowBytes?: number;
}

/** @internal */
export class SearchMeans {
  readonly #options: MeansOptions;
  #kernel: ChosenKernel;
  #pool: ScanPool | undefined;

  private constructor(options: MeansOptions, kernel: ChosenKernel) {
    this.#options = options;
    this.#kernel = kernel;
  }

  /** Chooses the kernel for rows of `dims` slices. */
  static async open(options: MeansOptions, dims: number): Promise<SearchMeans> {
    return new SearchMeans(options, await chooseKernel(options.kernel ?? "wasm", dims, options.gpu));
  }

  /** For a search. The first one starts the threads. */
  get means(): Means {
    const { threads = 1, rowBytes } = this.#options;
    const { device } = this.#kernel;
    if (threads > 1) this.#pool ??= new ScanPool(threads);
    return {
      ...(rowBytes !== undefined && { rowBytes }),
      ...(this.#pool && { pool: this.#pool }),
      ...(device && { device }),
    };
  }

  get kernel(): KernelInfo {
    return kernelInfo(this.#kernel);
  }

  get device(): DeviceIndex | undefined {
    return this.#kernel.device;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
    this.#pool = undefined;
    this.#kernel.device?.close();
    this.#kernel = WASM;
  }
}
