// The options of `open` and `build`, checked: those of the index, and what it searches with.

import { checkKernelOptions, KERNEL_OPTIONS, type KernelOptions } from "../rank/search-options.ts";
import { BUILD_OPTIONS, type BuildOptions, checkBuildOptions } from "../store/index-options.ts";
import {
  checkIterable,
  checkNumber,
  checkOptions,
  checkSignal,
  checkText,
  checkTruth,
  type KnownOptions,
} from "../support/options.ts";

export interface OpenOptions
  extends Omit<BuildOptions, "encodings" | "signal" | "onProgress">,
    KernelOptions {
  /** Opens an index that exists, and never writes to it; false when left out. */
  readOnly?: boolean;
  /** Replaces the index of the folder with the first commit; false when left out. */
  overwrite?: boolean;
  /** About how much memory documents take that wait for a commit; 256 MiB when left out. Beyond, they go to disk. */
  bufferBytes?: number;
  /** How much memory rows may take, all together; 1 GiB when left out. Other rows are read from the disk. */
  rowBytes?: number;
}

const { encodings: _, signal: __, onProgress: ___, ...SHARED_OPTIONS } = BUILD_OPTIONS;

/** The names of the options of `open`. */
export const OPEN_OPTIONS: KnownOptions<OpenOptions> = {
  ...SHARED_OPTIONS,
  ...KERNEL_OPTIONS,
  readOnly: true,
  overwrite: true,
  bufferBytes: true,
  rowBytes: true,
};

/** The names of the options of `save`. */
export const SAVE_OPTIONS: KnownOptions<Pick<OpenOptions, "overwrite">> = { overwrite: true };

/** @internal Throws if the folder or an option of `save` is wrong. */
export function checkSave(folder: string, options: Pick<OpenOptions, "overwrite">): void {
  checkText("the folder of an index", folder);
  checkOptions(options, SAVE_OPTIONS, "save");
  checkTruth("overwrite", options.overwrite);
}

/** @internal Throws if the folder or an option of `open` is wrong. */
export function checkOpen(folder: string, options: OpenOptions): void {
  checkText("the folder of an index", folder);
  checkOptions(options, OPEN_OPTIONS, "open");
  checkBuildOptions(options);
  checkKernelOptions(options);
  checkTruth("readOnly", options.readOnly);
  checkTruth("overwrite", options.overwrite);
  for (const name of ["bufferBytes", "rowBytes"] as const) {
    if (options[name] !== Number.POSITIVE_INFINITY) checkNumber(name, options[name], { least: 0 });
  }
}

/** @internal Throws if the documents are not iterable, or an option of `build` is wrong. */
export function checkBuild(documents: unknown, options: BuildOptions & KernelOptions): void {
  checkIterable("documents", "documents", documents ?? null, true);
  checkOptions(options, { ...BUILD_OPTIONS, ...KERNEL_OPTIONS }, "build");
  checkBuildOptions(options);
  checkKernelOptions(options);
  checkSignal(options.signal);
}
