// The options of a search and of the kernel, and their checks.

import type { Filter } from "../documents/filter.ts";
import { UsageError } from "../errors.ts";
import { checkPlan, type Plan } from "../query/plan.ts";
import { type GpuOptions, KERNELS, type KernelName } from "../scan/kernel-options.ts";
import { checkLambda } from "../store/lambda.ts";
import {
  checkFunction,
  checkIterable,
  checkNumber,
  checkOptions,
  checkSignal,
  isObject,
  type KnownOptions,
  MOST_DOCS,
  shown,
  wrong,
} from "../support/options.ts";

export interface KernelOptions {
  /**
   * What scores documents. `wasm`, the default, is the CPU. `webgpu` is a GPU; the first search uploads the rows. `auto` takes
   * a GPU if there is one that fits this index. The `kernel` property of an index says which it is, and why.
   */
  readonly kernel?: KernelName;
  /** How to use the GPU. */
  readonly gpu?: GpuOptions;
}

export interface SearchOptions {
  /** The most hits to return; 10 when left out. */
  readonly k?: number;
  /** How many of the best hits to skip, for the next page. Pages fit together as long as the index does not change. */
  readonly offset?: number;
  /** How to search; `auto` when left out. */
  readonly plan?: Plan;
  /** Weight of the semantic part, instead of the index's own. */
  readonly lambda?: number;
  /** A condition on the fields of documents: { year: { lt: 1933 } }. */
  readonly filter?: Filter;
  /** Ids that must not be among the hits; others take their places. */
  readonly exclude?: Iterable<string>;
  /** Leaves out documents that score less. Scores have no maximum. `offset` and `k` count among the documents that remain. */
  readonly minScore?: number;
  /** Aborting it stops the search within about 10 ms. The search then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The names of the options of a search. */
export const SEARCH_OPTIONS: KnownOptions<SearchOptions> = {
  k: true,
  offset: true,
  plan: true,
  lambda: true,
  filter: true,
  exclude: true,
  minScore: true,
  signal: true,
};

/** Throws if an option of a search is unknown or wrong. `what` names the function in the error. */
export function checkSearchOptions(options: SearchOptions, what = "search"): void {
  checkOptions(options, SEARCH_OPTIONS, what);
  const { k, offset, plan, lambda, filter, exclude, minScore, signal } = options;
  checkNumber("k", k, { least: 1, most: MOST_DOCS, isWhole: true });
  checkNumber("offset", offset, { least: 0, most: MOST_DOCS, isWhole: true });
  checkNumber("minScore", minScore, { least: -Number.MAX_VALUE });
  if (plan !== undefined) checkPlan(plan);
  checkWeight(lambda);
  if (filter !== undefined && !isObject(filter)) throw wrong("filter", "an object of fields", filter);
  checkIterable("exclude", "ids", exclude);
  checkSignal(signal);
}

/** Throws if λ is not a weight. `undefined` passes. */
export function checkWeight(lambda: unknown): void {
  if (lambda === undefined) return;
  if (typeof lambda !== "number") throw wrong("lambda", "a number", lambda);
  checkLambda(lambda);
}

/** The names of the kernel options. */
export const KERNEL_OPTIONS: KnownOptions<KernelOptions> = { kernel: true, gpu: true };
const GPU_OPTIONS: KnownOptions<GpuOptions> = { memoryBytes: true, powerPreference: true, onUpload: true };

export function checkKernelOptions({ kernel, gpu }: KernelOptions): void {
  if (kernel !== undefined && !KERNELS.includes(kernel))
    throw new UsageError(`there is no kernel ${shown(kernel)}`, `one of ${KERNELS.join(", ")}`);
  if (gpu === undefined) return;
  checkOptions(gpu, GPU_OPTIONS, "gpu");
  checkNumber("gpu.memoryBytes", gpu.memoryBytes, { least: 0 });
  checkFunction("gpu.onUpload", gpu.onUpload);
}
