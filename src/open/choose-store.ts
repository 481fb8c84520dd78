// Where an index is → the store that `Sluice` asks: that of a folder, or that of a cluster. The code for clusters is loaded when an
// address asks for it.

import { dropFolder } from "../store/medium/drop-folder.ts";
import { holdsIndex } from "../store/medium/index-folder.ts";
import { type Verification, verifyFolder } from "../store/verify/verify.ts";
import { UsageError } from "../support/errors/usage-error.ts";
import { isSameFolder } from "../support/files/same-folder.ts";
import { checkText } from "../support/options/options.ts";
import { checkSaveOptions, type SaveOptions } from "../support/options/save-options.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { IndexStore } from "./index-store.ts";
import { isClusterAddress, LOCATION } from "./location.ts";
import { openIndex } from "./open-index.ts";
import type { OpenOptions } from "./open-options.ts";

const loadCluster = () => import("../cluster/open-cluster.ts");

/** @internal Opens the index of a folder or of a cluster. If there is none, the first commit creates it. */
export async function openAt(location: string, options: OpenOptions): Promise<IndexStore> {
  if (!isClusterAddress(location)) return openIndex(location, options);
  return (await loadCluster()).openCluster(location, options);
}

/** @internal Whether there is an index, readable or not. */
export async function existsAt(location: string): Promise<boolean> {
  checkText(LOCATION, location);
  if (!isClusterAddress(location)) return holdsIndex(location);
  return (await loadCluster()).clusterHolds(location);
}

/** @internal Removes an index, whole or not at all. */
export async function dropAt(location: string): Promise<void> {
  checkText(LOCATION, location);
  if (!isClusterAddress(location)) return dropFolder(location);
  return (await loadCluster()).dropOnCluster(location);
}

/** @internal Reads every byte of an index, and collects what is damaged. */
export async function verifyAt(location: string, options: WorkOptions): Promise<Verification> {
  if (!isClusterAddress(location)) return verifyFolder(location, options);
  return (await loadCluster()).verifyCluster(location, options);
}

/** @internal Writes the last commit of an index to another location. */
export async function saveAt(store: IndexStore, location: string, options: SaveOptions): Promise<void> {
  checkText(LOCATION, location);
  checkSaveOptions("save", options);
  const isCluster = isClusterAddress(location);
  if (
    store.location !== undefined &&
    (isCluster ? location === store.location : isSameFolder(location, store.location))
  )
    throw new UsageError(`${location}: the index is here already`, "commit writes its changes");
  if (!isCluster || isClusterAddress(store.location)) return store.save(location, options);
  const { saveToCluster } = await loadCluster();
  const snapshot = store.snapshot.retain();
  try {
    await saveToCluster(snapshot, location, options);
  } finally {
    snapshot.release();
  }
}
