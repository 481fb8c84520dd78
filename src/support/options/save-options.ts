// The options of work that writes an index where another may be: `save`, `restore` and `repair`.

import { checkBoolean, checkFunction, checkOptions, checkSignal, type KnownOptions } from "./options.ts";
import { WORK_OPTIONS, type WorkOptions } from "./work-options.ts";

/** How an index is written elsewhere. */
export interface SaveOptions extends WorkOptions {
  /** Replaces an index that is there; false by default. */
  readonly overwrite?: boolean | undefined;
}

/** The names of the options of `save` and `restore`. */
export const SAVE_OPTIONS: KnownOptions<SaveOptions> = { overwrite: true, ...WORK_OPTIONS };

/** Throws if an option is unknown or wrong. `what` names the function in the error. */
export function checkSaveOptions(what: string, options: SaveOptions): void {
  checkOptions(options, SAVE_OPTIONS, what);
  checkBoolean("overwrite", options.overwrite);
  checkFunction("onProgress", options.onProgress);
  checkSignal(options.signal);
}
