// What is wrong with the arrays of a segment → an error. Their checksums may match all the same.

import { SluiceError } from "../../support/errors/sluice-error.ts";

export function damagedSegmentError(what: string): SluiceError {
  return new SluiceError(
    `a segment is damaged: ${what}`,
    "restore it from a copy, or build the index again",
    "ERR_SLUICE_DAMAGED",
  );
}
