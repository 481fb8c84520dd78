// What is done at the location of an index, which is a folder or the address of a cluster: open, look, drop, verify, save. The
// code for clusters is loaded when an address asks for it.

import type { IndexBackend } from "./open/index-backend.ts";
import { checkLocation, isClusterAddress } from "./open/location.ts";
import { openFolderIndex } from "./open/open-index.ts";
import { type LocationOptions, type OpenOptions, takeCluster } from "./open/open-options.ts";
import type { CopyResult } from "./store/backup/backup.ts";
import { dropFolder } from "./store/medium/drop-folder.ts";
import { hasIndexInFolder } from "./store/medium/index-folder.ts";
import { type VerifyResult, verifyFolder } from "./store/verify/verify.ts";
import { SluiceError } from "./support/errors/sluice-error.ts";
import { isSameFolder } from "./support/files/same-folder.ts";
import { checkOptions } from "./support/options/options.ts";
import { checkSaveOptions, type SaveOptions } from "./support/options/save-options.ts";
import type { WorkOptions } from "./support/options/work-options.ts";

const loadCluster = () => import("./cluster/open-cluster.ts");

/** @internal Opens the index of a folder or of a cluster. If there is none, the first commit creates it. */
export async function openIndexAt(location: string, options: OpenOptions): Promise<IndexBackend> {
  if (!isClusterAddress(location)) return openFolderIndex(location, options);
  return (await loadCluster()).openClusterBackend(location, options);
}

/** @internal Whether there is an index, readable or not. */
export async function hasIndexAt(location: string, options: LocationOptions): Promise<boolean> {
  checkLocation(location);
  checkOptions(options, { cluster: true }, "exists");
  const [cluster] = takeCluster(options, location);
  if (!isClusterAddress(location)) return hasIndexInFolder(location);
  return (await loadCluster()).hasIndexOnCluster(location, cluster);
}

/** @internal Removes an index, whole or not at all. */
export async function dropIndexAt(location: string, options: LocationOptions): Promise<void> {
  checkLocation(location);
  checkOptions(options, { cluster: true }, "drop");
  const [cluster] = takeCluster(options, location);
  if (!isClusterAddress(location)) return dropFolder(location);
  return (await loadCluster()).dropOnCluster(location, cluster);
}

/** @internal Reads every byte of an index, and collects what is damaged. */
export async function verifyIndexAt(
  location: string,
  options: WorkOptions & LocationOptions,
): Promise<VerifyResult> {
  checkLocation(location);
  const [cluster, work] = takeCluster(options, location);
  if (!isClusterAddress(location)) return verifyFolder(location, work);
  return (await loadCluster()).verifyCluster(location, work, cluster);
}

/** @internal Writes the last commit of an index to another location. */
export async function saveIndexAt(
  backend: IndexBackend,
  location: string,
  options: SaveOptions & LocationOptions,
): Promise<CopyResult> {
  checkLocation(location);
  const [cluster, saving] = takeCluster(options, location);
  checkSaveOptions("save", saving);
  const isCluster = isClusterAddress(location);
  if (
    backend.location !== undefined &&
    (isCluster ? location === backend.location : isSameFolder(location, backend.location))
  )
    throw new SluiceError(`${location}: the index is here already`, "commit writes its changes");
  if (!isCluster || isClusterAddress(backend.location)) return backend.save(location, saving);
  const { saveToCluster } = await loadCluster();
  const snapshot = backend.snapshot.retain();
  try {
    return await saveToCluster(snapshot, location, saving, cluster);
  } finally {
    snapshot.release();
  }
}
