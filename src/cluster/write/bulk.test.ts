// Bulk requests and their connection, against a server that is too busy, lies down, or refuses.

import { createServer, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";
import { parseClusterAddress } from "../connect/cluster-address.ts";
import { Connection } from "../connect/connection.ts";
import { BulkRequests } from "./bulk.ts";

interface BulkRequest {
  readonly path: string;
  readonly lines: readonly string[];
}

type Answerer = (asked: BulkRequest, count: number) => { status?: number; body: object };

const servers: Server[] = [];
const connections: Connection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  for (const server of servers.splice(0)) server.close();
});

/** `isTime` says whether answers that are held back are sent, by how many are and how many requests came in all. */
async function connectTo(
  answer: Answerer,
  patienceMs = 5000,
  isTime: (held: number, all: number) => boolean = () => true,
) {
  const all: BulkRequest[] = [];
  let most = 0;
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const asked = {
        path: request.url!,
        lines: Buffer.concat(parts).toString().split("\n").filter(Boolean),
      };
      all.push(asked);
      const { status = 200, body } = answer(asked, all.length);
      held.push(() =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
      most = Math.max(most, held.length);
      if (isTime(held.length, all.length)) for (const send of held.splice(0)) send();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const connection = await Connection.open(
    parseClusterAddress(`opensearch://127.0.0.1:${port}/x`),
    {},
    patienceMs,
  );
  connections.push(connection);
  return { connection, all, most: () => most };
}

const done = ({ lines }: BulkRequest) => ({
  body: { errors: false, items: lines.map(() => ({ index: { status: 201 } })) },
});
const change = (id: string, line = '{"a":1}') => ({ id, key: `1.${id}`, line });

test("many changes go in several requests, a few at a time, each once", async () => {
  const requests = 13;
  const { connection, all, most } = await connectTo(
    done,
    undefined,
    (held, all) => held === 4 || all === requests,
  );
  const bulk = new BulkRequests(connection, "x-1");
  for (let i = 0; i < 12_500; i++) await bulk.add(change(String(i)));
  expect(await bulk.finish()).toEqual([]);
  expect(bulk.done).toBe(12_500);
  const keys = all.flatMap(({ lines }) => lines.filter((_, i) => i % 2 === 0));
  expect(new Set(keys).size).toBe(12_500);
  expect(keys.length).toBe(12_500);
  expect(most()).toBe(4);
  expect(all.length).toBe(requests);
});

test("a request that met a dying node is asked again, whatever its status", async () => {
  const lost = { type: "node_disconnected_exception", reason: "[n2] disconnected" };
  const { connection, all } = await connectTo((asked, count) => {
    if (count === 1) {
      const failed = { type: "search_phase_execution_exception", reason: "Partial shards failure" };
      return { status: 500, body: { error: { ...failed, failed_shards: [{ reason: lost }] } } };
    }
    if (count === 2) return { body: { errors: true, items: [{ index: { status: 500, error: lost } }] } };
    return done(asked);
  });
  const bulk = new BulkRequests(connection, "x-1");
  await bulk.add(change("a"));
  expect(await bulk.finish()).toEqual([]);
  expect(all.length).toBe(3);
});

test("a busy cluster is asked again: the whole request, or the documents that it was too busy for", async () => {
  const { connection, all } = await connectTo((asked, count) => {
    if (count === 1)
      return { status: 429, body: { error: { type: "circuit_breaking_exception", reason: "full" } } };
    if (count === 2) return { status: 503, body: {} };
    if (count > 3) return done(asked);
    const items = [200, 429, 200].map((status) => ({
      index: { status, ...(status === 429 && { error: { type: "rejected", reason: "queue" } }) },
    }));
    return { body: { errors: true, items } };
  });
  const bulk = new BulkRequests(connection, "x-1");
  for (const id of ["a", "b", "c"]) await bulk.add(change(id));
  expect(await bulk.finish()).toEqual([]);
  expect(bulk.done).toBe(3);
  expect(connection.retries).toBe(2);
  expect(all.map(({ lines }) => lines.length)).toEqual([6, 6, 6, 2]);
  expect(all[3].lines[0]).toContain('"1.b"');
});

test("a document that is refused is named, and one with another version comes back", async () => {
  const { connection } = await connectTo(() => {
    const items = [
      { index: { status: 201 } },
      { index: { status: 409, error: { type: "version_conflict_engine_exception", reason: "newer" } } },
    ];
    return { body: { errors: true, items } };
  });
  const bulk = new BulkRequests(connection, "x-1");
  for (const id of ["a", "b"]) await bulk.add(change(id));
  expect((await bulk.finish()).map(({ id }) => id)).toEqual(["b"]);

  const { connection: other } = await connectTo(() => ({
    body: {
      errors: true,
      items: [{ index: { status: 400, error: { type: "mapper_parsing_exception", reason: "no" } } }],
    },
  }));
  const refused = new BulkRequests(other, "x-1");
  await refused.add(change("odd"));
  await expect(refused.finish()).rejects.toMatchObject({
    code: "ERR_SLUICE_CLUSTER",
    message: expect.stringContaining('"odd" (mapper_parsing_exception: no)'),
  });
});

test("patience ends with one clear error", async () => {
  const { connection } = await connectTo(
    () => ({ status: 503, body: { error: { type: "cluster_block", reason: "no manager" } } }),
    300,
  );
  await expect(connection.ask({ method: "GET", path: "/" })).rejects.toMatchObject({
    code: "ERR_SLUICE_CLUSTER",
    status: 503,
    message: expect.stringContaining("did not answer within 0 s: cluster_block: no manager"),
  });
  const nobody = await Connection.open(parseClusterAddress("opensearch://127.0.0.1:1/x"), {}, 200);
  connections.push(nobody);
  await expect(nobody.ask({ method: "GET", path: "/" })).rejects.toThrow("did not answer");
});

test("what the cluster refuses is not asked again", async () => {
  const { connection, all } = await connectTo(() => ({ status: 401, body: {} }));
  await expect(connection.ask({ method: "GET", path: "/" })).rejects.toMatchObject({
    status: 401,
    hint: expect.stringContaining("SLUICE_CLUSTER_USER"),
  });
  expect(all.length).toBe(1);
  await expect(
    connection.ask({ method: "GET", path: "/", signal: AbortSignal.abort("enough") }),
  ).rejects.toBe("enough");
});
