// The error for ids that no document has.

import { SluiceError } from "../support/errors/sluice-error.ts";

/** The most ids that an error names. */
const MOST_NAMED = 10;

/** The error for ids that no document has. */
export function noDocumentError(...ids: string[]): SluiceError {
  const named = [...new Set(ids)].map((id) => JSON.stringify(id));
  const more = named.length > MOST_NAMED ? ` and ${named.length - MOST_NAMED} more` : "";
  const which = named.slice(0, MOST_NAMED).join(", ");
  return new SluiceError(
    `no document has the ${named.length === 1 ? "id" : "ids"} ${which}${more}`,
    undefined,
    "ERR_SLUICE_NO_DOCUMENT",
  );
}
