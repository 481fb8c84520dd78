// The address of a cluster → the backend that `Sluice` calls.

import { type ResolvedOptions, withOpenedEncoder } from "../ingest/options/encoder-options.ts";
import { NewIndex } from "../ingest/options/new-index.ts";
import { createEmptySnapshot } from "../ingest/options/row-rules.ts";
import { IndexResources } from "../open/index-resources.ts";
import { createPreparer, requireSameOptions } from "../open/open-index.ts";
import { type ClusterOptions, checkOpen, type OpenOptions } from "../open/open-options.ts";
import type { Copy } from "../store/backup/backup.ts";
import { noIndexError } from "../store/database/database.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import type { Verification } from "../store/verify/verify.ts";
import type { SaveOptions } from "../support/options/save-options.ts";
import { checkWorkOptions, type WorkOptions } from "../support/options/work-options.ts";
import { ClusterBackend } from "./cluster-backend.ts";
import { requireCopyable, requireOnCluster } from "./cluster-limits.ts";
import { ClusterIndex } from "./commit/cluster-index.ts";
import { readRecord } from "./commit/cluster-record.ts";
import { chooseAccess, parseClusterAddress } from "./connect/cluster-address.ts";
import { Connection } from "./connect/connection.ts";
import { dropIndex } from "./transfer/drop.ts";
import { pushSnapshot } from "./transfer/push.ts";

/** @internal Opens the index at an address. If there is none, the first commit creates it. */
export async function openClusterBackend(address: string, options: OpenOptions): Promise<ClusterBackend> {
  checkOpen(address, options);
  requireOnCluster(options);
  return withOpenedEncoder(options, async (ready) => {
    const connection = await connect(address, options.cluster);
    try {
      return await openBackend(connection, options, ready);
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
}

/** @internal Whether there is an index at an address. */
export async function hasIndexOnCluster(
  address: string,
  cluster: ClusterOptions | undefined,
): Promise<boolean> {
  const connection = await connect(address, cluster);
  try {
    return (await readRecord(connection)) !== undefined;
  } finally {
    await connection.close();
  }
}

/** @internal Removes the index at an address. */
export async function dropOnCluster(address: string, cluster: ClusterOptions | undefined): Promise<void> {
  const connection = await connect(address, cluster);
  try {
    await dropIndex(connection);
  } finally {
    await connection.close();
  }
}

/** @internal Copies the last commit of an index to an address. */
export async function saveToCluster(
  snapshot: Snapshot,
  address: string,
  options: SaveOptions,
  cluster: ClusterOptions | undefined,
): Promise<Copy> {
  requireCopyable(snapshot);
  const { overwrite = false, ...work } = options;
  const connection = await connect(address, cluster);
  try {
    return await pushSnapshot(snapshot, connection, { overwrite, ...work });
  } finally {
    await connection.close();
  }
}

/** @internal Reads every document of an index on a cluster, and collects what is damaged. */
export async function verifyCluster(
  address: string,
  options: WorkOptions,
  cluster: ClusterOptions | undefined,
): Promise<Verification> {
  checkWorkOptions("verify", options);
  const backend = await openClusterBackend(address, { readOnly: true, cluster });
  try {
    return await backend.verify(options);
  } finally {
    await backend.close();
  }
}

/** A connection to the cluster of an address. */
async function connect(address: string, cluster: ClusterOptions = {}): Promise<Connection> {
  const access = chooseAccess(cluster, process.env);
  return Connection.open(parseClusterAddress(address), access, cluster.patienceMs);
}

async function openBackend(
  connection: Connection,
  options: OpenOptions,
  ready: ResolvedOptions<OpenOptions>,
): Promise<ClusterBackend> {
  const { readOnly, create = true, overwrite = false, bufferBytes, spreadSample, analyzer, cluster } = ready;
  const newIndex = new NewIndex(ready);
  const empty = createEmptySnapshot(newIndex.requireStart());
  const index = await ClusterIndex.open(connection, { ...cluster, analyzer, empty }, overwrite);
  if (!index.record && (readOnly || !create)) throw noIndexError(connection.address.text);
  if (index.record && !overwrite) requireSameOptions(connection.address.text, index.snapshot, options, ready);
  const resources = await IndexResources.create({}, empty.slicingSettings.dims);
  return new ClusterBackend(index, createPreparer(ready), resources, {
    readOnly,
    overwrite,
    bufferBytes,
    spreadSample,
    newIndex,
  });
}
