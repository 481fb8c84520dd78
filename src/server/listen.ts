// A server with a socket, in Node: where it listens, how long it waits for slow clients, and how it stops.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Sluice, UsageError } from "../index.ts";
import { createServer, type ServerOptions } from "./app.ts";
import { Keys } from "./keys.ts";
import { limitsWith } from "./limits.ts";

export interface ServeOptions extends ServerOptions {
  /** Port; one that is free when 0. 7700 when left out. */
  port?: number;
  /** The address to listen at; 127.0.0.1, this machine alone, when left out. Others are refused without keys. */
  host?: string;
}

export interface RunningServer {
  /** http://127.0.0.1:7700 */
  readonly url: string;
  readonly port: number;
  /** Stops: takes no more requests, lets those that run end, commits included. The indexes stay open: they are yours. */
  close(options?: { graceMs?: number }): Promise<void>;
}

export const DEFAULT_PORT = 7700;

/** Headers must be there within this time. */
const HEADERS_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
/** How often Node looks for connections that took too long. */
const LOOK_MS = 1_000;
const MOST_CONNECTIONS = 1024;
/** Answers that were written are given this long to reach their clients. */
const FLUSH_MS = 2_000;

/** Serves indexes over HTTP. */
export async function serve(
  indexes: Readonly<Record<string, Sluice>>,
  { port = DEFAULT_PORT, host = "127.0.0.1", ...options }: ServeOptions = {},
): Promise<RunningServer> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`the port must be a whole number from 0 to 65535, not ${port}`);
  }
  const { any: hasKeys } = new Keys(options.keys);
  if (!hasKeys && !isLoopback(host)) {
    throw new UsageError(
      `without keys the server listens on this machine alone, not at ${host}`,
      "set SLUICE_WRITE_KEYS and SLUICE_READ_KEYS, or give a file of keys",
    );
  }
  const own = ["localhost", "127.0.0.1", "[::1]", host.includes(":") ? `[${host}]` : host];
  const server = createServer(indexes, { ...(!hasKeys && { hosts: own }), ...options });
  const { changeMs } = limitsWith(options.limits);
  const http = createAdaptorServer({
    fetch: server.fetch,
    serverOptions: {
      headersTimeout: Math.min(HEADERS_MS, changeMs), // Node takes no longer one than for the whole request
      requestTimeout: changeMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
  }) as Server;
  http.maxConnections = MOST_CONNECTIONS;
  try {
    await listening(http, port, host);
  } catch (error) {
    await server.close();
    throw error;
  }
  const { port: actual } = http.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    port: actual,
    async close(closing) {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      await server.close(closing);
      const looking = setInterval(() => http.closeIdleConnections(), 20);
      const giveUp = setTimeout(() => http.closeAllConnections(), FLUSH_MS);
      await closed;
      clearInterval(looking);
      clearTimeout(giveUp);
    },
  };
}

function listening(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
    http.listen(port, host, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") {
    return new UsageError(
      `port ${port} at ${host} is taken`,
      "give another: --port 0 finds one that is free",
    );
  }
  if (error.code === "EACCES") return new UsageError(`not allowed to listen at port ${port}`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new UsageError(`${host} is no address of this machine`);
  }
  return error;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
