// Written documents → documents that searches see, on all copies of all shards. A copy that was left out would show a commit
// later than others, so nothing is committed before all of them answered.

import { ClusterError, type Connection } from "../connect/connection.ts";

/** Copies of shards, as OpenSearch counts them. Those that no node has yet are in `total` alone. */
interface RefreshedShards {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

/** Refreshes an index. If a node was just lost, waits until other copies have taken the place of its copies. */
export async function refreshShards(connection: Connection, index: string): Promise<void> {
  let shards: RefreshedShards = { total: 0, successful: 0, failed: 0 };
  await connection.waitUntil(
    async () => {
      const answer = await connection.ask<{ _shards: RefreshedShards }>({
        method: "POST",
        path: `/${index}/_refresh`,
      });
      shards = answer._shards;
      if (shards.failed > 0) return false;
      if (shards.successful === shards.total) return true;
      // OpenSearch does not call a shard without a first copy failed. A copy that begins later shows everything.
      const { status, active_shards } = await connection.ask<{ status: string; active_shards: number }>({
        method: "GET",
        path: `/_cluster/health/${index}`,
      });
      return status !== "red" && shards.successful >= active_shards;
    },
    () =>
      new ClusterError(
        `${connection.address.text}: ${shards.successful} of ${shards.total} copies of shards show what was written`,
        503,
        "refresh_failed",
        "commit again when the cluster is healthy; nothing was committed",
      ),
  );
}
