// A real server for tests, with its own port and an index in its own folder.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, Sluice } from "../../src/index.ts";
import { type RunningServer, type ServeOptions, serve } from "../../src/server/index.ts";

export const DOCUMENTS: readonly Document[] = [
  {
    id: "1",
    title: "Bauhaus",
    text: "A school of art founded in Weimar, moved to Dessau",
    year: 1919,
    kind: "school",
  },
  {
    id: "2",
    title: "Lock",
    text: "A chamber that raises and lowers boats between two levels of water",
    kind: "thing",
  },
  { id: "3", title: "Sluice", text: "A gate that controls the flow of water", year: 1340, kind: "thing" },
];

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the server's answers field by field
  readonly body: any;
}

/** Sends requests to a server. */
interface Sender {
  /** Sends JSON, or nothing, and parses the answer. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a body as it is. */
  raw(
    method: string,
    path: string,
    body: string | Uint8Array | ReadableStream | undefined,
    headers?: Record<string, string>,
  ): Promise<Reply>;
}

export interface TestServer extends RunningServer, Sender {
  readonly index: Sluice;
  readonly folder: string;
  /** Stops everything and removes the folder. */
  end(): Promise<void>;
}

export async function started(
  options: ServeOptions = {},
  documents: readonly Document[] = DOCUMENTS,
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-server-"));
  const index = await Sluice.open(join(folder, "index"), { encoder: "none" });
  if (documents.length > 0) {
    await index.add(documents);
    await index.commit();
  }
  const server = await serve({ things: index }, { port: 0, page: false, ...options });
  return {
    ...server,
    ...senderTo(server.url),
    index,
    folder,
    async end() {
      await server.close({ graceMs: 100 });
      await index.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server with a folder of indexes, and nothing in it unless the folder has something. */
export async function startedWithFolder(
  folder: string,
  options: ServeOptions = {},
): Promise<RunningServer & Sender> {
  const server = await serve({}, { port: 0, page: false, folder, ...options });
  return { ...server, ...senderTo(server.url), close: () => server.close({ graceMs: 100 }) };
}

function senderTo(url: string): Sender {
  const raw: Sender["raw"] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(body instanceof ReadableStream && { duplex: "half" }),
    } as RequestInit);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  return {
    raw,
    send: (method, path, body, headers = {}) =>
      body === undefined
        ? raw(method, path, undefined, headers)
        : raw(method, path, JSON.stringify(body), { "content-type": "application/json", ...headers }),
  };
}

export const THINGS = "/v1/indexes/things";
export const LINES = { "content-type": "application/x-ndjson" };

/** A log that keeps its entries, with their messages. */
export function keepLog() {
  const entries: [Record<string, unknown>, string][] = [];
  const note = (entry: object, message: string) =>
    void entries.push([entry as Record<string, unknown>, message]);
  return { entries, log: { info: note, warn: note, error: note } };
}
