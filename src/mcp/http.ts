// The MCP server over streamable HTTP, for clients on the same machine. It listens on the loopback address only, and
// answers only requests with a local Host and Origin; this stops web pages that use DNS rebinding. Every request is
// independent, so there are no sessions that could be stolen, expire or need counting.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Sluice } from "../index.ts";
import { listenAt } from "../support/environment/listen-at.ts";
import { createMcpServer, type McpOptions } from "./server.ts";

export interface HttpServingOptions extends McpOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Called with errors that belong to no request. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export interface HttpServing {
  /** The URL that clients connect to. */
  readonly url: string;
  /** Stops listening, and waits for running requests. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const PATH = "/mcp";
/** Bytes of the largest request body: 1 MiB, many times the size of a query. */
const MAX_BODY_BYTES = 1 << 20;

/** Serves an index at http://127.0.0.1:PORT/mcp. */
export async function serveHttp(
  index: Sluice,
  { port, onError, ...options }: HttpServingOptions,
): Promise<HttpServing> {
  const reported = { ...(onError && { onerror: onError }), maxRequestBodySize: MAX_BODY_BYTES };
  const handler = createMcpHandler(() => createMcpServer(index, options), reported);
  const answer = toNodeHandler(handler, reported);
  const [isLocalHost, isLocalOrigin] = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    if (request.url?.split("?")[0] !== PATH) {
      response.writeHead(404, { "content-type": "text/plain" }).end(`MCP is served at ${PATH}\n`);
      return;
    }
    void answer(request, response);
  });
  await listenAt(server, port, HOST);
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}
