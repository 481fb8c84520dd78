// The errors that every kind of index throws: in a folder, in memory, on a cluster and in a page.

import { SluiceError } from "./sluice-error.ts";

/** The error of a call after `close`. `location` is where the index is, or the file that was closed with it. */
export function closedError(location?: string): SluiceError {
  const problem = "the index was closed";
  return new SluiceError(
    location === undefined ? problem : `${location}: ${problem}`,
    undefined,
    "ERR_SLUICE_CLOSED",
  );
}

/** The error of a change to an index that was opened with `readOnly`. */
export function openedReadOnlyError(location: string | undefined): SluiceError {
  return new SluiceError(
    `${location}: the index was opened to be read only`,
    "open it without readOnly",
    "ERR_SLUICE_READ_ONLY",
  );
}
