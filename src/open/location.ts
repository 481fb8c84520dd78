// Where an index is: in a folder, or at the address of a cluster.

import { checkPath } from "../support/files/check-path.ts";

/** What errors call the location of an index. */
const LOCATION = "the location of an index";

/** @internal Throws if the value is neither a path nor the address of an index on a cluster. */
export function checkLocation(location: unknown): asserts location is string {
  if (!isClusterAddress(location)) checkPath(LOCATION, location);
}

/** Whether a location is the address of an index on a cluster, and not a folder. */
export function isClusterAddress(location: unknown): location is string {
  return typeof location === "string" && /^opensearchs?:/.test(location);
}
