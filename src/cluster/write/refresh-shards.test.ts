// When a refresh is done, against a server that answers as a cluster does that has just lost a node.

import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { parseClusterAddress } from "../connect/cluster-address.ts";
import { Connection } from "../connect/connection.ts";
import { refreshShards } from "./refresh-shards.ts";

const [WHOLE, ONE_FAILED, ONE_LEFT_OUT] = [
  { total: 6, successful: 6, failed: 0 },
  { total: 6, successful: 5, failed: 1 },
  { total: 6, successful: 4, failed: 0 },
];

/** A cluster that gives these answers, one after another, and the last one from then on. */
async function connectTo(refreshes: readonly object[], healths: readonly object[] = []) {
  const asked = { refreshes: 0, healths: 0 };
  const server = createServer((request, response) => {
    const body = request.url!.includes("_refresh")
      ? { _shards: refreshes[Math.min(asked.refreshes++, refreshes.length - 1)] }
      : healths[Math.min(asked.healths++, healths.length - 1)];
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const address = parseClusterAddress(`opensearch://127.0.0.1:${port}/x`);
  const connection = await Connection.open(address, {}, 1000);
  onTestFinished(async () => {
    await connection.close();
    server.close();
  });
  return { connection, asked };
}

test("a refresh of all copies is enough", async () => {
  const { connection, asked } = await connectTo([WHOLE]);
  await refreshShards(connection, "x-1");
  expect(asked).toEqual({ refreshes: 1, healths: 0 });
});

test("a copy that failed is refreshed again", async () => {
  const { connection, asked } = await connectTo([ONE_FAILED, WHOLE]);
  await refreshShards(connection, "x-1");
  expect(asked).toEqual({ refreshes: 2, healths: 0 });
});

test("copies that no node has are not waited for", async () => {
  const { connection, asked } = await connectTo([ONE_LEFT_OUT], [{ status: "yellow", active_shards: 4 }]);
  await refreshShards(connection, "x-1");
  expect(asked).toEqual({ refreshes: 1, healths: 1 });
});

test("a shard that was between two first copies is refreshed again", async () => {
  const { connection, asked } = await connectTo(
    [ONE_LEFT_OUT, ONE_LEFT_OUT, { total: 6, successful: 5, failed: 0 }],
    [
      { status: "red", active_shards: 4 },
      { status: "yellow", active_shards: 5 },
      { status: "yellow", active_shards: 5 },
    ],
  );
  await refreshShards(connection, "x-1");
  expect(asked).toEqual({ refreshes: 3, healths: 3 });
});

test("a shard that stays away is an error", async () => {
  const { connection } = await connectTo([ONE_LEFT_OUT], [{ status: "red", active_shards: 4 }]);
  await expect(refreshShards(connection, "x-1")).rejects.toMatchObject({
    code: "ERR_SLUICE_CLUSTER",
    message: expect.stringContaining("4 of 6 copies of shards"),
  });
});
