// Where an index is: in a folder, or at the address of a cluster.

/** @internal What errors call the location of an index. */
export const LOCATION = "the location of an index";

/** Whether a location is the address of an index on a cluster, and not a folder. */
export function isClusterAddress(location: unknown): location is string {
  return typeof location === "string" && /^opensearchs?:/.test(location);
}
