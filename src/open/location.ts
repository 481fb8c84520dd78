// Where an index is: in a folder, or at the address of a cluster.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { checkPath } from "../support/files/check-path.ts";

/** How a cluster's address may be written by mistake. */
const OTHER_ADDRESS = /^(?:opensearchs?|elasticsearch|https?):\/\//i;
/** What errors call the location of an index. */
const LOCATION = "the location of an index";

/** @internal Throws if the value is neither a path nor the address of an index on a cluster. */
export function checkLocation(location: unknown): asserts location is string {
  if (isClusterAddress(location)) return;
  if (typeof location === "string" && OTHER_ADDRESS.test(location)) {
    throw new SluiceError(
      `${LOCATION} must be a path, not the URL ${location}`,
      "an index on a cluster has an address such as opensearch://host:9200/name, or opensearchs:// with https",
    );
  }
  checkPath(LOCATION, location);
}

/** Whether a location is the address of an index on a cluster, and not a folder. */
export function isClusterAddress(location: unknown): location is string {
  return typeof location === "string" && /^opensearchs?:/.test(location);
}
