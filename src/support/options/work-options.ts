// The options of work that takes long: it reports its progress, and a signal stops it.

import { checkFunction, checkOptions, checkSignal, type KnownOptions } from "./options.ts";
import type { OnProgress } from "./progress.ts";

export interface WorkOptions {
  /** Called now and then with what is done. */
  readonly onProgress?: OnProgress | undefined;
  /** Stops the work. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of the options of long work. */
export const WORK_OPTIONS: KnownOptions<WorkOptions> = { onProgress: true, signal: true };

/** Throws if an option is unknown or wrong. `what` names the function in the error. */
export function checkWorkOptions(what: string, options: WorkOptions): void {
  checkOptions(options, WORK_OPTIONS, what);
  checkFunction("onProgress", options.onProgress);
  checkSignal(options.signal);
}
