// Which commands copy an index on a cluster, and which one in a folder: an operand of the other kind gets an error that names the
// command to take instead.

import { SluiceError } from "../../index.ts";
import { isClusterAddress } from "../../open/location.ts";

/** Throws if a location is no address of a cluster. `instead` says what to do with a folder. */
export function requireAddress(location: string, instead: string): void {
  if (isClusterAddress(location)) return;
  throw new SluiceError(`${location} is no address of a cluster: opensearch://HOST:PORT/NAME`, instead);
}

/** Throws if a location is the address of a cluster, because the command needs the files of a folder. */
export function requireFolder(location: string, command: string): void {
  if (!isClusterAddress(location)) return;
  throw new SluiceError(
    `${location}: an index on a cluster has no files of its own, which sluice ${command} needs`,
    `sluice pull ${location} DIR copies it into a folder; then sluice ${command} DIR …`,
  );
}
