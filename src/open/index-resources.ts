// The resources that an index searches with: threads, a GPU, memory for rows, and cross-encoders. They are
// opened with the index and closed with it.

import type { CrossEncoders } from "../encode/rerank/cross-encoders.ts";
import { type ChosenKernel, CPU_KERNEL, chooseKernel, kernelInfo } from "../scan/choose-kernel.ts";
import type { KernelInfo, KernelOptions } from "../scan/contract/kernel-options.ts";
import type { SearchResources } from "../scan/search-resources.ts";
import { ScanPool } from "../scan/wasm/scan-pool.ts";
import type { DeviceIndex } from "../scan/webgpu/device-index.ts";
import type { PairScorer, RerankOptions } from "../search/options/rerank-options.ts";

interface ResourceOptions extends KernelOptions {
  threads?: number;
  maxRowBytes?: number;
}

/** @internal */
export class IndexResources {
  readonly #options: ResourceOptions;
  #kernel: ChosenKernel;
  #pool: ScanPool | undefined;
  #crossEncoders: CrossEncoders | undefined;

  private constructor(options: ResourceOptions, kernel: ChosenKernel) {
    this.#options = options;
    this.#kernel = kernel;
  }

  /** Chooses the kernel for rows of `dims` slices. */
  static async create(options: ResourceOptions, dims: number): Promise<IndexResources> {
    return new IndexResources(options, await chooseKernel(options.kernel ?? "wasm", dims, options.gpu));
  }

  /** What one search may use. The first call starts the threads, which stay until `close`. */
  takeSearchResources(): SearchResources {
    const { threads = 1, maxRowBytes } = this.#options;
    const { device } = this.#kernel;
    if (threads > 1) this.#pool ??= new ScanPool(threads);
    return { maxRowBytes, pool: this.#pool, device };
  }

  get kernel(): KernelInfo {
    return kernelInfo(this.#kernel);
  }

  get device(): DeviceIndex | undefined {
    return this.#kernel.device;
  }

  /** Opens the cross-encoder of a folder, which stays open until `close`; or returns the one that was given. */
  async openCrossEncoder(model: RerankOptions["model"]): Promise<PairScorer> {
    if (typeof model !== "string") return model;
    const { CrossEncoders } = await import("../encode/rerank/cross-encoders.ts");
    this.#crossEncoders ??= new CrossEncoders();
    return this.#crossEncoders.openFolder(model);
  }

  async close(): Promise<void> {
    await this.#crossEncoders?.close();
    this.#crossEncoders = undefined;
    await this.#pool?.close();
    this.#pool = undefined;
    this.#kernel.device?.close();
    this.#kernel = CPU_KERNEL;
  }
}
