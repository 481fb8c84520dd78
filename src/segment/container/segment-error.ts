// What is wrong with the arrays of a segment → an error. Their checksums may match all the same.

import { UsageError } from "../../support/errors/usage-error.ts";

export function damagedSegmentError(what: string): UsageError {
  return new UsageError(
    `a segment is damaged: ${what}`,
    "restore it from a copy, or build the index again",
    "ERR_SLUICE_DAMAGED",
  );
}
