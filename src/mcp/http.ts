// The MCP server over streamable HTTP, for clients on the same machine. It listens on the loopback address alone, and answers only
// requests whose Host, and Origin where there is one, are local: a page of another site cannot reach it by a name that it
// points here (DNS rebinding). Every request stands for itself, so there are no sessions to steal, to expire or to count.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { type Sluice, UsageError } from "../index.ts";
import { createMcpServer, type McpOptions } from "./server.ts";

export interface HttpServingOptions extends McpOptions {
  /** 0 takes any port that is free. */
  port: number;
  /** Told of what goes wrong beside a request. */
  onError?: (error: Error) => void;
}

export interface HttpServing {
  /** Where clients connect. */
  readonly url: string;
  /** Stops listening; what is being answered is answered. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const PATH = "/mcp";
/** A question fits many times. */
const LARGEST_BODY = 1 << 20;

/** Serves an index at http://127.0.0.1:PORT/mcp. */
export async function serveHttp(
  index: Sluice,
  { port, onError, ...options }: HttpServingOptions,
): Promise<HttpServing> {
  const reported = { ...(onError && { onerror: onError }), maxRequestBodySize: LARGEST_BODY };
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") reject(new UsageError(`port ${port} is taken`, "choose another"));
      else if (error.code === "EACCES")
        reject(new UsageError(`port ${port} is not allowed`, "choose another"));
      else reject(error);
    });
    server.listen(port, HOST, resolve);
  });
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
